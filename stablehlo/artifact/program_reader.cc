#include "stablehlo/artifact/program_reader.h"

#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "stablehlo/artifact/op_attributes.h"
#include "stablehlo/read.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::StringRef;
using ::mlir::Attribute;
using ::mlir::failed;
using ::mlir::Location;
using ::mlir::Operation;
using ::mlir::Type;
using ::mlir::Value;

namespace mask = ::mlir::bytecode::OpEncodingMask;

// "gather_v2" -> "gather".
StringRef WithoutVersion(StringRef name) { return name.take_front(name.rfind("_v")); }

// Attributes of arguments or results, of which a function has none at all where all are empty.
void DropEmptyDictionaries(mlir::NamedAttrList& attributes, StringRef name) {
  const auto array = mlir::dyn_cast_or_null<mlir::ArrayAttr>(attributes.get(name));
  if (array && llvm::all_of(array, [](Attribute a) {
        const auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(a);
        return dictionary && dictionary.empty();
      })) {
    attributes.erase(name);
  }
}

}  // namespace

ProgramReader::ProgramReader(EntryTable& entries, const uint8_t* start)
    : entries_(entries), container_(entries.container()), start_(start), infos_(container_.op_names.size()) {}

mlir::OwningOpRef<Operation*> ProgramReader::Read() {
  ByteReader& reader = readers_.emplace_back(container_.ir);
  uint64_t num_ops;
  bool has_arguments;
  if (!reader.ReadVarIntWithFlag(num_ops, has_arguments)) return CutOff(), nullptr;
  if (num_ops != 1 || has_arguments) return Fail("the top level is not one operation"), nullptr;
  values_.emplace_back();
  if (!ReadOperation(reader, nullptr)) return nullptr;
  while (!frames_.empty()) {
    if (!Step()) return nullptr;
  }
  if (!reader.empty()) return Fail("bytes left over after the program"), nullptr;
  return std::move(root_);
}

bool ProgramReader::Step() {
  Frame& frame = frames_.back();
  if (frame.ops_left > 0) {
    --frame.ops_left;
    return ReadOperation(*frame.reader, frame.block);
  }
  if (frame.block != nullptr) {
    values_.back().resize(frame.base);
    frame.block = nullptr;
  }
  if (frame.next_region < frame.op->getNumRegions()) return OpenRegion(frame);
  if (frame.owns_reader) {
    if (!frame.reader->empty()) return Fail("bytes left over after a region");
    readers_.pop_back();
  }
  if (frame.is_isolated) values_.pop_back();
  frames_.pop_back();
  return true;
}

bool ProgramReader::OpenRegion(Frame& frame) {
  ByteReader& reader = *frame.reader;
  mlir::Region& region = frame.op->getRegion(frame.next_region++);
  uint64_t num_blocks;
  if (!reader.ReadVarInt(num_blocks)) return CutOff();
  if (num_blocks == 0) return true;
  if (num_blocks != 1) return Fail(frame.op->getLoc(), "a region of several blocks, which StableHLO does not have");
  uint64_t num_values;
  uint64_t num_ops;
  bool has_arguments;
  if (!reader.ReadCount(num_values) || !reader.ReadVarIntWithFlag(num_ops, has_arguments)) return CutOff();
  frame.block = new mlir::Block;
  region.push_back(frame.block);
  frame.ops_left = num_ops;
  frame.base = frame.next_value = values_.back().size();
  values_.back().resize(frame.base + num_values);
  return !has_arguments || ReadBlockArguments(reader, *frame.block);
}

bool ProgramReader::ReadBlockArguments(ByteReader& reader, mlir::Block& block) {
  uint64_t count;
  if (!reader.ReadCount(count)) return CutOff();
  for (uint64_t i = 0; i < count; ++i) {
    Type type;
    mlir::LocationAttr location = mlir::UnknownLoc::get(entries_.context());
    bool has_location = true;
    if (container_.version >= kElidedLocations) {
      uint64_t index;
      if (!reader.ReadVarIntWithFlag(index, has_location)) return CutOff();
      type = entries_.GetType(index);
    } else {
      type = ReadType(reader);
    }
    if (!type) return false;
    if (has_location && !(location = ReadLocation(reader))) return false;
    if (!Define(block.addArgument(type, location))) return false;
  }
  if (container_.version < kUseListOrders) return true;
  uint8_t has_orders;
  if (!reader.ReadByte(has_orders)) return CutOff();
  return has_orders == 0 || SkipUseListOrders(reader, count);
}

