#include "tests/hostile/mutator/editable_module.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "bytecode/compact.h"
#include "bytecode/container.h"
#include "term/atom.h"

namespace wb::mutator {
namespace {

void put_u32(std::string* out, uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) *out += static_cast<char>(n >> shift);
}
uint32_t u32_at(const std::string& s, size_t at) {
  uint32_t n = 0;
  for (size_t k = 0; k < 4; ++k) n = n << 8 | static_cast<uint8_t>(s[at + k]);
  return n;
}

void put_bytes(CompactTag tag, const std::string& digits, std::string* out);

void put_compact(CompactTag tag, uint64_t value, std::string* out) {
  auto t = static_cast<uint8_t>(tag);
  if (value < 16) {
    *out += static_cast<char>(value << 4 | t);
  } else if (value < 2048) {
    *out += static_cast<char>((value >> 8) << 5 | 8 | t);
    *out += static_cast<char>(value);
  } else {
    std::string digits;
    for (int shift = 56; shift >= 0; shift -= 8) digits += static_cast<char>(value >> shift);
    bool is_signed = tag == CompactTag::i;
    auto spare = [&] {  // the first byte says nothing
      if (digits.size() <= 2) return false;
      bool next = digits[1] & 0x80;
      return (digits[0] == 0 && !next) || (is_signed && digits[0] == '\xff' && next);
    };
    while (spare()) digits.erase(0, 1);
    if (!is_signed && digits[0] & 0x80) digits.insert(0, 1, '\0');
    put_bytes(tag, digits, out);
  }
}
void put_bytes(CompactTag tag, const std::string& digits, std::string* out) {
  auto t = static_cast<uint8_t>(tag);
  if (digits.size() <= 8) {
    *out += static_cast<char>((digits.size() - 2) << 5 | 0x18 | t);
  } else {
    *out += static_cast<char>(0xf8 | t);
    put_compact(CompactTag::u, digits.size() - 9, out);
  }
  *out += digits;
}
void put_extended(CompactExtended what, std::string* out) {
  put_compact(CompactTag::extended, static_cast<uint64_t>(what), out);
}

/// What ends the machine or reaches out of the test: mutants get a name nobody has.
bool is_dangerous(const BeamImport& i) {
  std::string_view m = atom_text(i.module), f = atom_text(i.function);
  if (m == "erlang")
    return f == "halt" || f == "open_port" || f == "load_nif" || f == "purge_module" ||
           f == "delete_module" || f == "system_flag" || f == "trace" || f == "port_command" ||
           f == "processes" || f == "registered" || f == "suspend_process" || f == "set_cookie" ||
           f == "erase";
  return m == "init" || m == "os" || m == "file" || m == "prim_file" || m == "code" ||
         m == "erl_prim_loader" || m == "filelib" || m == "erts_internal" || m == "gen_tcp" ||
         m == "prim_socket" || m == "prim_inet" || m == "erts_debug" || m == "whitebeam_code" ||
         m == "erts_code_purger";
}

}  // namespace

bool EditableModule::read(const std::string& path, std::string* why) {
  std::ifstream in(path, std::ios::binary);
  original_.assign(std::istreambuf_iterator<char>(in), {});
  auto plain = gunzip_if_needed(original_, path);
  if (!plain) return *why = plain.error().message(), false;
  auto split = split_chunks(*plain, path);
  if (!split) return *why = split.error().message(), false;
  for (const BeamChunk& c : *split) {
    std::string id(c.name());
    if (id == "Dbgi" || id == "Docs" || id == "ExCk") continue;  // long, and nobody reads them
    std::string data(c.data.begin(), c.data.end());
    if (id == "LitT" && data.size() > 4 && u32_at(data, 0)) {  // plain, so that it can be changed
      std::vector<uint8_t> table;
      if (inflate_exactly(c.data.subspan(4), u32_at(data, 0), &table))
        data = std::string(4, '\0') + std::string(table.begin(), table.end());
    }
    chunks_.emplace_back(id, std::move(data));
  }
  if (!rename()) return *why = "atoms in a form not known", false;
  disarm_imports();
  auto parsed = parse_beam(file_with("", {}), path);
  if (!parsed) return *why = parsed.error().message(), false;
  file_ = std::move(*parsed);
  std::string code = chunk("Code");
  code_header_ = code.substr(0, u32_at(code, 0) + 4);
  code_header_[11] = static_cast<char>(kMaxOp);  // the largest opcode it uses: any
  for (size_t i = 0; i < file_.atoms.size(); ++i)
    atom_index_.emplace_back(file_.atoms[i], static_cast<uint32_t>(i));
  std::ranges::sort(atom_index_);
  auto unit = decode(file_);
  if (!unit) return *why = unit.error().message(), false;
  take_apart(*unit);
  name_ = atom_text(file_.module());
  return true;
}

/// The module's name, which is its first atom, begins with mutant_ from now on: the machine keeps
/// its own modules.
bool EditableModule::rename() {
  for (auto& [id, data] : chunks_) {
    if (id != "AtU8") continue;
    if (data.size() < 6) return false;
    bool compact = data[0] & 0x80;  // OTP 28: lengths are compact terms
    ByteReader in(Bytes(reinterpret_cast<const uint8_t*>(data.data()) + 4, data.size() - 4));
    Compact length{};
    if (!compact)
      length.value = in.u8();
    else if (!read_compact(in, &length) || length.tag != CompactTag::u || length.big)
      return false;
    const size_t bytes = in.offset();
    std::string name = "mutant_" + data.substr(4 + bytes, length.value), head;
    if (compact)
      put_compact(CompactTag::u, name.size(), &head);
    else
      head = static_cast<char>(name.size());
    data.replace(4, bytes + length.value, head + name);
    return true;
  }
  return false;
}

