#include "runtime/global_view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/tiles.h"

namespace treadle::internal {
namespace {

// Memory that stays where it is until the end of a copy.
class Held {
 public:
  explicit Held(Memory* memory) : memory_(memory) {}
  Held(Held&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (memory_ != nullptr) memory_->Remove(Memory::Use::kRunning);
  }
  explicit operator bool() const { return memory_ != nullptr; }
  void* data() const { return memory_->data(); }

 private:
  Memory* memory_;
};

// A buffer on `device` that `write(address)` fills when `after` is ready; at once where it is. `write` holds what it
// reads.
template <typename Write>
StatusOr<std::unique_ptr<Buffer>> Fill(Device* device, const Shape& shape, const Event& after, Write write) {
  if (after.ready()) {
    if (!after.ok()) return Buffer::Failed(device, shape, after.status());
    TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, Buffer::Allocate(device, shape));
    write(buffer->data());
    return buffer;
  }
  struct Later {
    Write write;
    Promise promise;
  };
  auto later = std::make_shared<Later>(std::move(write), Promise());
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, Buffer::Pending(device, shape, later->promise.event()));
  auto target = std::make_shared<Held>(buffer->Acquire());
  after.OnReady([later, target](const Status& status) mutable {
    if (status.ok()) later->write(target->data());
    target.reset();  // before anybody hears of it: whoever is told may want to take the memory
    later->promise.Set(status);
  });
  return buffer;
}

}  // namespace

StatusOr<std::shared_ptr<GlobalView>> GlobalView::Load(std::shared_ptr<const executable::Executable> executable,
                                                       Client* client, std::span<Device* const> devices) {
  for (const Device* device : devices) {
    if (!device->host_accessible()) {
      return Unimplemented("sharded programs on devices whose memory the host does not see: " + executable->name);
    }
  }
  TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<LoadedExecutable> program,
                           LoadedExecutable::Load(std::move(executable), devices.front()));
  return std::shared_ptr<GlobalView>(new GlobalView(std::move(program), client, devices));
}

GlobalView::GlobalView(std::unique_ptr<LoadedExecutable> program, Client* client, std::span<Device* const> devices)
    : program_(std::move(program)), client_(client), devices_(devices.begin(), devices.end()) {
  for (const executable::Parameter& parameter : executable().parameters) {
    argument_tiles_.push_back(executable().HeldShape(parameter));
  }
  for (const executable::Result& result : executable().results) {
    result_tiles_.push_back(executable().HeldShape(result));
    result_tile_of_.push_back(result.sharding.TileOfParticipant(static_cast<int64_t>(devices_.size())));
  }
}

