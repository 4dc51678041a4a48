// An array whose size is known when it is made, on the stack while it is short.
#ifndef TREADLE_RUNTIME_SMALL_ARRAY_H_
#define TREADLE_RUNTIME_SMALL_ARRAY_H_

#include <cstddef>
#include <memory>

namespace treadle::internal {

// Elements start value-initialised.
template <typename T, size_t kInline = 12>
class SmallArray {
 public:
  explicit SmallArray(size_t size) : size_(size) {
    if (size > kInline) heap_ = std::make_unique<T[]>(size);
    data_ = size > kInline ? heap_.get() : inline_;
  }
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;

  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

 private:
  const size_t size_;
  T* data_;
  T inline_[kInline] = {};
  std::unique_ptr<T[]> heap_;
};

}  // namespace treadle::internal

#endif  // TREADLE_RUNTIME_SMALL_ARRAY_H_
