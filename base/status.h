// Errors as values. Status outside MLIR (inside it: diagnostics, bridged in stablehlo/diagnostics.h), never exceptions.
// The codes are those of PJRT (and absl), so that a Status crosses the C API as it is.
#ifndef TREADLE_BASE_STATUS_H_
#define TREADLE_BASE_STATUS_H_

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace treadle {

enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT" and so on.
std::string_view StatusCodeName(StatusCode code);

// Ok costs one null pointer. Copies share nothing. Thread-compatible.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message);
  Status(const Status& other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}
  Status& operator=(const Status& other) {
    rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
    return *this;
  }
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ ? rep_->code : StatusCode::kOk; }
  const std::string& message() const;

  // "INVALID_ARGUMENT: what was wrong", or "OK".
  std::string ToString() const;

  // The same error with `context` and ": " in front of its message; Ok stays Ok.
  Status WithContext(std::string_view context) const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

inline Status OkStatus() { return Status(); }
Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status ResourceExhausted(std::string message);
Status FailedPrecondition(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);

// A T or the reason why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) { assert(!status_.ok() && "an Ok status carries a value"); }
  StatusOr(T value) : value_(std::move(value)) {}
  template <typename U, typename = std::enable_if_t<
                            std::is_convertible_v<U&&, T> && !std::is_same_v<std::decay_t<U>, T> &&
                            !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, StatusOr>>>
  StatusOr(U&& value) : value_(std::forward<U>(value)) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

  // REQUIRES: ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

#define TREADLE_RETURN_IF_ERROR(expr)                                                              \
  do {                                                                                             \
    if (::treadle::Status treadle_status_ = (expr); !treadle_status_.ok()) return treadle_status_; \
  } while (false)

#define TREADLE_CONCAT_INNER_(a, b) a##b
#define TREADLE_CONCAT_(a, b) TREADLE_CONCAT_INNER_(a, b)
#define TREADLE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) return tmp.status();             \
  lhs = *std::move(tmp)
// TREADLE_ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or this function returns F()'s error.
#define TREADLE_ASSIGN_OR_RETURN(lhs, expr) TREADLE_ASSIGN_OR_RETURN_(TREADLE_CONCAT_(treadle_or_, __LINE__), lhs, expr)

}  // namespace treadle

#endif  // TREADLE_BASE_STATUS_H_