void EditableModule::disarm_imports() {
  auto parsed = parse_beam(file_with("", {}), "mutator");
  if (!parsed) return;
  for (auto& [id, data] : chunks_) {
    if (id != "ImpT") continue;
    for (size_t i = 0; i < parsed->imports.size(); ++i)
      if (is_dangerous(parsed->imports[i])) data.replace(4 + 12 * i, 4, std::string("\0\0\0\1", 4));
  }
}

void EditableModule::take_apart(const CodeUnit& unit) {
  put_u32(&all_exports_, static_cast<uint32_t>(unit.functions.size()));
  for (const CodeFunction& f : unit.functions) {
    functions_.push_back({f.name, f.arity, f.begin, f.end, {}, {}});
    for (uint32_t n : {index_of(f.name), f.arity, f.entry_label}) put_u32(&all_exports_, n);
  }
  size_t function = 0;
  for (uint32_t k = 0; k < unit.instructions.size(); ++k) {
    const Instruction& in = unit.instructions[k];
    Piece p{static_cast<uint8_t>(in.op), {}};
    while (function + 1 < functions_.size() && k >= functions_[function].end) function++;
    for (const Operand& o : unit.operands_of(in)) {
      Arg a{o, {}, {}};
      if (o.type == Operand::list) {
        auto list = unit.list_of(o);
        a.elements.assign(list.begin(), list.end());
        lists_[p.op].push_back(a);
      }
      if (o.type == Operand::alloc) a.need = unit.heap_need(o);
      if (!functions_.empty()) {
        functions_[function].pool.push_back(a);
        for (const Operand& e : a.elements) functions_[function].pool.push_back({e, {}, {}});
        if (in.op == Op::label)
          functions_[function].labels.push_back(static_cast<uint32_t>(o.value));
      }
      p.args.push_back(std::move(a));
    }
    bytes_.push_back(encode(p));
    pieces_.push_back(std::move(p));
  }
}

/// The module's name stands for atoms the file does not have.
uint32_t EditableModule::index_of(Term atom) const {
  auto at = std::ranges::lower_bound(atom_index_, std::pair{atom, uint32_t{0}});
  return at != atom_index_.end() && at->first == atom ? at->second : 1;
}

void EditableModule::encode(const Operand& o, const Arg* whole, std::string* out) const {
  switch (o.type) {
    case Operand::none:
    case Operand::u:
      return put_compact(CompactTag::u, o.value, out);
    case Operand::i:
      return put_compact(CompactTag::i, o.value, out);
    case Operand::big: {
      const uint8_t* at = file_.code.data() + o.value;
      return put_bytes(CompactTag::i, std::string(at, at + o.count), out);
    }
    case Operand::atom:
      return put_compact(CompactTag::a, index_of(o.value), out);
    case Operand::nil:
      return put_compact(CompactTag::a, 0, out);
    case Operand::literal:
      put_extended(CompactExtended::literal, out);
      return put_compact(CompactTag::u, o.value, out);
    case Operand::x:
    case Operand::y:
      if (o.hint) put_extended(CompactExtended::typed, out);
      put_compact(o.type == Operand::x ? CompactTag::x : CompactTag::y, o.value, out);
      if (o.hint) put_compact(CompactTag::u, o.hint, out);
      return;
    case Operand::fr:
      put_extended(CompactExtended::fr, out);
      return put_compact(CompactTag::u, o.value, out);
    case Operand::f:
      return put_compact(CompactTag::f, o.value, out);
    case Operand::h:
      return put_compact(CompactTag::h, o.value, out);
    case Operand::list:
      put_extended(CompactExtended::list, out);
      put_compact(CompactTag::u, whole ? whole->elements.size() : 0, out);
      if (whole)
        for (const Operand& e : whole->elements) encode(e, nullptr, out);
      return;
    case Operand::alloc: {
      HeapNeed need = whole ? whole->need : HeapNeed{};
      put_extended(CompactExtended::alloc, out);
      put_compact(CompactTag::u, 3, out);
      uint64_t amounts[] = {need.words, need.floats, need.funs};
      for (uint64_t kind = 0; kind < 3; ++kind) {
        put_compact(CompactTag::u, kind, out);
        put_compact(CompactTag::u, amounts[kind], out);
      }
      return;
    }
  }
}

std::string EditableModule::encode(const Piece& p) const {
  std::string out(1, static_cast<char>(p.op));
  for (const Arg& a : p.args) encode(a.o, &a, &out);
  return out;
}

std::string EditableModule::chunk(std::string_view id) const {
  for (auto& [name, data] : chunks_)
    if (name == id) return data;
  return {};
}

std::vector<uint8_t> EditableModule::file_with(const std::string& code,
                                               const std::vector<Replaced>& replaced) const {
  std::string body = "BEAM";
  for (auto& [id, data] : chunks_) {
    std::string now = id == "Code" && !code.empty() ? code_header_ + code : data;
    for (const Replaced& r : replaced)
      if (r.id == id) now = r.data;
    body += id;
    put_u32(&body, static_cast<uint32_t>(now.size()));
    body += now;
    body.append(-now.size() & 3, '\0');
  }
  std::string file = "FOR1";
  put_u32(&file, static_cast<uint32_t>(body.size()));
  file += body;
  return {file.begin(), file.end()};
}

}  // namespace wb::mutator
