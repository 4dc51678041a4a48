#include "pjrt/event.h"

#include <utility>

#include "pjrt/calls.h"
#include "pjrt/error.h"

namespace treadle::pjrt {
namespace {

// Never freed: a client may hold it while the process ends.
PJRT_Event* ReadyEvent() {
  static PJRT_Event* const ready = new PJRT_Event;
  return ready;
}

}  // namespace

PJRT_Event* NewEvent(Event event) {
  if (event.ok()) return ReadyEvent();
  return new PJRT_Event{std::move(event), std::nullopt};
}

void DestroyEvent(PJRT_Event* event) {
  if (event != ReadyEvent()) delete event;
}

// JAX destroys the handle as soon as it has registered its callback.
Status Call(PJRT_Event_Destroy_Args* args) {
  DestroyEvent(args->event);
  return OkStatus();
}

Status Call(PJRT_Event_IsReady_Args* args) {
  args->is_ready = args->event->event.ready();
  return OkStatus();
}

Status Call(PJRT_Event_Error_Args* args) {
  if (!args->event->event.ready()) return FailedPrecondition("PJRT_Event_Error: the event is not ready");
  return args->event->event.status();
}

Status Call(PJRT_Event_Await_Args* args) {
  Event event = args->event->event;
  return event.Await();
}

// The callback may destroy the event, run Python or call this plugin again: nothing of `args` is touched after it.
Status Call(PJRT_Event_OnReady_Args* args) {
  auto* callback = args->callback;
  void* user_arg = args->user_arg;
  if (callback == nullptr) return InvalidArgument("PJRT_Event_OnReady: the callback is null");
  if (args->event->event.ok()) {
    callback(nullptr, user_arg);
    return OkStatus();
  }
  Event event = args->event->event;
  event.OnReady([callback, user_arg](const Status& status) { callback(ToError(status), user_arg); });
  return OkStatus();
}

Status Call(PJRT_Event_Create_Args* args) {
  Promise promise;
  Event event = promise.event();
  args->event = new PJRT_Event{std::move(event), std::move(promise)};
  return OkStatus();
}

Status Call(PJRT_Event_Set_Args* args) {
  if (!args->event->promise) return InvalidArgument("PJRT_Event_Set: the event was not made by PJRT_Event_Create");
  Promise& promise = *args->event->promise;
  if (!promise.Set(FromCode(args->error_code, args->error_message, args->error_message_size))) {
    return FailedPrecondition("PJRT_Event_Set: the event is set already");
  }
  return OkStatus();
}

}  // namespace treadle::pjrt
