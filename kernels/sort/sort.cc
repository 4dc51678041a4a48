#include "kernels/sort/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/sort/sort_args.h"

namespace treadle::kernels::sort {
namespace {

constexpr int64_t kTileItems = 16 << 10;         // of rows that are sorted one after the other
constexpr int64_t kStridedLocalBytes = 4 << 20;  // rows next to each other are taken together, as far as this goes
constexpr int64_t kLineBytes = 64;
constexpr int64_t kLeastShared = 64 << 10;  // length of rows that threads share,
constexpr int64_t kManyRows = 16;           // unless there are so many
constexpr int64_t kChunkItems = 32 << 10;   // of such rows
constexpr int64_t kMaxChunks = 32;
constexpr int64_t kElementsOfGroup = 8;  // that make it worth while to look for a bound of what is selected
constexpr int64_t kLeastSelected = 128;  // length of rows that are selected from

struct FloatBits {
  uint64_t infinity, least_number;  // what is below the latter is taken for zero
};

// f16's denormals are never flushed: it is computed in f32.
FloatBits BitsOf(ElementType type, bool keeps_subnormals) {
  const auto least = [&](uint64_t normal) { return keeps_subnormals ? 1 : normal; };
  switch (type) {
    case ElementType::kF64:
      return {0x7ff0000000000000, least(0x0010000000000000)};
    case ElementType::kF32:
      return {0x7f800000, least(0x00800000)};
    case ElementType::kBF16:
      return {0x7f80, least(0x0080)};
    default:
      return {0x7c00, 1};
  }
}

KeyArgs ArgsOf(const SortKey& key, int64_t shift, bool keeps_subnormals) {
  const int bytes = ElementBytes(key.type);
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * bytes), sign = uint64_t{1} << (8 * bytes - 1);
  KeyArgs args{key.buffer, bytes, shift, 0, all, 0, 0};
  if (IsFloat(key.type)) {
    const FloatBits bits = BitsOf(key.type, keeps_subnormals);
    if (key.merges_zeros) args.zero_end = bits.least_number;
    if (key.merges_nans) args.nan_start = bits.infinity;
    args.fold = all ^ sign;
    args.flip = sign;
  } else if (IsSigned(key.type)) {
    args.flip = sign;
  }
  if (key.descending) args.flip ^= all;
  return args;
}

int64_t KeyBits(const std::vector<SortKey>& keys) {
  int64_t bits = 0;
  for (const SortKey& key : keys) bits += 8 * ElementBytes(key.type);
  return bits;
}

struct Items {
  int64_t bits;           // of the integers that are sorted: 16, 32, 64 or 128
  int64_t position_bits;  // of numbers in them
  int64_t key_bits;

  int64_t bytes() const { return bits / 8; }
};

Items ItemsOf(const SortRequest& request) {
  const int64_t key_bits = KeyBits(request.keys);
  const bool key_alone =
      request.keys.size() == 1 && request.outputs.size() == 1 && request.outputs[0].buffer == request.keys[0].buffer;
  if (key_alone) return {std::max<int64_t>(key_bits, 16), 0, key_bits};
  if (key_bits <= 16 && request.length <= int64_t{1} << 16) return {32, 16, key_bits};
  if (key_bits <= 32) return {64, 32, key_bits};
  return {128, 64, key_bits};
}

std::vector<uint64_t> Words(const SortArgs& head, const SortRequest& request) {
  std::vector<KeyArgs> keys(request.keys.size());
  int64_t shift = head.position_bits;
  for (size_t k = request.keys.size(); k-- > 0;) {
    keys[k] = ArgsOf(request.keys[k], shift, request.keeps_subnormals);
    shift += 8 * ElementBytes(request.keys[k].type);
  }
  std::vector<OutputArgs> outputs;
  for (const SortOutput& output : request.outputs) {
    const bool is_key = request.keys.size() == 1 && output.buffer == request.keys[0].buffer;
    outputs.push_back(
        {output.buffer, request.buffers + static_cast<int64_t>(outputs.size()), ElementBytes(output.type), is_key});
  }
  std::vector<uint64_t> words;
  auto append = [&](const void* from, size_t bytes) {
    words.resize(words.size() + bytes / sizeof(uint64_t));
    std::memcpy(words.data() + words.size() - bytes / sizeof(uint64_t), from, bytes);
  };
  append(&head, sizeof(head));
  append(keys.data(), keys.size() * sizeof(KeyArgs));
  append(outputs.data(), outputs.size() * sizeof(OutputArgs));
  return words;
}

// Nanoseconds, about, to sort a row's items one byte after the other.
double RadixNs(const Items& items, int64_t length, const executable::Target& target) {
  constexpr double kNsInCache = 0.8, kNsInMemory = 1.4, kNsOfCounters = 150;
  const bool in_cache = 2 * length * items.bytes() <= target.l2_bytes;
  const auto n = static_cast<double>(length);
  if (length <= kInsertionLength) return n * n / 2;
  const double passes = static_cast<double>(items.key_bits) / 8, wide = items.bits == 128 ? 2 : 1;
  return passes * (n * (in_cache ? kNsInCache : kNsInMemory) * wide + kNsOfCounters);
}

// To sort so many rows of vectors by a network.
double NetworkNs(const Items& items, int64_t length, const executable::Target& target) {
  const auto n = static_cast<double>(length);
  const double levels = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(length - 1, 1)));
  const bool has_minimum = items.bits < 64 || target.isa == executable::IsaLevel::kV4;
  const double bytes = n * target.vector_bytes();
  const double fits = bytes <= static_cast<double>(target.l1_bytes)   ? 1
                      : bytes <= static_cast<double>(target.l2_bytes) ? 1.5
                                                                      : 3;
  return n / 4 * levels * (levels + 1) / 2 * (has_minimum ? 0.6 : 1.5) * fits;
}