// In which order the uses of a value are listed means nothing; it is not restored.
bool ProgramReader::SkipUseListOrders(ByteReader& reader, uint64_t num_values) {
  uint64_t num_orders = 1;
  if (num_values > 1 && !reader.ReadCount(num_orders)) return CutOff();
  for (uint64_t i = 0; i < num_orders; ++i) {
    uint64_t number;
    uint64_t count;
    bool is_pairs;
    if ((num_values > 1 && !reader.ReadVarInt(number)) || !reader.ReadVarIntWithFlag(count, is_pairs)) return CutOff();
    for (uint64_t j = 0; j < count; ++j) {
      if (!reader.ReadVarInt(number)) return CutOff();
    }
  }
  return true;
}

bool ProgramReader::ReadOperation(ByteReader& reader, mlir::Block* block) {
  Parts parts;
  Location location = entries_.location();
  if (!ReadParts(reader, location, parts)) return false;
  if (parts.info->kind == OpInfo::Kind::kCast) return AddCast(parts, location);

  mlir::OperationName name = *parts.info->target;
  if (parts.info->kind == OpInfo::Kind::kReturn && !frames_.empty() &&
      mlir::isa<mlir::func::FuncOp>(frames_.back().op)) {
    name = mlir::OperationName(mlir::func::ReturnOp::getOperationName(), entries_.context());
  }
  mlir::OperationState state(location, name);
  state.addTypes(parts.results);
  state.addOperands(parts.operands);
  for (uint64_t i = 0; i < parts.num_regions; ++i) state.addRegion();
  if (!(parts.info->rule != nullptr ? AddVhloAttributes(parts, state) : AddForeignAttributes(parts, state))) {
    return false;
  }
  Operation* op = Operation::create(state);
  if (block != nullptr) {
    block->push_back(op);
  } else {
    root_ = op;
  }
  for (const Value result : op->getResults()) {
    if (!Define(result)) return false;
  }
  return parts.num_regions == 0 || EnterRegions(reader, op, parts);
}

bool ProgramReader::ReadParts(ByteReader& reader, Location& location, Parts& parts) {
  uint64_t name;
  uint8_t what;
  if (!reader.ReadVarInt(name) || !reader.ReadByte(what)) return CutOff();
  if (name >= container_.op_names.size()) return Fail("no operation name number " + mlir::Twine(name));
  const mlir::LocationAttr where = ReadLocation(reader);
  if (!where) return false;
  location = where;
  parts.name = &container_.op_names[name];
  parts.info = Resolve(*parts.name, infos_[name], location);
  if (parts.info == nullptr) return false;
  if (what & mask::kHasAttrs) {
    uint64_t index;
    if (!reader.ReadVarInt(index)) return CutOff();
    const Attribute attributes = entries_.GetAttribute(index);
    if (!attributes) return false;
    parts.attributes = mlir::dyn_cast<mlir::DictionaryAttr>(attributes);
    if (!parts.attributes) return Fail(location, "the attributes of an operation are not a dictionary");
  }
  if (what & mask::kHasProperties && !reader.ReadVarInt(parts.properties.emplace())) return CutOff();
  if (what & mask::kHasResults) {
    uint64_t count;
    if (!reader.ReadCount(count)) return CutOff();
    for (uint64_t i = 0; i < count; ++i) {
      parts.results.push_back(ReadType(reader));
      if (!parts.results.back()) return false;
    }
  }
  if (what & mask::kHasOperands && !ReadOperands(reader, parts)) return false;
  if (what & mask::kHasSuccessors) return Fail(location, "a branch between blocks, which StableHLO does not have");
  if (what & mask::kHasUseListOrders && !SkipUseListOrders(reader, parts.results.size())) return false;
  if (what & mask::kHasInlineRegions) {
    if (!reader.ReadVarIntWithFlag(parts.num_regions, parts.is_isolated)) return CutOff();
    if (parts.num_regions > reader.remaining()) return CutOff();
  }
  return true;
}

