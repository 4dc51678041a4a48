// The floating-point state in which kernels run.
#ifndef TREADLE_DEVICE_HOST_FLOAT_MODE_H_
#define TREADLE_DEVICE_HOST_FLOAT_MODE_H_

#include <xmmintrin.h>

namespace treadle {

// For its scope, on its thread: rounding to nearest, no traps, subnormal numbers kept, or zeros. Afterwards the state,
// sticky flags included, is what it was. Where the mode is right already (an outer scope has set it) it does nothing.
class FloatMode {
 public:
  explicit FloatMode(bool keeps_subnormals) : before_(_mm_getcsr()) {
    const unsigned mode = kMasked | (keeps_subnormals ? 0 : kFlushToZero | kDenormalsAreZero);
    changed_ = (before_ & ~kStickyFlags) != mode;
    if (changed_) _mm_setcsr(mode);
  }
  ~FloatMode() {
    if (changed_) _mm_setcsr(before_);
  }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  static constexpr unsigned kStickyFlags = 0x3f;
  static constexpr unsigned kMasked = 0x1f80;
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;

  const unsigned before_;
  bool changed_;
};

}  // namespace treadle

#endif  // TREADLE_DEVICE_HOST_FLOAT_MODE_H_
