// Names of linked kernels for `perf report`.
#ifndef TREADLE_RUNTIME_LINK_PERF_MAP_H_
#define TREADLE_RUNTIME_LINK_PERF_MAP_H_

#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

#include <memory>

namespace treadle::link {

// Adds a line for each linked function to /tmp/perf-PID.map, where perf looks for the names of code without a file.
std::unique_ptr<llvm::orc::ObjectLinkingLayer::Plugin> MakePerfMap();

}  // namespace treadle::link

#endif  // TREADLE_RUNTIME_LINK_PERF_MAP_H_
