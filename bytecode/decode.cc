#include "bytecode/decode.h"

#include <optional>

#include "bytecode/code_layout.h"
#include "bytecode/compact.h"
#include "bytecode/opcode.h"

namespace wb {
namespace {

constexpr uint32_t kMaxHeapWords = uint32_t{1} << 24;
constexpr uint32_t kMaxHeapItems = uint32_t{1} << 20;

using Mask = uint32_t;
constexpr Mask bit(Operand::Type t) { return Mask{1} << t; }
constexpr Mask kRegister = bit(Operand::x) | bit(Operand::y);
constexpr Mask kSource = kRegister | bit(Operand::i) | bit(Operand::big) | bit(Operand::atom) |
                         bit(Operand::nil) | bit(Operand::literal);

/// What a letter of opcodes.def admits.
constexpr Mask admitted(char letter) {
  switch (letter) {
    case 's':
      return kSource;
    case 'S':
    case 'd':
      return kRegister;
    case 'y':
      return bit(Operand::y);
    case 'q':
      return kSource | bit(Operand::fr);
    case 'r':
      return kRegister | bit(Operand::fr);
    case 'l':
      return bit(Operand::fr);
    case 'f':
    case 'j':
      return bit(Operand::f);
    case 'k':
      return bit(Operand::f) | bit(Operand::atom);
    case 'g':
      return bit(Operand::u) | bit(Operand::atom);
    case 'b':
      return kSource | bit(Operand::u);
    case 'a':
      return bit(Operand::atom);
    case 'u':
    case 'U':
    case 't':
    case 'w':
    case 'I':
    case 'L':
    case 'e':
    case 'o':
    case 'n':
      return bit(Operand::u);
    case 'h':
      return bit(Operand::u) | bit(Operand::alloc);
    case 'z':
      return bit(Operand::list);
    default:
      return 0;
  }
}

class Decoder {
 public:
  Decoder(const BeamFile& file, CodeUnit* unit) : file_(file), unit_(*unit), in_(file.code) {}

  bool run() {
    unit_.file = &file_;
    unit_.labels.assign(file_.label_count, kNoInstruction);
    unit_.instructions.reserve(file_.code.size() / 7);
    unit_.operands.reserve(file_.code.size() / 3);
    for (;;) {
      Op op;
      if (!instruction(&op)) return false;
      if (op == Op::int_code_end) return true;
    }
  }
  LoadError error() { return std::move(*error_); }

 private:
  bool fail(Rule rule, std::string text = {}) {
    error_ = LoadError{rule, file_.name, "Code", file_.code_base + start_, std::move(text)};
    return false;
  }
  bool instruction(Op* op);
  bool operand(Operand* out);
  bool plain(const Compact& c, Operand* out);
  bool extended(const Compact& c, Operand* out);
  bool number(uint64_t* out);
  bool typed_register(Operand* out);
  bool alloc_list(Operand* out);
  bool list(Operand* out);
  bool check(Op op, char letter, const Operand& o);
  bool bind_label(const Operand& o);

