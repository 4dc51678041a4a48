// PJRT_Error: a Status on its way through the C API.
#ifndef TREADLE_PJRT_ERROR_H_
#define TREADLE_PJRT_ERROR_H_

#include "base/status.h"
#include "pjrt/pjrt_c_api.h"

namespace treadle::pjrt {

// Null for Ok. Else an error that the caller of the C API destroys. Cheap and silent: JAX asks for things it knows to
// be optional and throws the error away. Never fails; thread-safe.
PJRT_Error* ToError(Status status);

// The Status that a client describes by code and text; an unknown code becomes UNKNOWN. Ok for PJRT_Error_Code_OK.
Status FromCode(PJRT_Error_Code code, const char* message, size_t message_size);

// The Status inside an error that this plugin or the client made, which is destroyed. Ok for null.
Status TakeError(PJRT_Error* error);

// The two functions of the table that return nothing, and so are no Call (calls.h).
void DestroyError(PJRT_Error_Destroy_Args* args);
void ErrorMessage(PJRT_Error_Message_Args* args);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_ERROR_H_