bool ProgramReader::ReadOperands(ByteReader& reader, Parts& parts) {
  uint64_t count;
  if (!reader.ReadCount(count)) return CutOff();
  const std::vector<Value>& values = values_.back();
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t number;
    if (!reader.ReadVarInt(number)) return CutOff();
    if (number >= values.size() || !values[number]) return Fail("a value is used before it is defined");
    parts.operands.push_back(values[number]);
  }
  return true;
}

bool ProgramReader::EnterRegions(ByteReader& reader, Operation* op, const Parts& parts) {
  if (frames_.size() == kMaxNesting)
    return Fail(op->getLoc(), "regions are nested deeper than " + mlir::Twine(kMaxNesting));
  Frame frame = {.op = op, .reader = &reader, .owns_reader = false, .is_isolated = parts.is_isolated};
  if (parts.is_isolated) {
    values_.emplace_back();
    if (container_.version >= kLazyRegions) {
      uint8_t id;
      llvm::ArrayRef<uint8_t> section;
      if (!ReadSection(reader, start_, id, section) || id != kIrSection) return CutOff();
      frame.reader = &readers_.emplace_back(section);
      frame.owns_reader = true;
    }
  }
  frames_.push_back(frame);
  return true;
}

ProgramReader::OpInfo* ProgramReader::Resolve(const Container::OpName& name, OpInfo& info, Location location) {
  using Kind = OpInfo::Kind;
  if (info.kind != Kind::kUnresolved) return &info;
  mlir::MLIRContext* context = entries_.context();
  const StringRef dialect = container_.dialects[name.dialect];
  const std::string full = (dialect + "." + name.name).str();
  std::string target = full;
  if (dialect == "vhlo") {
    info.rule = FindOpRule(std::string_view(name.name.data(), name.name.size()));
    if (info.rule == nullptr) {
      return Fail(location, "unknown operation '" + full +
                                "': it may be newer than this reader, which knows StableHLO up to 1.20"),
             nullptr;
    }
    const StringRef base = WithoutVersion(name.name);
    target = ((base == "func" || base == "call" ? "func." : "stablehlo.") + base).str();
  } else if (context->getOrLoadDialect(dialect) == nullptr) {
    return Fail(location, "unknown operation '" + full + "': its dialect is not known"), nullptr;
  }
  info.target = mlir::OperationName(target, context);
  if (!info.target->isRegistered()) return Fail(location, "unknown operation '" + target + "'"), nullptr;
  info.kind = target == "func.func"                            ? Kind::kFunction
              : target == "stablehlo.return"                   ? Kind::kReturn
              : target == "builtin.unrealized_conversion_cast" ? Kind::kCast
              : info.rule != nullptr                           ? Kind::kStablehlo
                                                               : Kind::kForeign;
  return &info;
}