  const BeamFile& file_;
  CodeUnit& unit_;
  ByteReader in_;
  size_t start_ = 0;  // of the instruction at hand
  char letter_ = 0;   // of the operand at hand
  std::optional<LoadError> error_;
};

bool Decoder::instruction(Op* op) {
  start_ = in_.offset();
  uint8_t code = in_.u8();
  if (!in_.ok()) return fail(Rule::truncated, "no int_code_end");
  if (code == 0 || code > kMaxOp) return fail(Rule::bad_opcode, std::to_string(code));
  *op = static_cast<Op>(code);
  const OpInfo& info = op_info(*op);
  if (info.attributes & kObsolete) return fail(Rule::old_format, std::string(info.name));

  uint32_t first = static_cast<uint32_t>(unit_.operands.size());
  for (char letter : info.operands) {
    Operand o;
    letter_ = *op == Op::bs_match && letter == 'z' ? 'U' : letter;  // sizes of any size
    if (!operand(&o)) return error_ ? false : fail(Rule::bad_operand, std::string(info.name));
    if (!check(*op, letter, o)) return false;
    unit_.operands.push_back(o);
  }
  unit_.instructions.push_back({*op, 0, first, static_cast<uint32_t>(start_)});
  return *op != Op::label || bind_label(unit_.operands[first]);
}

bool Decoder::operand(Operand* out) {
  Compact c;
  if (!read_compact(in_, &c)) return false;
  if (c.tag == CompactTag::extended) return extended(c, out);
  return plain(c, out);
}

bool Decoder::plain(const Compact& c, Operand* out) {
  out->value = c.value;
  switch (c.tag) {
    case CompactTag::u:
      out->type = Operand::u;
      return !c.big || letter_ == 'U';
    case CompactTag::i:
      out->type = c.big ? Operand::big : Operand::i;
      if (c.big) {
        out->value = static_cast<uint64_t>(c.bytes.data() - file_.code.data());
        out->count = static_cast<uint32_t>(c.bytes.size());
      }
      return true;
    case CompactTag::a:
      if (c.value >= file_.atoms.size()) return fail(Rule::bad_atom, std::to_string(c.value));
      out->type = c.value ? Operand::atom : Operand::nil;
      out->value = file_.atoms[c.value];
      return true;
    case CompactTag::x:
      out->type = Operand::x;
      break;
    case CompactTag::y:
      out->type = Operand::y;
      break;
    case CompactTag::f:
      out->type = Operand::f;
      if (c.value >= file_.label_count) return fail(Rule::bad_label, std::to_string(c.value));
      return true;
    case CompactTag::h:
      out->type = Operand::h;
      return true;
    case CompactTag::extended:
      return false;
  }
  if (c.value >= kMaxRegisters) return fail(Rule::register_range, std::to_string(c.value));
  return true;
}

bool Decoder::extended(const Compact& c, Operand* out) {
  switch (static_cast<CompactExtended>(c.value)) {
    case CompactExtended::list:
      return list(out);
    case CompactExtended::fr:
      out->type = Operand::fr;
      if (!number(&out->value)) return false;
      return out->value < kMaxRegisters ||
             fail(Rule::register_range, "fr" + std::to_string(out->value));
    case CompactExtended::alloc:
      return alloc_list(out);
    case CompactExtended::literal:
      out->type = Operand::literal;
      if (!number(&out->value)) return false;
      return out->value < file_.literals.size() ||
             fail(Rule::bad_literal_index, std::to_string(out->value));
    case CompactExtended::typed:
      return typed_register(out);
  }
  return false;
}

bool Decoder::number(uint64_t* out) {
  Compact c;
  if (!read_compact(in_, &c) || c.tag != CompactTag::u || c.big) return false;
  *out = c.value;
  return true;
}

bool Decoder::typed_register(Operand* out) {
  Compact c;
  if (!read_compact(in_, &c) || (c.tag != CompactTag::x && c.tag != CompactTag::y)) return false;
  uint64_t type;
  if (!plain(c, out) || !number(&type)) return false;
  if (type < file_.types.size() && type <= UINT16_MAX) out->hint = static_cast<uint16_t>(type);
  return true;
}

bool Decoder::alloc_list(Operand* out) {
  uint64_t pairs, kind, amount;
  if (!number(&pairs) || pairs > in_.left()) return false;
  HeapNeed need;
  while (pairs-- > 0) {
    if (!number(&kind) || !number(&amount) || kind > 2) return false;
    uint32_t* item = kind == 0 ? &need.words : kind == 1 ? &need.floats : &need.funs;
    if (amount > kMaxHeapWords) return false;
    *item += static_cast<uint32_t>(amount);
    if (*item > (kind == 0 ? kMaxHeapWords : kMaxHeapItems)) return false;
  }
  out->type = Operand::alloc;
  out->value = unit_.heap_needs.size();
  unit_.heap_needs.push_back(need);
  return true;
}

bool Decoder::list(Operand* out) {
  uint64_t n;
  if (!number(&n) || n > in_.left()) return false;
  out->type = Operand::list;
  out->count = static_cast<uint32_t>(n);
  out->value = unit_.list_elements.size();
  for (; n > 0; n--) {
    Compact c;
    Operand o;
    if (!read_compact(in_, &c)) return false;
    bool nested =
        c.tag == CompactTag::extended && c.value == static_cast<uint64_t>(CompactExtended::list);
    if (nested || !(c.tag == CompactTag::extended ? extended(c, &o) : plain(c, &o))) return false;
    if (o.type == Operand::f && o.value == 0) return fail(Rule::bad_label, "0 in a list");
    unit_.list_elements.push_back(o);
  }
  return true;
}

bool Decoder::check(Op op, char letter, const Operand& o) {
  if (!(admitted(letter) & bit(o.type))) return fail(Rule::operand_kind, std::string(op_name(op)));
  auto below = [&](size_t limit, Rule rule) {
    return o.value < limit || fail(rule, std::to_string(o.value));
  };
  switch (letter) {
    case 'f':
      return o.value != 0 || fail(Rule::bad_label, std::string(op_name(op)) + " to 0");
    case 'g':
      return o.type != Operand::u || below(file_.lambdas.size(), Rule::bad_lambda);
    case 'I':
      return below(file_.imports.size(), Rule::bad_import);
    case 'L':
      return below(file_.lambdas.size(), Rule::bad_lambda);
    case 'e':
      return below(file_.lines.size(), Rule::bad_line);
    case 'o':
      return below(file_.strings.size() + 1, Rule::bad_string);
    case 't':
    case 'w':
      return below(kMaxRegisters + 1, Rule::register_range);
    case 'h':
      return o.type == Operand::alloc || below(kMaxHeapWords + 1, Rule::bad_operand);
    default:
      return true;
  }
}

bool Decoder::bind_label(const Operand& o) {
  if (o.value == 0 || o.value >= unit_.labels.size())
    return fail(Rule::bad_label, std::to_string(o.value));
  uint32_t& bound = unit_.labels[o.value];
  if (bound != kNoInstruction) return fail(Rule::duplicate_label, std::to_string(o.value));
  bound = static_cast<uint32_t>(unit_.instructions.size() - 1);
  return true;
}

}  // namespace

Result<CodeUnit> decode(const BeamFile& file) {
  CodeUnit unit;
  Decoder decoder(file, &unit);
  if (!decoder.run()) return decoder.error();
  if (auto error = lay_out(&unit)) return std::move(*error);
  return unit;
}

}  // namespace wb
