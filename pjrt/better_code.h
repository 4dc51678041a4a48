// The good code of a program that was begun with quick code.
#ifndef TREADLE_PJRT_BETTER_CODE_H_
#define TREADLE_PJRT_BETTER_CODE_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "executable/code_sink.h"
#include "executable/executable.h"

namespace treadle::pjrt {

// Thread-safe.
class BetterCode {
 public:
  // What the compiler fills, once for each BetterCode. Objects are linked as they come, so that executions which begin
  // afterwards run them.
  static std::shared_ptr<executable::CodeSink> MakeSink(std::shared_ptr<BetterCode> filled, executable::Target target);

  // `executable` with all that comes, for which this waits.
  executable::Executable Apply(executable::Executable executable) const;

 private:
  friend class BetterCodeSink;

  struct Piece {
    executable::Object object;
    std::vector<std::string> symbols;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable complete_changed_;
  std::vector<Piece> pieces_;
  bool complete_ = false;
};

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_BETTER_CODE_H_