// Versions of the bytecode before native properties have all attributes in the one dictionary of the operation.
bool ProgramReader::AddVhloAttributes(const Parts& parts, mlir::OperationState& state) {
  const OpRule& rule = *parts.info->rule;
  mlir::DictionaryAttr inherent = parts.attributes;
  llvm::SmallVector<Attribute, 16> values(rule.attributes.size());
  if (parts.properties && parts.name->registered) {
    if (*parts.properties >= container_.properties.size()) return Fail(state.location, "no properties of that number");
    EntryReader reader(entries_, container_.properties[*parts.properties], /*top_level=*/true);
    for (Attribute& value : values) {
      if (failed(reader.readAttribute(value))) return false;
    }
    if (!reader.empty())
      return Fail(state.location, "operation 'vhlo." + parts.name->name + "' has more properties than are known");
    inherent = {};
  } else if (parts.properties) {
    const Attribute properties = entries_.GetAttribute(*parts.properties);
    if (!properties) return false;
    inherent = mlir::dyn_cast<mlir::DictionaryAttr>(properties);
  }
  for (auto [row, value] : llvm::zip_equal(rule.attributes, values)) {
    if (!value && inherent) value = inherent.get(StringRef(row.name));
    if (!value) {
      return Fail(state.location,
                  "operation 'vhlo." + parts.name->name + "' lacks its attribute '" + StringRef(row.name) + "'");
    }
  }
  if (failed(ConvertOpAttributes(rule, values, state.location, state.attributes))) return false;
  if (parts.info->kind == OpInfo::Kind::kFunction) {
    const auto type = mlir::dyn_cast<mlir::TypeAttr>(state.attributes.get("function_type"));
    if (!type || !mlir::isa<mlir::FunctionType>(type.getValue())) {
      return Fail(state.location, "the type of a function is something else");
    }
    DropEmptyDictionaries(state.attributes, "arg_attrs");
    DropEmptyDictionaries(state.attributes, "res_attrs");
  }
  if (!parts.attributes) return true;
  for (const mlir::NamedAttribute attribute : parts.attributes) {
    const bool is_inherent =
        inherent == parts.attributes && llvm::any_of(rule.attributes, [&](const AttributeRow& row) {
          return StringRef(row.name) == attribute.getName();
        });
    if (!is_inherent && !state.attributes.get(attribute.getName())) state.attributes.push_back(attribute);
  }
  return true;
}

bool ProgramReader::AddForeignAttributes(const Parts& parts, mlir::OperationState& state) {
  if (parts.attributes) state.addAttributes(parts.attributes.getValue());
  if (!parts.properties) return true;
  if (!parts.name->registered) {  // written by a tool that did not know the operation: as a dictionary
    const auto properties = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(entries_.GetAttribute(*parts.properties));
    if (!properties)
      return Fail(state.location, "the properties of '" + state.name.getStringRef() + "' are not a dictionary");
    for (const mlir::NamedAttribute attribute : properties)
      state.attributes.set(attribute.getName(), attribute.getValue());
    return true;
  }
  if (*parts.properties >= container_.properties.size()) return Fail(state.location, "no properties of that number");
  const auto* interface = state.name.getInterface<mlir::BytecodeOpInterface>();
  if (interface == nullptr)
    return Fail(state.location, "operation '" + state.name.getStringRef() + "' cannot have properties");
  EntryReader reader(entries_, container_.properties[*parts.properties], /*top_level=*/true);
  if (failed(interface->readProperties(reader, state))) return false;
  return reader.empty() ||
         Fail(state.location, "operation '" + state.name.getStringRef() + "' has more properties than are known");
}

// Casts stand between vhlo and other dialects. Their types are the same ones here, so that nothing is left of them.
bool ProgramReader::AddCast(const Parts& parts, Location location) {
  if (parts.results != llvm::to_vector(mlir::ValueRange(parts.operands).getTypes()) || parts.num_regions != 0) {
    return Fail(location, "a conversion between types of different dialects that are not the same");
  }
  return llvm::all_of(parts.operands, [&](Value value) { return Define(value); });
}

bool ProgramReader::Define(Value value) {
  // Results of the top-level operation have no numbers.
  if (frames_.empty()) return true;
  Frame& frame = frames_.back();
  if (frame.next_value >= values_.back().size()) return Fail("a region defines more values than it says");
  values_.back()[frame.next_value++] = value;
  return true;
}

mlir::LocationAttr ProgramReader::ReadLocation(ByteReader& reader) {
  uint64_t index;
  if (!reader.ReadVarInt(index)) return CutOff(), nullptr;
  const Attribute attribute = entries_.GetAttribute(index);
  const auto location = mlir::dyn_cast_or_null<mlir::LocationAttr>(attribute);
  if (attribute && !location) Fail("a location is something else");
  return location;
}

Type ProgramReader::ReadType(ByteReader& reader) {
  uint64_t index;
  if (!reader.ReadVarInt(index)) return CutOff(), nullptr;
  return entries_.GetType(index);
}

bool ProgramReader::Fail(const mlir::Twine& message) { return entries_.EmitError() << message, false; }

bool ProgramReader::Fail(Location location, const mlir::Twine& message) {
  mlir::emitError(location) << "cannot read artifact of " << container_.producer << ": " << message;
  return false;
}

}  // namespace treadle::stablehlo
