// A folder for the files of one test.
#ifndef TREADLE_COMPILER_CACHE_TESTING_SCRATCH_H_
#define TREADLE_COMPILER_CACHE_TESTING_SCRATCH_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace treadle::cache {

// Empty at first; removed at the end of this object's life.
class Scratch {
 public:
  Scratch() {
    std::string path = (std::filesystem::temp_directory_path() / "treadle-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace treadle::cache

#endif  // TREADLE_COMPILER_CACHE_TESTING_SCRATCH_H_
