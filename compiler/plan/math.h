// What the mathematical operations of a plan compute, once: as sequences of basic operations over an *evaluator* M. The
// interpreter (math/scalar.h) runs a sequence on one number, the emitter writes it as vector code, so both give the
// same bits. Functions are branch-free but for Rare. Errors: at most 3 ulp (most: 1), special values as in C.
// Subnormal arguments and results may read as zeros of their sign, unless the target keeps them
// (executable::Target::keeps_subnormals).
//
// An evaluator has
//   kBits          32 or 64
//   F I B          a float of kBits, an integer of kBits, a truth value; cheap to copy
//   fma()          whether Fma rounds once. If not, Fma is Mul, then Add
//   keeps_subnormals()   whether arithmetic does; if not, code that only they need is left out
//   F Const(double)         I Int(int64_t)
//   F Add Sub Mul Div(F, F)     F Fma(a, b, c): a*b + c     F Sqrt Floor(F)
//   B Lt Le Eq(F, F): false on NaN        B ILt(I, I): signed     B And Or(B, B)  B Not(B)
//   F Select(B, F, F)
//   I Bits(F)  F FromBits(I)    I IAdd ISub IAnd IOr IXor(I, I)    I Shl ShrL(I, int): in 0..kBits-1
//   auto Rare(B mask, std::array<F, n> usual, const char* name, F x, f)
//                  per lane f(m, x) where mask, else `usual`. f is long and seldom needed: an evaluator of vectors
//                  branches around it, and may hand f an evaluator of scalars, in a function of that name, for every
//                  lane
// and, with kBits == 32, a double for each float:
//   Wide  Wide& wide()      an evaluator of 64 bits       Wide::F Widen(F)   F Narrow(Wide::F): rounds
// and, with kBits == 64:
//   I ShlV ShrLV(I, I amount): below 64        I IMul MulHi(I, I): the halves of the unsigned product
//   I Lookup(const uint64_t* table, int size, I index): table[index]; the table is a constant of the program
#ifndef TREADLE_COMPILER_PLAN_MATH_H_
#define TREADLE_COMPILER_PLAN_MATH_H_

#include "compiler/plan/math/arc.h"
#include "compiler/plan/math/erf.h"
#include "compiler/plan/math/exp.h"
#include "compiler/plan/math/log.h"
#include "compiler/plan/math/power.h"
#include "compiler/plan/math/trigonometry.h"
#include "compiler/plan/plan.h"

namespace treadle::plan {

inline bool IsMathOp(Op op) { return op >= Op::kExp && op <= Op::kErfc; }
inline int OperandsOfMath(Op op) { return op == Op::kPow || op == Op::kAtan2 ? 2 : 1; }

// `y` only for kPow and kAtan2. REQUIRES: IsMathOp(op).
template <class M>
typename M::F EvaluateMath(M& m, Op op, typename M::F x, typename M::F y) {
  switch (op) {
    case Op::kExp:
      return math::Exp(m, x);
    case Op::kExpm1:
      return math::Expm1(m, x);
    case Op::kLog:
      return math::Log(m, x);
    case Op::kLog1p:
      return math::Log1p(m, x);
    case Op::kSin:
      return math::Sin(m, x);
    case Op::kCos:
      return math::Cos(m, x);
    case Op::kTan:
      return math::Tan(m, x);
    case Op::kTanh:
      return math::Tanh(m, x);
    case Op::kLogistic:
      return math::Logistic(m, x);
    case Op::kSqrt:
      return m.Sqrt(x);
    case Op::kRsqrt:
      return m.Div(m.Const(1), m.Sqrt(x));
    case Op::kCbrt:
      return math::Cbrt(m, x);
    case Op::kPow:
      return math::Pow(m, x, y);
    case Op::kAtan2:
      return math::Atan2(m, x, y);
    case Op::kErf:
      return math::Erf(m, x);
    default:
      return math::Erfc(m, x);
  }
}

}  // namespace treadle::plan

#endif  // TREADLE_COMPILER_PLAN_MATH_H_
