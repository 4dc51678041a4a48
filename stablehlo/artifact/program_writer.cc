#include "stablehlo/artifact/program_writer.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "stablehlo/artifact/container.h"
#include "stablehlo/artifact/op_values.h"

namespace treadle::stablehlo {
namespace {

using ::llvm::StringRef;
using ::mlir::Operation;
using ::mlir::Value;

namespace mask = ::mlir::bytecode::OpEncodingMask;

// Artifacts of this version are the first that may hold other dialects.
constexpr ArtifactVersion kFirstMixed = {1, 11, 0};

bool IsVhlo(Operation* op) { return !VhloBaseName(op).empty(); }
Form FormOf(Operation* op) { return IsVhlo(op) ? Form::kVhlo : Form::kOwn; }

// How the operation that defines a value, or whose region has it as an argument, knows its type.
Form FormOf(Value value) {
  Operation* owner = value.getDefiningOp();
  return FormOf(owner != nullptr ? owner : value.getParentBlock()->getParentOp());
}

Form Other(Form form) { return form == Form::kVhlo ? Form::kOwn : Form::kVhlo; }

bool NeedsCast(Value value) {
  const Form form = FormOf(value);
  return HasVhloForm(value.getType()) &&
         llvm::any_of(value.getUsers(), [&](Operation* user) { return FormOf(user) != form; });
}

uint64_t CountCasts(mlir::Block& block) {
  uint64_t count = llvm::count_if(block.getArguments(), NeedsCast);
  for (Operation& op : block) count += llvm::count_if(op.getResults(), NeedsCast);
  return count;
}

}  // namespace

std::string ProgramWriter::Write(mlir::ModuleOp module) {
  ByteWriter out;
  out.WriteVarIntWithFlag(1, /*flag=*/false);
  WriteOperation(module, out);
  return out.Take();
}

void ProgramWriter::WriteRegion(mlir::Region& region, ByteWriter& out) {
  if (region.empty()) return out.WriteVarInt(0);
  if (!region.hasOneBlock()) {
    return numbers_.Fail(region.getParentOp(), "a region of several blocks has no portable form");
  }
  out.WriteVarInt(1);
  const uint64_t before = next_value_;
  out.WriteVarInt(NumberValues(region.front()));
  WriteBlock(region.front(), out);
  next_value_ = before;
}

void ProgramWriter::WriteBlock(mlir::Block& block, ByteWriter& out) {
  out.WriteVarIntWithFlag(block.getOperations().size() + CountCasts(block), block.getNumArguments() > 0);
  if (block.getNumArguments() > 0) WriteBlockArguments(block, out);
  for (const Value argument : block.getArguments()) {
    if (NeedsCast(argument)) WriteCast(argument, out);
  }
  for (Operation& op : block) {
    WriteOperation(&op, out);
    for (const Value result : op.getResults()) {
      if (NeedsCast(result)) WriteCast(result, out);
    }
  }
}

void ProgramWriter::WriteBlockArguments(mlir::Block& block, ByteWriter& out) {
  Operation* owner = block.getParentOp();
  out.WriteVarInt(block.getNumArguments());
  for (const mlir::BlockArgument argument : block.getArguments()) {
    const uint64_t type = numbers_.TypeNumber(argument.getType(), FormOf(owner), owner);
    const bool has_location =
        numbers_.bytecode_version() < kElidedLocations || !mlir::isa<mlir::UnknownLoc>(argument.getLoc());
    if (numbers_.bytecode_version() >= kElidedLocations) {
      out.WriteVarIntWithFlag(type, has_location);
    } else {
      out.WriteVarInt(type);
    }
    if (has_location) WriteLocation(argument.getLoc(), owner, out);
  }
  if (numbers_.bytecode_version() >= kUseListOrders) out.WriteByte(0);  // none
}

void ProgramWriter::WriteOperation(Operation* op, ByteWriter& out) {
  const Form form = FormOf(op);
  ByteWriter rest;
  uint8_t what = 0;
  WriteLocation(op->getLoc(), op, rest);
  uint64_t name = 0;
  if (form == Form::kVhlo) {
    const OpRule* rule = ChooseOpRule(op, numbers_);
    if (rule == nullptr) return;  // reported
    name = numbers_.OpNameNumber("vhlo", StringRef(rule->name.data(), rule->name.size()));
    WriteVhloAttributes(op, *rule, rest, what);
  } else {
    CheckForeign(op);
    name = numbers_.OpNameNumber(op->getName().getDialectNamespace(), op->getName().stripDialect());
    WriteForeignAttributes(op, rest, what);
  }
  if (op->getNumResults() > 0) {
    what |= mask::kHasResults;
    rest.WriteVarInt(op->getNumResults());
    for (const mlir::Type type : op->getResultTypes()) rest.WriteVarInt(numbers_.TypeNumber(type, form, op));
  }
  if (op->getNumOperands() > 0) {
    what |= mask::kHasOperands;
    rest.WriteVarInt(op->getNumOperands());
    for (const Value operand : op->getOperands()) rest.WriteVarInt(NumberOf(operand, form));
  }
  if (op->getNumSuccessors() > 0) return numbers_.Fail(op, "a branch between blocks has no portable form");
  if (op->getNumRegions() > 0) {
    what |= mask::kHasInlineRegions;
    WriteRegions(op, rest);
  }
  out.WriteVarInt(name);
  out.WriteByte(what);
  out.WriteBytes(rest.bytes());
}

// Before properties of their own, operations have all attributes in one dictionary.
void ProgramWriter::WriteVhloAttributes(Operation* op, const OpRule& rule, ByteWriter& out, uint8_t& what) {
  const OpValues values = GetOpValues(op, rule, numbers_);
  const bool has_properties = numbers_.bytecode_version() >= kNativeProperties;
  ByteWriter properties;
  llvm::SmallVector<std::pair<mlir::StringAttr, uint64_t>> dictionary;
  for (const auto [row, value] : llvm::zip_equal(rule.attributes, values.values)) {
    if (!value) continue;  // reported
    const Form form = row.rule == AttributeRule::kDropOriginal ? Form::kApiVersion : Form::kVhlo;
    const uint64_t number = numbers_.AttributeNumber(value, form, op);
    properties.WriteVarInt(number);
    if (has_properties) continue;
    dictionary.emplace_back(mlir::StringAttr::get(op->getContext(), StringRef(row.name.data(), row.name.size())),
                            number);
  }
  for (const mlir::NamedAttribute attribute : values.rest) {
    dictionary.emplace_back(attribute.getName(), numbers_.AttributeNumber(attribute.getValue(), Form::kVhlo, op));
  }
  llvm::sort(dictionary, [](const auto& a, const auto& b) { return a.first.getValue() < b.first.getValue(); });
  const auto twice = std::ranges::adjacent_find(dictionary, {}, [](const auto& entry) { return entry.first; });
  if (twice != dictionary.end()) {
    numbers_.Fail(op, "attribute '" + twice->first.getValue() + "' has the name of one that the format needs");
  }
  if (!dictionary.empty()) {
    what |= mask::kHasAttrs;
    out.WriteVarInt(numbers_.DictionaryNumber(dictionary, op));
  }
  if (has_properties && !rule.attributes.empty()) {
    what |= mask::kHasProperties;
    out.WriteVarInt(numbers_.PropertiesNumber(properties.Take()));
  }
}

void ProgramWriter::WriteForeignAttributes(Operation* op, ByteWriter& out, uint8_t& what) {
  const bool has_properties = numbers_.bytecode_version() >= kNativeProperties && op->getPropertiesStorageSize() > 0;
  const mlir::DictionaryAttr attributes = has_properties ? op->getDiscardableAttrDictionary() : op->getAttrDictionary();
  if (!attributes.empty()) {
    what |= mask::kHasAttrs;
    out.WriteVarInt(numbers_.AttributeNumber(attributes, Form::kOwn, op));
  }
  if (!has_properties) return;
  auto interface = mlir::dyn_cast<mlir::BytecodeOpInterface>(op);
  if (!interface) return numbers_.Fail(op, "the operation has properties that cannot be written");
  EntryWriter properties(numbers_, Form::kOwn, op);
  interface.writeProperties(properties);
  what |= mask::kHasProperties;
  out.WriteVarInt(numbers_.PropertiesNumber(properties.Take()));
}

// Regions that see nothing from outside have numbers of their own, and since lazy reading a section of their own.
void ProgramWriter::WriteRegions(Operation* op, ByteWriter& out) {
  const bool is_isolated = !IsVhlo(op) && op->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>();
  out.WriteVarIntWithFlag(op->getNumRegions(), is_isolated);
  const uint64_t before = next_value_;
  if (is_isolated) next_value_ = 0;
  ByteWriter section;
  const bool is_section = is_isolated && numbers_.bytecode_version() >= kLazyRegions;
  for (mlir::Region& region : op->getRegions()) WriteRegion(region, is_section ? section : out);
  if (is_section) {
    out.WriteByte(kIrSection);
    out.WriteBlob(section.bytes());
  }
  next_value_ = before;
}

void ProgramWriter::WriteCast(Value value, ByteWriter& out) {
  Operation* owner = value.getDefiningOp();
  if (owner == nullptr) owner = value.getParentBlock()->getParentOp();
  const Form form = FormOf(value);
  out.WriteVarInt(numbers_.OpNameNumber("builtin", "unrealized_conversion_cast"));
  out.WriteByte(mask::kHasResults | mask::kHasOperands);
  WriteLocation(value.getLoc(), owner, out);
  out.WriteVarInt(1);
  out.WriteVarInt(numbers_.TypeNumber(value.getType(), Other(form), owner));
  out.WriteVarInt(1);
  out.WriteVarInt(NumberOf(value, form));
}

void ProgramWriter::WriteLocation(mlir::Location location, Operation* user, ByteWriter& out) {
  out.WriteVarInt(numbers_.AttributeNumber(mlir::LocationAttr(location), Form::kOwn, user));
}

void ProgramWriter::CheckForeign(Operation* op) {
  if (mlir::isa<mlir::ModuleOp>(op)) return;
  if (!numbers_.options().allow_other_dialects) {
    return numbers_.Fail(op,
                         "operations of other dialects than stablehlo and func are not portable; they are written "
                         "where other dialects are allowed, without the promise that others can read them");
  }
  if (numbers_.options().target < kFirstMixed)
    numbers_.FailAsTooNew(op, "an operation of another dialect", kFirstMixed);
}

uint64_t ProgramWriter::NumberValues(mlir::Block& block) {
  const uint64_t before = next_value_;
  for (const Value argument : block.getArguments()) NumberValue(argument, FormOf(argument));
  for (const Value argument : block.getArguments()) {
    if (NeedsCast(argument)) NumberValue(argument, Other(FormOf(argument)));
  }
  for (Operation& op : block) {
    for (const Value result : op.getResults()) NumberValue(result, FormOf(&op));
    for (const Value result : op.getResults()) {
      if (NeedsCast(result)) NumberValue(result, Other(FormOf(&op)));
    }
  }
  return next_value_ - before;
}

void ProgramWriter::NumberValue(Value value, Form form) { values_[value][static_cast<size_t>(form)] = next_value_++; }

uint64_t ProgramWriter::NumberOf(Value value, Form form) const {
  // Types without a form in vhlo are the same for everybody.
  const Form known = HasVhloForm(value.getType()) ? form : FormOf(value);
  return values_.lookup(value)[static_cast<size_t>(known)];
}

}  // namespace treadle::stablehlo
