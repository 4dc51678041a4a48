// One element of a tensor as text.
#ifndef TREADLE_TOOLS_ELEMENT_H_
#define TREADLE_TOOLS_ELEMENT_H_

#include <string>
#include <string_view>

#include "base/element_type.h"

namespace treadle::tools {

// Complex numbers are written "(1,-2)".

// Writes the element that `text` names to `out` (ElementBytes(type) bytes). False where it is none, or out of range.
bool ParseElement(std::string_view text, ElementType type, char* out);

// The shortest text that reads back as the same element.
std::string PrintElement(ElementType type, const char* in);

}  // namespace treadle::tools

#endif  // TREADLE_TOOLS_ELEMENT_H_
