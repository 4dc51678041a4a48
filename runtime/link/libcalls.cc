#include "runtime/link/libcalls.h"

#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

// The compiler's support library; declared as addresses only.
extern "C" {
void __divti3();
void __modti3();
void __udivti3();
void __umodti3();
void __extendhfsf2();
void __truncsfhf2();
void __truncdfhf2();
}

namespace treadle::link {
namespace {

using Table = std::unordered_map<std::string_view, void*>;

void AddMath(Table& table) {
// Both precisions of a function of <cmath>.
#define TREADLE_MATH1(name)                                                               \
  table.emplace(#name, reinterpret_cast<void*>(static_cast<double (*)(double)>(::name))); \
  table.emplace(#name "f", reinterpret_cast<void*>(static_cast<float (*)(float)>(::name##f)))
#define TREADLE_MATH2(name)                                                                       \
  table.emplace(#name, reinterpret_cast<void*>(static_cast<double (*)(double, double)>(::name))); \
  table.emplace(#name "f", reinterpret_cast<void*>(static_cast<float (*)(float, float)>(::name##f)))
  TREADLE_MATH1(exp);
  TREADLE_MATH1(exp2);
  TREADLE_MATH1(expm1);
  TREADLE_MATH1(log);
  TREADLE_MATH1(log2);
  TREADLE_MATH1(log10);
  TREADLE_MATH1(log1p);
  TREADLE_MATH1(sin);
  TREADLE_MATH1(cos);
  TREADLE_MATH1(tan);
  TREADLE_MATH1(asin);
  TREADLE_MATH1(acos);
  TREADLE_MATH1(atan);
  TREADLE_MATH1(sinh);
  TREADLE_MATH1(cosh);
  TREADLE_MATH1(tanh);
  TREADLE_MATH1(cbrt);
  TREADLE_MATH1(sqrt);
  TREADLE_MATH1(floor);
  TREADLE_MATH1(ceil);
  TREADLE_MATH1(trunc);
  TREADLE_MATH1(round);
  TREADLE_MATH1(rint);
  TREADLE_MATH1(nearbyint);
  TREADLE_MATH1(fabs);
  TREADLE_MATH1(erf);
  TREADLE_MATH2(pow);
  TREADLE_MATH2(fmod);
  TREADLE_MATH2(atan2);
  TREADLE_MATH2(fmin);
  TREADLE_MATH2(fmax);
#undef TREADLE_MATH1
#undef TREADLE_MATH2
  table.emplace("roundeven", reinterpret_cast<void*>(static_cast<double (*)(double)>(::rint)));  // in round-to-nearest
  table.emplace("roundevenf", reinterpret_cast<void*>(static_cast<float (*)(float)>(::rintf)));
  table.emplace("fma", reinterpret_cast<void*>(static_cast<double (*)(double, double, double)>(::fma)));
  table.emplace("fmaf", reinterpret_cast<void*>(static_cast<float (*)(float, float, float)>(::fmaf)));
  table.emplace("ldexp", reinterpret_cast<void*>(static_cast<double (*)(double, int)>(::ldexp)));
  table.emplace("ldexpf", reinterpret_cast<void*>(static_cast<float (*)(float, int)>(::ldexpf)));
}

Table* MakeTable() {
  auto* table = new Table;
  AddMath(*table);
  table->emplace("memcpy", reinterpret_cast<void*>(&std::memcpy));
  table->emplace("memmove", reinterpret_cast<void*>(&std::memmove));
  table->emplace("memset", reinterpret_cast<void*>(&std::memset));
  table->emplace("memcmp", reinterpret_cast<void*>(&std::memcmp));
  table->emplace("__divti3", reinterpret_cast<void*>(&__divti3));
  table->emplace("__modti3", reinterpret_cast<void*>(&__modti3));
  table->emplace("__udivti3", reinterpret_cast<void*>(&__udivti3));
  table->emplace("__umodti3", reinterpret_cast<void*>(&__umodti3));
  table->emplace("__extendhfsf2", reinterpret_cast<void*>(&__extendhfsf2));
  table->emplace("__truncsfhf2", reinterpret_cast<void*>(&__truncsfhf2));
  table->emplace("__truncdfhf2", reinterpret_cast<void*>(&__truncdfhf2));
  return table;
}

}  // namespace

void* FindLibcall(std::string_view name) {
  static const Table* const table = MakeTable();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

}  // namespace treadle::link
