// Cholesky's factors of small real matrices, one in each lane of the vectors. Compiled once per ISA level.
#ifndef TREADLE_KERNELS_LINALG_CHOLESKY_LANES_H_
#define TREADLE_KERNELS_LINALG_CHOLESKY_LANES_H_

#include <limits>

#include "kernels/linalg/job.h"

namespace treadle::kernels::linalg::TREADLE_ISA {

template <typename T>
class CholeskyLanes {
 public:
  explicit CholeskyLanes(const TreadleCallFrame* frame)
      : frame_(frame),
        args_(*reinterpret_cast<const LinalgArgs*>(frame->args)),
        n_(args_.n),
        size_(args_.n * args_.n),
        lanes_(static_cast<T*>(frame->local)),
        few_(lanes_ + size_ * kLanes<T>) {}

  // Matrices [tile * chunk, ...) of all; args.k is how many there are.
  void Run(int64_t tile) {
    const int64_t end = Min((tile + 1) * args_.chunk, args_.k);
    const T* in = static_cast<const T*>(frame_->buffers[0]);
    T* out = static_cast<T*>(frame_->buffers[1]);
    for (int64_t first = tile * args_.chunk; first < end; first += kLanes<T>) {
      const int64_t count = Min(kLanes<T>, end - first);
      if (count == kLanes<T>) {
        Turn(in + first * size_);
        Factor();
        TurnBack(out + first * size_);
        continue;
      }
      // Lanes that no one asks for hold the first one.
      for (int64_t lane = 0; lane < kLanes<T>; ++lane)
        memcpy(few_ + lane * size_, in + (first + (lane < count ? lane : 0)) * size_, size_ * sizeof(T));
      Turn(few_);
      Factor();
      TurnBack(few_);
      memcpy(out + first * size_, few_, count * size_ * sizeof(T));
    }
  }

 private:
  // Element e of all of them.
  T* At(int64_t e) const { return lanes_ + e * kLanes<T>; }
  // The element of l in row i and column j.
  int64_t Place(int64_t i, int64_t j) const { return args_.upper ? j * n_ + i : i * n_ + j; }

  void Turn(const T* matrices) {
    constexpr int n = kLanes<T>;
    int64_t e = 0;
    for (; e + n <= size_; e += n) {
      Vec<T> v[n];
      LoadTurned<T>(matrices + e, size_, v);
#pragma clang loop unroll(full)
      for (int i = 0; i < n; ++i) Store<T>(At(e + i), v[i]);
    }
    for (; e < size_; ++e) {
      for (int lane = 0; lane < n; ++lane) At(e)[lane] = matrices[lane * size_ + e];
    }
  }

  void TurnBack(T* matrices) const {
    constexpr int n = kLanes<T>;
    int64_t e = 0;
    for (; e + n <= size_; e += n) {
      Vec<T> v[n];
#pragma clang loop unroll(full)
      for (int i = 0; i < n; ++i) v[i] = Load<T>(At(e + i));
      Transpose<T>(v);
#pragma clang loop unroll(full)
      for (int i = 0; i < n; ++i) Store<T>(matrices + i * size_ + e, v[i]);
    }
    for (; e < size_; ++e) {
      for (int lane = 0; lane < n; ++lane) matrices[lane * size_ + e] = At(e)[lane];
    }
  }

  // Column by column, each then taken from the columns behind it.
  void Factor() {
    const auto at = [this](int64_t i, int64_t j) { return At(Place(i, j)); };
    Vec<T> last = Vec<T>(0);
    for (int64_t j = 0; j < n_; ++j) {
      const Vec<T> square = Load<T>(at(j, j));
      const Vec<T> root = square > 0 ? __builtin_elementwise_sqrt(square) : Vec<T>(std::numeric_limits<T>::quiet_NaN());
      Store<T>(at(j, j), root);
      last = root;
      for (int64_t i = j + 1; i < n_; ++i) {
        Store<T>(at(i, j), Load<T>(at(i, j)) / root);
        Store<T>(at(j, i), Vec<T>(0));
      }
      for (int64_t c = j + 1; c < n_; ++c) {
        const Vec<T> minus = -Load<T>(at(c, j));
        for (int64_t i = c; i < n_; ++i) Store<T>(at(i, c), MulAdd<T>(Load<T>(at(i, j)), minus, Load<T>(at(i, c))));
      }
    }
    // What fails has come down to the last number.
    for (int64_t j = 0; j < n_; ++j) {
      for (int64_t i = j; i < n_; ++i) Store<T>(at(i, j), last == last ? Load<T>(at(i, j)) : last);
    }
  }

  const TreadleCallFrame* frame_;
  const LinalgArgs& args_;
  const int64_t n_, size_;
  T* const lanes_;  // [element][lane]
  T* const few_;    // matrices of a group that is not full
};

}  // namespace treadle::kernels::linalg::TREADLE_ISA

#endif  // TREADLE_KERNELS_LINALG_CHOLESKY_LANES_H_
