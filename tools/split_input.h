// Files of several programs.
#ifndef TREADLE_TOOLS_SPLIT_INPUT_H_
#define TREADLE_TOOLS_SPLIT_INPUT_H_

#include <string>
#include <string_view>
#include <vector>

namespace treadle::tools {

// The parts of a text between lines "// -----". Each begins with as many empty lines as stand before it in the file, so
// that the lines of errors are those of the file. Bytecode is one part.
std::vector<std::string> SplitInput(std::string_view text);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_SPLIT_INPUT_H_
