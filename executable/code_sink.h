// Where better code goes that is made while a program already runs.
#ifndef TREADLE_EXECUTABLE_CODE_SINK_H_
#define TREADLE_EXECUTABLE_CODE_SINK_H_

#include <string>
#include <vector>

#include "executable/executable.h"

namespace treadle::executable {

// Called from any thread, one call at a time. Its end (the last owner lets go) says that nothing more comes: all is
// done, or what is missing failed or was given up and stays as it is.
class CodeSink {
 public:
  virtual ~CodeSink() = default;

  // `object` defines kernels of the program, under the symbols that its quick code has.
  virtual void Take(Object object, std::vector<std::string> symbols) = 0;
};

}  // namespace treadle::executable

#endif  // TREADLE_EXECUTABLE_CODE_SINK_H_