double MoveNs(const SortRequest& request, const Items& items) {
  double ns = 0.5 * static_cast<double>(request.keys.size());
  for (const SortOutput& output : request.outputs) {
    const bool gathers = output.buffer >= 0 && items.position_bits > 0;
    ns += gathers ? 1.5 : 0.7;
  }
  return ns * static_cast<double>(request.length);
}

SortPhase RowsPhase(const SortRequest& request, SortArgs args, const executable::Target& target) {
  const Items items = ItemsOf(request);
  args.position_bits = items.position_bits;
  args.item_bits = items.bits;
  const int64_t lanes = target.vector_bytes() / items.bytes(), rows = args.rows;
  const double radix = RadixNs(items, request.length, target) * static_cast<double>(std::min(lanes, rows));
  const bool network = items.bits < 128 && NetworkNs(items, request.length, target) < radix;
  SortPhase phase;
  double ns = 0;
  if (network) {
    args.columns = lanes;
    phase.local_bytes = request.length * target.vector_bytes();
    ns = NetworkNs(items, request.length, target) * static_cast<double>((rows + lanes - 1) / lanes);
  } else {
    const int64_t row_bytes = request.length * items.bytes();
    const int64_t most = request.inner > 1 ? std::min(kLineBytes / ElementBytes(request.keys[0].type),
                                                      std::max<int64_t>(kStridedLocalBytes / row_bytes, 1))
                                           : kTileItems / request.length;
    args.columns = std::clamp<int64_t>(std::min(most, rows), 1, kMaxColumns);
    phase.local_bytes = kCounterBytes + (args.columns + 1) * row_bytes;
    ns = RadixNs(items, request.length, target) * static_cast<double>(rows);
  }
  ns += MoveNs(request, items) * static_cast<double>(rows);
  phase.symbol = (network ? "sort_network_u" : "sort_rows_u") + std::to_string(items.bits);
  phase.tiles = (rows + args.columns - 1) / args.columns;
  phase.args = Words(args, request);
  phase.cost_ns = static_cast<int64_t>(ns);
  return phase;
}

// Few rows, each long enough for several threads.
bool SharesRows(const SortRequest& request) {
  return request.length >= kLeastShared && request.outer * request.inner < kManyRows;
}

