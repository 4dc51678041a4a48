// PJRT_LoadedExecutable: a program on the devices of its assignment.
#ifndef TREADLE_PJRT_LOADED_EXECUTABLE_H_
#define TREADLE_PJRT_LOADED_EXECUTABLE_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "pjrt/client.h"
#include "pjrt/program.h"
#include "runtime/loaded_executable.h"
#include "runtime/spmd_executable.h"

// Thread-safe.
struct PJRT_LoadedExecutable {
  PJRT_Client* client;
  std::shared_ptr<const treadle::pjrt::Program> program;

  // One entry for each device of the assignment, by participant (replica * partitions + partition); empty for portable
  // programs, which are loaded where they run.
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::unique_ptr<treadle::LoadedExecutable> single;  // on devices[0], if that is the only one
  std::unique_ptr<treadle::SpmdExecutable> spmd;      // on several devices
  std::string device_assignment;                      // DeviceAssignmentProto

  std::atomic<bool> deleted{false};

  // The program, which needs one device only, on `device`. INVALID_ARGUMENT if it is not compiled for it.
  treadle::StatusOr<treadle::LoadedExecutable*> LoadedOn(PJRT_Device* device);

 private:
  std::mutex portable_mutex_;
  std::map<PJRT_Device*, std::unique_ptr<treadle::LoadedExecutable>> portable_;
};

namespace treadle::pjrt {

// Loads `program` on the devices that its options name, else on the first ones of the client.
StatusOr<std::unique_ptr<PJRT_LoadedExecutable>> Load(PJRT_Client* client, std::shared_ptr<const Program> program);

}  // namespace treadle::pjrt

#endif  // TREADLE_PJRT_LOADED_EXECUTABLE_H_
