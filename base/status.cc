#include "base/status.h"

namespace treadle {

std::string_view StatusCodeName(StatusCode code) {
  static constexpr std::string_view kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  size_t index = static_cast<size_t>(code);
  return index < std::size(kNames) ? kNames[index] : "UNKNOWN";
}

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::kOk) rep_ = std::make_unique<Rep>(Rep{code, std::move(message)});
}

const std::string& Status::message() const {
  static const std::string* const kEmpty = new std::string;
  return rep_ ? rep_->message : *kEmpty;
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return std::string(StatusCodeName(code())) + ": " + message();
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) return *this;
  return Status(code(), std::string(context) + ": " + message());
}

Status InvalidArgument(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }
Status NotFound(std::string message) { return Status(StatusCode::kNotFound, std::move(message)); }
Status AlreadyExists(std::string message) { return Status(StatusCode::kAlreadyExists, std::move(message)); }
Status ResourceExhausted(std::string message) { return Status(StatusCode::kResourceExhausted, std::move(message)); }
Status FailedPrecondition(std::string message) { return Status(StatusCode::kFailedPrecondition, std::move(message)); }
Status OutOfRange(std::string message) { return Status(StatusCode::kOutOfRange, std::move(message)); }
Status Unimplemented(std::string message) { return Status(StatusCode::kUnimplemented, std::move(message)); }
Status Internal(std::string message) { return Status(StatusCode::kInternal, std::move(message)); }

}  // namespace treadle