void AddLongPhases(const SortRequest& request, SortArgs args, SortPlan& plan) {
  const Items items = ItemsOf(request);
  args.position_bits = items.position_bits;
  args.item_bits = items.bits;
  args.chunks = std::clamp<int64_t>(request.length / kChunkItems, 2, kMaxChunks);
  args.row_bytes = 2 * AlignedBytes(request.length * items.bytes()) + 2 * AlignedBytes(args.chunks * items.bytes()) +
                   AlignedBytes(args.chunks * static_cast<int64_t>(sizeof(uint64_t))) +
                   AlignedBytes(args.chunks * kBuckets * static_cast<int64_t>(sizeof(uint32_t)));
  plan.scratch_bytes = args.rows * args.row_bytes;
  const double elements = static_cast<double>(args.rows) * static_cast<double>(request.length);
  const std::vector<uint64_t> words = Words(args, request);
  auto add = [&](const char* name, int64_t tiles, int64_t local_bytes, double ns) {
    plan.phases.push_back({"sort_" + std::string(name) + "_u" + std::to_string(items.bits), words, tiles, local_bytes,
                           static_cast<int64_t>(ns * elements)});
  };
  constexpr int64_t kNumberBytes = kBuckets * sizeof(uint32_t);
  const double sort_ns = static_cast<double>(std::max<int64_t>(items.key_bits - kBucketBits, 8)) / 8;
  add("load", args.rows * args.chunks, 0, 1);
  add("count", args.rows * args.chunks, 0, 1);
  add("spread", args.rows * args.chunks, 2 * kNumberBytes, 2);
  add("sort", args.rows * args.chunks, kNumberBytes + kCounterBytes,
      sort_ns + MoveNs(request, items) / static_cast<double>(request.length));
  const bool merges = request.keys[0].merges_zeros || request.keys[0].merges_nans;
  if (merges && items.position_bits == 0) add("place", args.rows, 0, 0.1);
}

// Whether the first few of each row are so few that the others need no order.
bool Selects(const SortRequest& request) {
  return request.keys.size() == 1 && request.length >= kLeastSelected && request.take * 4 <= request.length;
}

SortPhase SelectPhase(const SortRequest& request, SortArgs args, const executable::Target& target) {
  const int64_t key_bits = KeyBits(request.keys);
  // Equal items would make selection slow, so there are numbers even where nothing else needs them.
  const Items items = key_bits <= 32 ? Items{64, 32, key_bits} : Items{128, 64, key_bits};
  const int64_t lanes = target.vector_bytes() / items.bytes();
  const double radix = RadixNs(items, args.take, target) * static_cast<double>(std::min(lanes, args.rows));
  const bool network = items.bits == 64 && NetworkNs(items, args.take, target) < radix;
  args.position_bits = items.position_bits;
  args.item_bits = items.bits;
  args.columns = network ? lanes : 1;
  args.by_network = network;
  args.candidates = 2 * args.take + 2 * kSelectChunk;
  args.groups = (2 * args.take + kSelectChunk - 1) / kSelectChunk * kSelectChunk;
  if (args.length < kElementsOfGroup * args.groups) args.groups = 0;
  SortPhase phase;
  phase.symbol = "sort_select_u" + std::to_string(items.bits);
  phase.tiles = (args.rows + args.columns - 1) / args.columns;
  phase.args = Words(args, request);
  phase.local_bytes = kCounterBytes + (2 * args.candidates + args.columns * args.take) * items.bytes();
  constexpr double kNsOfElement = 0.3, kNsOfTaken = 40;
  phase.cost_ns =
      static_cast<int64_t>(static_cast<double>(args.rows) * (kNsOfElement * static_cast<double>(args.length) +
                                                             kNsOfTaken * static_cast<double>(args.take)));
  return phase;
}

}  // namespace

bool CanSort(const std::vector<SortKey>& keys, int64_t length) {
  return !keys.empty() && KeyBits(keys) <= 64 && length < int64_t{1} << 32;
}

SortPlan PlanSort(const SortRequest& request, const executable::Target& target) {
  SortPlan plan;
  const int64_t rows = request.outer * request.inner;
  if (rows == 0 || request.take == 0 || request.outputs.empty()) return plan;
  SortArgs args{};
  args.rows = rows;
  args.length = request.length;
  args.inner = request.inner;
  args.take = request.take;
  args.keys = static_cast<int64_t>(request.keys.size());
  args.outputs = static_cast<int64_t>(request.outputs.size());
  if (Selects(request)) {
    plan.phases.push_back(SelectPhase(request, args, target));
  } else if (SharesRows(request)) {
    AddLongPhases(request, args, plan);
  } else {
    plan.phases.push_back(RowsPhase(request, args, target));
  }
  return plan;
}

}  // namespace treadle::kernels::sort
