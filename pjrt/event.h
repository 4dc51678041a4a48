// PJRT_Event: an Event of the runtime behind a handle.
#ifndef TREADLE_PJRT_EVENT_H_
#define TREADLE_PJRT_EVENT_H_

#include <optional>

#include "async/event.h"
#include "pjrt/pjrt_c_api.h"

struct PJRT_Event {
  treadle::Event event;
  std::optional<treadle::Promise> promise;  // of events that the client made and will set
};

namespace treadle::pjrt {

// A handle for `event`. Work that is done costs nothing: all its handles are one static event, which Destroy leaves
// alone.
PJRT_Event* NewEvent(Event event);

// Callbacks that wait hang on the event's state, not on the handle: they are called all the same.
void DestroyEvent(PJRT_Event* event);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_EVENT_H_
