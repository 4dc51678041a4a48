// PJRT_Buffer_Type and the element types of this project.
#ifndef TREADLE_PJRT_ELEMENT_TYPE_H_
#define TREADLE_PJRT_ELEMENT_TYPE_H_

#include <cstddef>
#include <cstdint>

#include "base/element_type.h"
#include "base/shape.h"
#include "base/status.h"
#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// UNIMPLEMENTED for types that have no counterpart (S1, U1) and INVALID_ARGUMENT for unknown numbers.
StatusOr<ElementType> FromBufferType(PJRT_Buffer_Type type);

// PJRT_Buffer_Type_INVALID where `type` is kInvalid.
PJRT_Buffer_Type ToBufferType(ElementType type);

// The shape that a client describes. Errors: no such type, a negative dimension, null `dims` with a rank, more bytes
// than an address space has.
StatusOr<Shape> ToShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_ELEMENT_TYPE_H_
