// Seeds of fuzzers, and mutations of them that are the same every time.
#ifndef TREADLE_TESTS_FUZZ_MUTATE_H_
#define TREADLE_TESTS_FUZZ_MUTATE_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::fuzz {

// Text is mutated by words, types and numbers (a number or type everywhere at once stays a program more often), bytes
// by bits and lengths.
enum class Kind : uint8_t { kText, kBytes };

// The files below `folders` (separated by ':'; missing ones are skipped) that are of `kind` by their name, up to
// `max_size` bytes; of texts also each function alone. In an order that depends on names only.
std::vector<std::string> LoadSeeds(std::string_view folders, Kind kind, size_t max_size);

// One of `seeds` with some changes.
class Mutator {
 public:
  Mutator(const std::vector<std::string>& seeds, Kind kind, uint32_t seed);

  std::string Next();

 private:
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  void MutateText(std::string& text);
  void MutateBytes(std::string& bytes);
  void ReplaceNumber(std::string& text, bool everywhere);
  void ReplaceType(std::string& text);
  void ReplaceWord(std::string& text);
  void MoveRange(std::string& text);

  const std::vector<std::string>& seeds_;
  const Kind kind_;
  std::mt19937 random_;
  std::vector<std::string> words_;  // of all texts
};

}  // namespace treadle::fuzz

#endif  // TREADLE_TESTS_FUZZ_MUTATE_H_
