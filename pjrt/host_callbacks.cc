#include "pjrt/host_callbacks.h"

#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "pjrt/calls.h"
#include "pjrt/client.h"
#include "pjrt/error.h"
#include "pjrt/event.h"

// What a receive callback fills. Owned by the client; thread-safe.
struct PJRT_CopyToDeviceStream {
  PJRT_CopyToDeviceStream(std::shared_ptr<treadle::Channels> channels, std::string channel, treadle::Shape shape)
      : channels(std::move(channels)), channel(std::move(channel)), shape(std::move(shape)) {}

  const std::shared_ptr<treadle::Channels> channels;
  const std::string channel;
  const treadle::Shape shape;
  std::mutex mutex;
  std::string bytes;  // so far

  int64_t total() const { return shape.bytes(); }
};

namespace treadle::pjrt {
namespace {

PJRT_Error* MakeCallbackError(PJRT_Error_Code code, const char* message, size_t size) {
  return ToError(FromCode(code, message, size));
}

// Gives the array to the client's callback, which owns it from then on.
Status Send(const PJRT_SendCallbackInfo& info, Message message) {
  auto* bytes = new std::string(std::move(message.arrays[0].bytes));
  const size_t size = bytes->size();
  PJRT_Chunk chunk = {.data = bytes->data(),
                      .size = size,
                      .deleter = [](void*, void* owner) { delete static_cast<std::string*>(owner); },
                      .deleter_arg = bytes};
  static PJRT_CallbackError make_error = &MakeCallbackError;
  return TakeError(info.send_callback(&chunk, &make_error, size, /*done=*/true, info.user_arg));
}

Status CheckChunk(const PJRT_CopyToDeviceStream& stream, const PJRT_Chunk* chunk) {
  if (chunk == nullptr || (chunk->data == nullptr && chunk->size > 0)) return InvalidArgument("the chunk is null");
  const int64_t left = stream.total() - static_cast<int64_t>(stream.bytes.size());
  if (static_cast<int64_t>(chunk->size) <= left) return OkStatus();
  return InvalidArgument("a chunk of " + std::to_string(chunk->size) + " bytes for a stream that takes " +
                         std::to_string(left) + " more");
}

}  // namespace

bool HasHostCallbacks(const PJRT_ExecuteOptions& options) {
  return options.num_send_ops > 0 || options.num_recv_ops > 0;
}

StatusOr<std::shared_ptr<Channels>> MakeHostChannels(const PJRT_ExecuteOptions& options,
                                                     std::span<PJRT_Device* const> devices) {
  auto channels = std::make_shared<Channels>();
  for (size_t d = 0; d < devices.size(); ++d) {
    if ((options.num_send_ops > 0 && (options.send_callbacks == nullptr || options.send_callbacks[d] == nullptr)) ||
        (options.num_recv_ops > 0 && (options.recv_callbacks == nullptr || options.recv_callbacks[d] == nullptr))) {
      return InvalidArgument("the send or receive callbacks of device " + std::to_string(d) + " are null");
    }
    const int device = devices[d]->device->id();
    for (size_t i = 0; i < options.num_send_ops; ++i) {
      const PJRT_SendCallbackInfo info = options.send_callbacks[d][i];
      channels->SetTaker(Channels::Host(info.channel_id, device),
                         [info](Message message) { return Send(info, std::move(message)); });
    }
    for (size_t i = 0; i < options.num_recv_ops; ++i) {
      const PJRT_RecvCallbackInfo info = options.recv_callbacks[d][i];
      const std::string channel = Channels::Host(info.channel_id, device);
      channels->SetGiver(channel, [info, channel, weak = std::weak_ptr(channels)](std::span<const Shape> wanted) {
        info.recv_callback(new PJRT_CopyToDeviceStream(weak.lock(), channel, wanted[0]), info.user_arg);
      });
    }
  }
  return channels;
}

Status Call(PJRT_CopyToDeviceStream_AddChunk_Args* args) {
  PJRT_CopyToDeviceStream& stream = *args->stream;
  const std::unique_lock lock(stream.mutex);
  TREADLE_RETURN_IF_ERROR(CheckChunk(stream, args->chunk));
  stream.bytes.append(static_cast<const char*>(args->chunk->data), args->chunk->size);
  if (args->chunk->deleter != nullptr) args->chunk->deleter(args->chunk->data, args->chunk->deleter_arg);
  if (static_cast<int64_t>(stream.bytes.size()) == stream.total()) {
    Message message = {.arrays = {{stream.shape, stream.bytes}}};
    TREADLE_RETURN_IF_ERROR(stream.channels->Put(stream.channel, std::move(message)).status());
  }
  args->transfer_complete = NewEvent(Event());
  return OkStatus();
}

// Whoever waits for a stream that is not full hears that its message has no array.
Status Call(PJRT_CopyToDeviceStream_Destroy_Args* args) {
  const std::unique_ptr<PJRT_CopyToDeviceStream> stream(args->stream);
  if (static_cast<int64_t>(stream->bytes.size()) == stream->total()) return OkStatus();
  return stream->channels->Put(stream->channel, {}).status();
}

Status Call(PJRT_CopyToDeviceStream_TotalBytes_Args* args) {
  args->total_bytes = args->stream->total();
  return OkStatus();
}

Status Call(PJRT_CopyToDeviceStream_GranuleSize_Args* args) {
  args->granule_size_in_bytes = 1;
  return OkStatus();
}

Status Call(PJRT_CopyToDeviceStream_CurrentBytes_Args* args) {
  const std::lock_guard lock(args->stream->mutex);
  args->current_bytes = static_cast<int64_t>(args->stream->bytes.size());
  return OkStatus();
}

}  // namespace treadle::pjrt
