#include "compiler/optimize/import_transfers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stablehlo/dialect/ops.h"

namespace treadle::compiler {
namespace {

// As for collective_permute, the pairs of a channel are partitions of one replica. Whoever is in none has no channel.
std::vector<std::string> ByTarget(const std::string& channel, mlir::DenseIntElementsAttr pairs, bool is_send,
                                  Participants participants) {
  std::vector<int64_t> ids;
  for (const llvm::APInt& id : pairs.getValues<llvm::APInt>()) ids.push_back(id.getSExtValue());
  std::vector<std::string> channels(participants.count());
  for (int32_t p = 0; p < participants.count(); ++p) {
    const int32_t replica = p / participants.partitions;
    for (size_t i = 0; i + 1 < ids.size(); i += 2) {
      if (ids[is_send ? i : i + 1] != p % participants.partitions) continue;
      channels[p] = channel + " to " + std::to_string(replica * participants.partitions + ids[i + 1]);
      break;
    }
  }
  return channels;
}

template <typename OpType>
graph::Transfer OfChannel(OpType op, bool is_send, Participants participants) {
  const std::string number = std::to_string(op.getChannelHandle().getHandle());
  graph::Transfer transfer;
  transfer.puts = is_send;
  const std::optional<mlir::DenseIntElementsAttr> pairs = op.getSourceTargetPairs();
  if (op.getIsHostTransfer()) {
    transfer.of_device = true;
    transfer.channels = {"host channel " + number};
  } else if (pairs && pairs->getNumElements() > 0) {
    transfer.channels = ByTarget("channel " + number, *pairs, is_send, participants);
  } else {
    transfer.channels = {"channel " + number};
  }
  return transfer;
}

}  // namespace

bool IsTransfer(mlir::Operation* op) {
  return llvm::isa<stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::SendOp, stablehlo::RecvOp>(op);
}

bool IsHostTransfer(mlir::Operation* op) {
  if (auto send = llvm::dyn_cast<stablehlo::SendOp>(op)) return send.getIsHostTransfer();
  auto recv = llvm::dyn_cast<stablehlo::RecvOp>(op);
  return recv && recv.getIsHostTransfer();
}

graph::Transfer ReadTransfer(mlir::Operation* op, Participants participants) {
  if (auto send = llvm::dyn_cast<stablehlo::SendOp>(op)) return OfChannel(send, true, participants);
  if (auto recv = llvm::dyn_cast<stablehlo::RecvOp>(op)) return OfChannel(recv, false, participants);
  graph::Transfer transfer;
  transfer.of_device = true;
  auto outfeed = llvm::dyn_cast<stablehlo::OutfeedOp>(op);
  transfer.puts = outfeed != nullptr;
  transfer.channels = {outfeed ? "outfeed" : "infeed"};
  if (outfeed) transfer.config = outfeed.getOutfeedConfig().str();
  return transfer;
}

}  // namespace treadle::compiler