Status GlobalView::CheckArguments(std::span<const std::span<Buffer* const>> arguments) const {
  for (size_t d = 0; d < devices_.size(); ++d) {
    for (size_t i = 0; i < argument_tiles_.size(); ++i) {
      const Buffer* argument = arguments[d][i];
      const std::string what = "argument " + std::to_string(i) + " of " + executable().name;
      if (argument == nullptr) return InvalidArgument(what + " is null");
      if (!(argument->shape() == argument_tiles_[i]) || &argument->device() != devices_[d]) {
        return InvalidArgument(what + ": expected " + argument_tiles_[i].ToString() + " on device " +
                               std::to_string(devices_[d]->id()) + ", got " + argument->shape().ToString() +
                               " on device " + std::to_string(argument->device().id()));
      }
      if (argument->deleted()) return InvalidArgument(what + " has been deleted or donated");
    }
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<Buffer>> GlobalView::Join(size_t parameter,
                                                   std::span<const std::span<Buffer* const>> arguments) const {
  const executable::Parameter& whole = executable().parameters[parameter];
  const Sharding& sharding = whole.sharding;
  std::vector<Held> tiles;
  std::vector<Event> events;
  for (int64_t tile = 0; tile < sharding.num_tiles(); ++tile) {
    const Buffer* holder = arguments[sharding.holders[tile * sharding.copies()]][parameter];
    tiles.emplace_back(holder->Acquire());
    if (!tiles.back()) return InvalidArgument("argument " + std::to_string(parameter) + " has been deleted or donated");
    if (!holder->ready().ok()) events.push_back(holder->ready());
  }
  auto write = [self = shared_from_this(), &whole, parameter, tiles = std::move(tiles)](void* array) {
    for (size_t tile = 0; tile < tiles.size(); ++tile) {
      const std::vector<int64_t> offset = whole.sharding.TileOffset(whole.shape, static_cast<int64_t>(tile));
      CopyFromTile(self->client_->pool(), {whole.shape, self->argument_tiles_[parameter], offset}, tiles[tile].data(),
                   array);
    }
  };
  return Fill(devices_.front(), whole.shape, Event::All(events), std::move(write));
}

StatusOr<std::unique_ptr<Buffer>> GlobalView::CutOne(size_t result, const Buffer& whole, size_t participant) const {
  if (executable().results[result].sharding.whole()) return whole.ShareWith(devices_[participant]);
  auto write = [self = shared_from_this(), result, participant, source = Held(whole.Acquire())](void* tile) {
    const executable::Result& whole = self->executable().results[result];
    const std::vector<int64_t> offset =
        whole.sharding.TileOffset(whole.shape, self->result_tile_of_[result][participant]);
    CopyIntoTile(self->client_->pool(), {whole.shape, self->result_tiles_[result], offset}, source.data(), tile);
  };
  return Fill(devices_[participant], result_tiles_[result], whole.ready(), std::move(write));
}

Status GlobalView::Cut(size_t result, std::unique_ptr<Buffer> whole,
                       std::span<const std::span<std::unique_ptr<Buffer>>> results) const {
  const bool shared = executable().results[result].sharding.whole();
  for (size_t d = shared ? 1 : 0; d < devices_.size(); ++d) {
    TREADLE_ASSIGN_OR_RETURN(results[d][result], CutOne(result, *whole, d));
  }
  if (shared) results[0][result] = std::move(whole);
  return OkStatus();
}

Status GlobalView::Execute(std::span<const std::span<Buffer* const>> arguments, const ExecuteOptions& options,
                           std::span<const std::span<std::unique_ptr<Buffer>>> results, std::span<Event> done) {
  TREADLE_RETURN_IF_ERROR(CheckArguments(arguments));
  const auto& parameters = executable().parameters;
  std::vector<std::unique_ptr<Buffer>> joined;
  std::vector<Buffer*> whole_arguments;
  for (size_t i = 0; i < parameters.size(); ++i) {
    whole_arguments.push_back(arguments[0][i]);
    if (parameters[i].sharding.whole()) continue;
    TREADLE_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> whole, Join(i, arguments));
    whole_arguments.back() = whole.get();
    joined.push_back(std::move(whole));
  }
  std::vector<std::unique_ptr<Buffer>> whole_results(program_->num_results());
  Event all_done;
  TREADLE_RETURN_IF_ERROR(program_->Execute(whole_arguments, options, whole_results, &all_done));
  for (size_t i = 0; i < whole_results.size(); ++i) {
    TREADLE_RETURN_IF_ERROR(Cut(i, std::move(whole_results[i]), results));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool kept = std::find(options.non_donatable.begin(), options.non_donatable.end(), static_cast<int64_t>(i)) !=
                      options.non_donatable.end();
    if (!parameters[i].donated || kept) continue;
    for (const auto& list : arguments) list[i]->Delete();
  }
  for (size_t d = 0; d < devices_.size(); ++d) {
    std::vector<Event> events;
    if (!all_done.ok()) events.push_back(all_done);
    for (const std::unique_ptr<Buffer>& result : results[d]) {
      if (!result->ready().ok()) events.push_back(result->ready());
    }
    done[d] = Event::All(events);
  }
  return OkStatus();
}

}  // namespace treadle::internal
