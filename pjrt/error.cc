#include "pjrt/error.h"

#include <utility>

#include "pjrt/calls.h"

namespace treadle::pjrt {
namespace {

// The first word of an error is public (since minor 107), so PJRT_Error is a base here and no opaque handle.
struct Error : PJRT_Error {
  Status status;
};

// Errors of the client's callbacks (send callbacks, the key-value store) carry the client's table or, made through
// callback_error, ours: all are read through the table they bring.
const PJRT_Error_FunctionTable kTable = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(Error),
    .extension_start = nullptr,
    .destroy = [](PJRT_Error* error) { delete static_cast<Error*>(error); },
    .message =
        [](const PJRT_Error* error, const char** text, size_t* size) {
          const std::string& message = static_cast<const Error*>(error)->status.message();
          *text = message.data();
          *size = message.size();
        },
    .get_code =
        [](const PJRT_Error* error) {
          return static_cast<PJRT_Error_Code>(static_cast<const Error*>(error)->status.code());
        },
    .for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {},
};

}  // namespace

PJRT_Error* ToError(Status status) {
  if (status.ok()) [[likely]]
    return nullptr;
  return new Error{{&kTable}, std::move(status)};
}

Status FromCode(PJRT_Error_Code code, const char* message, size_t message_size) {
  if (code == PJRT_Error_Code_OK) return OkStatus();
  bool known = code > PJRT_Error_Code_OK && code <= PJRT_Error_Code_UNAUTHENTICATED;
  return Status(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                message == nullptr ? std::string() : std::string(message, message_size));
}

Status TakeError(PJRT_Error* error) {
  if (error == nullptr) return OkStatus();
  const char* text = nullptr;
  size_t size = 0;
  error->vtable->message(error, &text, &size);
  PJRT_Error_Code code = error->vtable->get_code(error);
  Status status = FromCode(code == PJRT_Error_Code_OK ? PJRT_Error_Code_UNKNOWN : code, text, size);
  error->vtable->destroy(error);
  return status;
}

void DestroyError(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr && args->error != nullptr) args->error->vtable->destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  if (args == nullptr) return;
  args->message = "";
  args->message_size = 0;
  if (args->error != nullptr) args->error->vtable->message(args->error, &args->message, &args->message_size);
}

Status Call(PJRT_Error_GetCode_Args* args) {
  args->code = args->error->vtable->get_code(args->error);
  return OkStatus();
}

Status Call(PJRT_Error_ForEachPayload_Args* args) {
  if (args->visitor != nullptr) args->error->vtable->for_each_payload(args->error, args->visitor, args->user_arg);
  return OkStatus();
}

}  // namespace treadle::pjrt
