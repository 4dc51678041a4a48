#include "pjrt/element_type.h"

#include <limits>
#include <string>

namespace treadle::pjrt {
namespace {

struct Pair {
  PJRT_Buffer_Type theirs;
  ElementType ours;
};

constexpr Pair kPairs[] = {
    {PJRT_Buffer_Type_PRED, ElementType::kI1},
    {PJRT_Buffer_Type_S2, ElementType::kI2},
    {PJRT_Buffer_Type_S4, ElementType::kI4},
    {PJRT_Buffer_Type_S8, ElementType::kI8},
    {PJRT_Buffer_Type_S16, ElementType::kI16},
    {PJRT_Buffer_Type_S32, ElementType::kI32},
    {PJRT_Buffer_Type_S64, ElementType::kI64},
    {PJRT_Buffer_Type_U2, ElementType::kU2},
    {PJRT_Buffer_Type_U4, ElementType::kU4},
    {PJRT_Buffer_Type_U8, ElementType::kU8},
    {PJRT_Buffer_Type_U16, ElementType::kU16},
    {PJRT_Buffer_Type_U32, ElementType::kU32},
    {PJRT_Buffer_Type_U64, ElementType::kU64},
    {PJRT_Buffer_Type_F4E2M1FN, ElementType::kF4E2M1FN},
    {PJRT_Buffer_Type_F6E2M3FN, ElementType::kF6E2M3FN},
    {PJRT_Buffer_Type_F6E3M2FN, ElementType::kF6E3M2FN},
    {PJRT_Buffer_Type_F8E3M4, ElementType::kF8E3M4},
    {PJRT_Buffer_Type_F8E4M3, ElementType::kF8E4M3},
    {PJRT_Buffer_Type_F8E4M3FN, ElementType::kF8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::kF8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::kF8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E5M2, ElementType::kF8E5M2},
    {PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::kF8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E8M0FNU, ElementType::kF8E8M0FNU},
    {PJRT_Buffer_Type_BF16, ElementType::kBF16},
    {PJRT_Buffer_Type_F16, ElementType::kF16},
    {PJRT_Buffer_Type_F32, ElementType::kF32},
    {PJRT_Buffer_Type_F64, ElementType::kF64},
    {PJRT_Buffer_Type_C64, ElementType::kC64},
    {PJRT_Buffer_Type_C128, ElementType::kC128},
    {PJRT_Buffer_Type_TOKEN, ElementType::kToken},
};

// Both directions, indexed by the numbers of each side.
struct Tables {
  ElementType ours[PJRT_Buffer_Type_F6E3M2FN + 1] = {};
  PJRT_Buffer_Type theirs[static_cast<size_t>(ElementType::kToken) + 1] = {};
  constexpr Tables() {
    for (const Pair& pair : kPairs) {
      ours[pair.theirs] = pair.ours;
      theirs[static_cast<size_t>(pair.ours)] = pair.theirs;
    }
  }
};
constexpr Tables kTables;

}  // namespace

StatusOr<ElementType> FromBufferType(PJRT_Buffer_Type type) {
  if (type <= PJRT_Buffer_Type_INVALID || type > PJRT_Buffer_Type_F6E3M2FN) {
    return InvalidArgument("no element type has the number " + std::to_string(type));
  }
  ElementType ours = kTables.ours[type];
  if (ours == ElementType::kInvalid) {
    return Unimplemented("arrays of element type S1 or U1 (number " + std::to_string(type) + ")");
  }
  return ours;
}

PJRT_Buffer_Type ToBufferType(ElementType type) { return kTables.theirs[static_cast<size_t>(type)]; }

StatusOr<Shape> ToShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  TREADLE_ASSIGN_OR_RETURN(ElementType ours, FromBufferType(type));
  if (num_dims > 0 && dims == nullptr) return InvalidArgument("dims is null, num_dims is not 0");
  Shape shape{ours, {}};
  if (num_dims > 0) shape.dims.assign(dims, dims + num_dims);
  for (int64_t dim : shape.dims) {
    if (dim < 0) return InvalidArgument("a dimension is negative: " + shape.ToString());
  }
  if (shape.bytes() == std::numeric_limits<int64_t>::max()) {
    return ResourceExhausted("an array of shape " + shape.ToString() + " is larger than the address space");
  }
  return shape;
}

}  // namespace treadle::pjrt
