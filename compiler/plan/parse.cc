#include "compiler/plan/parse.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/plan/builder.h"
#include "compiler/plan/print.h"
#include "compiler/plan/verify.h"

namespace treadle::plan {
namespace {

// Functions that return bool report their error once, in status_, and return false.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), builder_("") {}

  StatusOr<Plan> Run() {
    std::string name;
    if (Keyword("plan") && !Quoted(name)) return status_;
    builder_ = Builder(name);
    if (!Header()) return status_;
    while (Keyword("phase")) {
      Id tile = builder_.BeginPhase();
      if (!Names({&tile, 1}) || !BlockBody(/*in_phase=*/true)) return status_;
      builder_.EndPhase();
    }
    SkipLines();
    if (at_ < text_.size()) {
      Fail("expected a phase");
      return status_;
    }
    Plan plan = builder_.Finish();
    TREADLE_RETURN_IF_ERROR(Verify(plan));
    return plan;
  }

 private:
  bool Fail(std::string what) {
    if (!status_.ok()) return false;
    size_t line = 1 + std::count(text_.begin(), text_.begin() + at_, '\n');
    size_t start = text_.rfind('\n', at_ == 0 ? 0 : at_ - 1);
    size_t column = at_ - (start == std::string_view::npos ? 0 : start + 1) + 1;
    status_ =
        InvalidArgument("plan text, line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
    return false;
  }

  // Characters and words.
  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void SkipLines() {
    for (;;) {
      SkipSpaces();
      if (at_ >= text_.size()) return;
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  char Peek() {
    SkipSpaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool Take(std::string_view token) {
    SkipSpaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  bool Expect(std::string_view token) { return Take(token) || Fail("expected '" + std::string(token) + "'"); }

  static bool InWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view PeekWord() {
    SkipSpaces();
    size_t end = at_;
    while (end < text_.size() && InWord(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  std::string_view Word() {
    std::string_view word = PeekWord();
    at_ += word.size();
    return word;
  }

  bool Keyword(std::string_view word) {
    SkipLines();
    if (PeekWord() != word) return false;
    at_ += word.size();
    return true;
  }

  bool WordHere(std::string_view word) { return PeekWord() == word && Take(word); }

  bool Quoted(std::string& out) {
    if (!Expect("\"")) return false;
    size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return Fail("expected a closing quote");
    out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  template <class T>
  bool Number(T& out, int base = 10) {
    SkipSpaces();
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out, base);
    if (error != std::errc()) return Fail("expected a number");
    at_ = end - text_.data();
    return true;
  }

  bool Type(ElementType& out) {
    std::optional<ElementType> type = ParseElementType(PeekWord());
    bool held = type && (*type == ElementType::kI1 || IsInteger(*type) || IsFloat(*type));
    if (!held) return Fail("expected an element type of plans");
    Word();
    out = *type;
    return true;
  }

  // What stands in front of the phases.
  bool Header() {
    if (Keyword("push")) {
      while (InWord(Peek())) {
        ElementType type;
        if (!Type(type)) return false;
        push_.push_back(type);
        builder_.AddPush(type);
      }
    }
    while (Keyword("buffer")) {
      std::string_view word = Word();
      Role role = Role::kIn;
      while (RoleText(role) != word) {
        if (role == Role::kScratch) return Fail("expected in, out, inout, local or scratch");
        role = static_cast<Role>(static_cast<int>(role) + 1);
      }
      ElementType type;
      Size elements;
      int16_t share = -1;
      if (!Type(type)) return false;
      if ((role == Role::kLocal || role == Role::kScratch) && !ParseSize(elements)) return false;
      if (WordHere("share") && !Number(share)) return false;
      builder_.AddBuffer(type, role, elements, share);
      ++buffers_;
    }
    return true;
  }

  bool ParseSize(Size& out) {
    out = {};
    if (!Take("$")) return Number(out.c);
    if (!Number(out.sym)) return false;
    if (at_ < text_.size() && text_[at_] == '+') {
      ++at_;
      return Number(out.c);
    }
    return at_ >= text_.size() || text_[at_] != '-' || Number(out.c);
  }

  // Values.
  bool StartsValue() {
    char c = Peek();
    return c == '%' || c == '$' || c == '-' || std::isdigit(static_cast<unsigned char>(c)) ||
           ParseElementType(PeekWord());
  }

  bool Value(Id& out) {
    if (Take("%")) {
      uint32_t number;
      if (!Number(number)) return false;
      auto found = values_.find(number);
      if (found == values_.end()) return Fail("%" + std::to_string(number) + " is not defined");
      out = found->second;
      return true;
    }
    if (Take("$")) {
      size_t number;
      if (!Number(number)) return false;
      if (number >= push_.size()) return Fail("there is no push constant " + std::to_string(number));
      out = builder_.Push(static_cast<int>(number));
      return true;
    }
    if (ParseElementType(PeekWord())) {
      ElementType type;
      uint64_t bits;
      if (!Type(type) || !Expect("#") || !Number(bits, 16)) return false;
      out = builder_.Const(type, bits);
      return true;
    }
    int64_t number;
    if (!Number(number)) return false;
    out = builder_.ConstI64(number);
    return true;
  }

  // As many as stand on the line.
  bool Values(std::vector<Id>& out) {
    while (StartsValue()) {
      if (!Value(out.emplace_back())) return false;
    }
    return true;
  }

  // "%3 %4": names for `ids`.
  bool Names(std::span<const Id> ids) {
    for (Id id : ids) {
      uint32_t number;
      if (!Expect("%") || !Number(number)) return false;
      values_[number] = id;
    }
    return true;
  }

  bool ParseAccess(Access& out) {
    if (!Expect("@") || !Number(out.buffer) || !Expect("[")) return false;
    if (out.buffer >= buffers_) return Fail("there is no buffer " + std::to_string(out.buffer));
    bool first = true;
    do {
      size_t start = at_;
      Size size;
      // An offset is a size with nothing behind it; everything else is a term.
      if (first && Peek() != '%' && ParseSize(size) && Peek() != '*') {
        out.offset = size;
      } else {
        if (!status_.ok()) return false;
        at_ = start;
        Term term{kNone, {-1, 1}};
        if (!Value(term.index)) return false;
        if (Take("*") && !ParseSize(term.stride)) return false;
        out.terms.push_back(term);
      }
      first = false;
    } while (Take("+"));
    return Expect("]");
  }

  // "{", nodes, "}". Closes the builder's block, but for a phase's.
  bool BlockBody(bool in_phase = false) {
    if (!Expect("{")) return false;
    bool yielded = false;
    for (;;) {
      SkipLines();
      if (Take("}")) break;
      if (yielded) return Fail("expected '}' behind the yield");
      if (WordHere("yield")) {
        std::vector<Id> values;
        if (!Values(values)) return false;
        if (in_phase) return Fail("a phase yields nothing");
        builder_.Yield(values);
        yielded = true;
      } else if (!Statement()) {
        return false;
      }
    }
    if (!yielded && !in_phase) builder_.Yield({});
    return true;
  }

  bool Statement() {
    std::vector<uint32_t> names;
    while (Take("%")) {
      if (!Number(names.emplace_back())) return false;
    }
    if (!names.empty() && !Expect("=")) return false;
    std::vector<Id> results;
    if (!Operation(results)) return false;
    if (results.size() != names.size()) {
      return Fail("this gives " + std::to_string(results.size()) + " values, not " + std::to_string(names.size()));
    }
    for (size_t k = 0; k < names.size(); ++k) values_[names[k]] = results[k];
    return true;
  }

  bool Operation(std::vector<Id>& results) {
    std::string_view word = Word();
    if (word == "store") {
      Access access;
      Id value;
      if (!ParseAccess(access) || !Value(value)) return false;
      if (builder_.elt(value) != builder_.buffer_elt(access.buffer)) return Fail("the buffer has another element type");
      builder_.Store(access, value);
      return true;
    }
    if (word == "load") {
      ElementType type;
      Access access;
      if (!Type(type) || !ParseAccess(access)) return false;
      results.push_back(builder_.Load(access));
      return true;
    }
    if (word == "move") return ParseMove();
    if (word == "call") return ParseCall();
    if (word == "for" || word == "lanes") return ParseCounted(word == "lanes", results);
    if (word == "while") return ParseWhile(results);
    if (word == "if") return ParseIf(results);
    return Simple(word, results);
  }

  bool Simple(std::string_view word, std::vector<Id>& results) {
    Op op = Op::kAdd;
    while (OpText(op) != word) {
      if (op == Op::kErfc) return Fail("there is no operation '" + std::string(word) + "'");
      op = static_cast<Op>(static_cast<int>(op) + 1);
    }
    uint64_t imm = 0;
    if (op == Op::kCmp) {
      if (!Expect(".")) return false;
      std::string_view predicate = Word();
      while (PredicateText(static_cast<Predicate>(imm)) != predicate) {
        if (imm == static_cast<uint64_t>(Predicate::kTotalLt)) return Fail("there is no such comparison");
        ++imm;
      }
    } else if (op == Op::kReducePrecision) {
      uint64_t exponent, mantissa;
      if (!Expect(".e") || !Number(exponent) || !Expect("m") || !Number(mantissa)) return false;
      imm = exponent << 8 | mantissa;
    }
    ElementType type;
    std::vector<Id> args;
    if (!Type(type) || !Values(args)) return false;
    if (static_cast<int>(args.size()) != OpArity(op)) return Fail(std::string(word) + " has other operands");
    results.push_back(builder_.Emit(op, type, args, imm));
    return true;
  }

  bool ParseMove() {
    Move move;
    bool fits = ParseAccess(move.from) && Expect("by") && ParseSize(move.from_stride[0]) &&
                ParseSize(move.from_stride[1]) && Expect("to") && ParseAccess(move.to) && Expect("by") &&
                ParseSize(move.to_stride[0]) && ParseSize(move.to_stride[1]) && Expect("extent") &&
                Value(move.extent[0]) && Value(move.extent[1]);
    if (!fits) return false;
    move.stream = WordHere("stream");
    builder_.AddMove(std::move(move));
    return true;
  }

  bool ParseCall() {
    Call call;
    std::vector<Id> args;
    if (!Quoted(call.symbol)) return false;
    while (Peek() == '@') {
      if (!ParseAccess(call.buffers.emplace_back())) return false;
    }
    if (!Values(args)) return false;
    builder_.AddCall(std::move(call), args);
    return true;
  }

  bool Init(std::vector<Id>& init) { return !Take("(") || (Values(init) && Expect(")")); }

  // The block's arguments: the index first where there is one.
  bool CarryNames(size_t count, bool new_values = false) {
    std::vector<Id> ids;
    for (size_t k = 0; k < count; ++k) ids.push_back(builder_.Carry(static_cast<int>(k)));
    for (size_t k = 0; new_values && k < count; ++k) ids.push_back(builder_.NewValue(static_cast<int>(k)));
    return Names(ids);
  }

  bool ParseCounted(bool lanes, std::vector<Id>& results) {
    uint32_t index;
    Id lo, hi, step = kNone;
    int unroll = 1;
    std::vector<Id> init;
    if (!Expect("%") || !Number(index) || !Expect("in") || !Value(lo) || !Expect("..") || !Value(hi)) return false;
    if (WordHere("step") && !Value(step)) return false;
    if (Peek() == 'u' && (!Take("u") || !Number(unroll))) return false;
    Tree tree = Tree::kNone;
    if (WordHere("tree")) {
      std::string_view word = Word();
      for (Tree t : {Tree::kLanes, Tree::kInOrder, Tree::kPairwise}) {
        if (TreeText(t) == word) tree = t;
      }
      if (tree == Tree::kNone) return Fail("there is no such tree");
    }
    if (!Init(init)) return false;
    LoopKind kind = lanes ? LoopKind::kLanes : LoopKind::kFor;
    if (tree != Tree::kNone) {
      if (step != kNone || init.empty()) return Fail("a reduction has a first value and no step");
      values_[index] = builder_.BeginReduce(kind, tree, lo, hi, init, unroll);
      if (!BlockBody() || !Expect("combine")) return false;
      builder_.BeginCombine();
      if (!CarryNames(init.size(), /*new_values=*/true)) return false;
    } else if (lanes) {
      if (step != kNone || !init.empty()) return Fail("a lanes loop has neither step nor carries");
      values_[index] = builder_.BeginLanes(lo, hi, unroll);
    } else {
      values_[index] = builder_.BeginFor(lo, hi, step, init, unroll);
      if (!CarryNames(init.size())) return false;
    }
    if (!BlockBody()) return false;
    results = builder_.EndLoop();
    return true;
  }

  bool ParseWhile(std::vector<Id>& results) {
    std::vector<Id> init;
    if (!Init(init) || !Expect("cond")) return false;
    builder_.BeginWhile(init);
    builder_.BeginCond();
    if (!CarryNames(init.size()) || !BlockBody() || !Expect("do")) return false;
    builder_.BeginBody();
    if (!CarryNames(init.size()) || !BlockBody()) return false;
    results = builder_.EndLoop();
    return true;
  }

  bool ParseIf(std::vector<Id>& results) {
    Id condition;
    std::vector<ElementType> types;
    if (!Value(condition) || !Expect("(")) return false;
    while (!Take(")")) {
      if (!Type(types.emplace_back())) return false;
    }
    builder_.BeginIf(condition, types);
    if (!BlockBody() || !Expect("else")) return false;
    builder_.BeginElse();
    if (!BlockBody()) return false;
    results = builder_.EndLoop();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  Builder builder_;
  std::vector<ElementType> push_;
  int buffers_ = 0;
  std::unordered_map<uint32_t, Id> values_;
  Status status_;
};

}  // namespace

StatusOr<Plan> Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace treadle::plan
