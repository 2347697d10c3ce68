#include "bytecode/beam_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

#include "bytecode/compact.h"
#include "bytecode/container.h"
#include "bytecode/opcode.h"
#include "bytecode/text_length.h"
#include "term/atom.h"
#include "term/record.h"

namespace wb {
namespace {

constexpr uint32_t kMaxArity = 255;

/// Fills a BeamFile chunk by chunk. Each read_* returns false after it has set the error.
class TableReader {
 public:
  TableReader(BeamFile* file, std::vector<BeamChunk> chunks)
      : f_(*file), chunks_(std::move(chunks)) {}

  bool read_all() {
    return check_chunks() && read_atoms() && read_strings() && read_imports() &&
           read_functions("ExpT", true, &f_.exports) && read_functions("LocT", false, &f_.locals) &&
           read_lambdas() && read_literals() && read_lines() && read_types() && read_records() &&
           read_code() && read_spans();
  }

  void compute_md5();
  LoadError error() { return std::move(*error_); }

 private:
  bool fail(Rule rule, size_t offset, std::string text = {}) {
    error_ = LoadError{rule, f_.name, chunk_, offset, std::move(text)};
    return false;
  }
  /// The chunk's data; empty if there is none. Errors name this chunk from now on.
  Bytes open(std::string_view id) {
    chunk_ = id;
    for (const BeamChunk& c : chunks_)
      if (c.name() == id) return c.data;
    return {};
  }
  bool has(std::string_view id) const {
    for (const BeamChunk& c : chunks_)
      if (c.name() == id) return true;
    return false;
  }
  bool atom_at(uint64_t index, size_t offset, Term* out) {
    if (index == 0 || index >= f_.atoms.size())
      return fail(Rule::bad_atom, offset, "atom " + std::to_string(index));
    *out = f_.atoms[index];
    return true;
  }
  bool arity_ok(uint32_t arity, size_t offset) {
    return arity <= kMaxArity || fail(Rule::bad_arity, offset, std::to_string(arity));
  }

  bool check_chunks();
  bool read_atoms();
  bool read_atom(ByteReader& in, bool long_lengths);
  bool read_strings() {
    f_.strings = open("StrT");
    return true;
  }
  bool read_imports();
  bool read_functions(std::string_view id, bool required, std::vector<BeamExport>* out);
  bool read_lambdas();
  bool read_literals();
  bool read_lines();
  bool read_line_items(ByteReader& in, uint32_t items);
  bool read_line_files(ByteReader& in, uint32_t names);
  bool read_types();
  bool read_records();
  bool read_record(ByteReader& in, BeamRecord* r);
  bool read_field(ByteReader& in, BeamRecord::Field* f);
  bool read_code();
  bool read_spans() {
    f_.attributes = open("Attr");
    f_.compile_info = open("CInf");
    f_.meta = open("Meta");
    f_.debug_info = open("Dbgi");
    return true;
  }

  BeamFile& f_;
  std::vector<BeamChunk> chunks_;
  std::string chunk_;
  std::optional<LoadError> error_;
};

bool TableReader::check_chunks() {
  for (size_t i = 0; i < chunks_.size(); i++)
    for (size_t j = 0; j < i && j < 64; j++)
      if (chunks_[i].name() == chunks_[j].name()) {
        chunk_ = chunks_[i].name();
        return fail(Rule::duplicate_chunk, 0);
      }
  if (has("Atom") && !has("AtU8")) {
    chunk_ = "Atom";
    return fail(Rule::old_format, 0);
  }
  for (std::string_view id : {"AtU8", "Code", "ImpT", "ExpT"})
    if (!has(id)) {
      chunk_ = id;
      return fail(Rule::missing_chunk, 0);
    }
  return true;
}

bool TableReader::read_atoms() {
  ByteReader in(open("AtU8"));
  int32_t count = static_cast<int32_t>(in.u32());
  bool long_lengths = count < 0;  // OTP 28: lengths are compact terms
  uint32_t n = long_lengths ? -static_cast<uint32_t>(count) : static_cast<uint32_t>(count);
  if (!in.ok() || n == 0 || n > in.left()) return fail(Rule::bad_count, 0, std::to_string(n));
  f_.atoms.reserve(n + 1);
  f_.atoms.push_back(kNil);
  for (uint32_t i = 0; i < n; i++)
    if (!read_atom(in, long_lengths)) return false;
  return true;
}

bool TableReader::read_atom(ByteReader& in, bool long_lengths) {
  size_t at = in.offset();
  Compact length{};
  if (!long_lengths)
    length.value = in.u8();
  else if (!read_compact(in, &length) || length.tag != CompactTag::u || length.big)
    return fail(Rule::bad_atom_text, at);
  Bytes text = in.bytes(length.value);
  if (!in.ok()) return fail(Rule::truncated, at);
  int64_t chars = text_length(text);
  if (chars < 0 || chars > kMaxAtomChars) return fail(Rule::bad_atom_text, at);
  Term atom = intern({reinterpret_cast<const char*>(text.data()), text.size()});
  if (is_fault(atom)) return fail(Rule::atom_table_full, at);
  f_.atoms.push_back(atom);
  return true;
}

bool TableReader::read_imports() {
  ByteReader in(open("ImpT"));
  uint32_t n = in.u32();
  if (!in.ok() || n > in.left() / 12) return fail(Rule::bad_count, 0, std::to_string(n));
  f_.imports.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    size_t at = in.offset();
    BeamImport import;
    uint32_t module = in.u32(), function = in.u32();
    import.arity = in.u32();
    if (!atom_at(module, at, &import.module) || !atom_at(function, at + 4, &import.function) ||
        !arity_ok(import.arity, at + 8))
      return false;
    f_.imports.push_back(import);
  }
  return true;
}

bool TableReader::read_functions(std::string_view id, bool required, std::vector<BeamExport>* out) {
  Bytes data = open(id);
  if (!required && data.empty()) return true;
  ByteReader in(data);
  uint32_t n = in.u32();
  if (!in.ok() || n > in.left() / 12) return fail(Rule::bad_count, 0, std::to_string(n));
  out->reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    size_t at = in.offset();
    BeamExport e;
    uint32_t function = in.u32();
    e.arity = in.u32();
    e.label = in.u32();
    if (!atom_at(function, at, &e.function) || !arity_ok(e.arity, at + 4)) return false;
    out->push_back(e);
  }
  return true;
}

bool TableReader::read_lambdas() {
  Bytes data = open("FunT");
  if (data.empty()) return true;
  ByteReader in(data);
  uint32_t n = in.u32();
  if (!in.ok() || n > in.left() / 24) return fail(Rule::bad_count, 0, std::to_string(n));
  f_.lambdas.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    size_t at = in.offset();
    BeamLambda l;
    uint32_t name = in.u32();
    l.arity = in.u32();
    l.label = in.u32();
    l.index = in.u32();
    l.num_free = in.u32();
    l.old_uniq = in.u32();
    if (!atom_at(name, at, &l.name) || !arity_ok(l.arity, at + 4)) return false;
    if (l.num_free > l.arity) return fail(Rule::bad_lambda, at + 16, "more free than arguments");
    f_.lambdas.push_back(l);
  }
  return true;
}

bool TableReader::read_literals() {
  Bytes data = open("LitT");
  if (data.empty()) return true;
  ByteReader in(data);
  uint32_t size = in.u32();
  if (!in.ok()) return fail(Rule::truncated, 0);
  Bytes table = data.subspan(4);
  if (size != 0) {  // 0: stored plain, as OTP 28 does
    if (size > kMaxModuleBytes) return fail(Rule::too_big, 0, std::to_string(size));
    if (!inflate_exactly(table, size, &f_.literal_storage))
      return fail(Rule::bad_literal, 4, "does not inflate to " + std::to_string(size) + " bytes");
    table = f_.literal_storage;
  }
  ByteReader items(table);
  uint32_t n = items.u32();
  if (!items.ok() || n > items.left() / 4) return fail(Rule::bad_count, 4, std::to_string(n));
  f_.literals.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    Bytes literal = items.bytes(items.u32());
    if (!items.ok() || literal.empty())
      return fail(Rule::bad_literal, 4, "literal " + std::to_string(i));
    f_.literals.push_back(literal);
  }
  return true;
}

bool TableReader::read_lines() {
  f_.lines.push_back({0, 0});
  f_.line_files.push_back(std::string(atom_text(f_.module())) + ".erl");
  Bytes data = open("Line");
  if (data.empty()) return true;
  ByteReader in(data);
  uint32_t version = in.u32();
  in.u32();  // flags
  in.u32();  // number of line instructions
  uint32_t items = in.u32(), names = in.u32();
  if (!in.ok()) return fail(Rule::truncated, in.offset());
  if (version != 0) return true;  // unknown: run without locations, as OTP does
  if (items > in.left() || names > in.left()) return fail(Rule::bad_count, 12);
  return read_line_items(in, items) && read_line_files(in, names);
}

bool TableReader::read_line_items(ByteReader& in, uint32_t items) {
  f_.lines.reserve(items + 1);
  uint32_t file = 0;
  while (f_.lines.size() <= items) {
    size_t at = in.offset();
    Compact c;
    if (!read_compact(in, &c) || c.big || c.value > UINT32_MAX)
      return fail(Rule::bad_line_table, at);
    if (c.tag == CompactTag::a)
      file = static_cast<uint32_t>(c.value);
    else if (c.tag == CompactTag::i)
      f_.lines.push_back({file, static_cast<uint32_t>(c.value)});
    else
      return fail(Rule::bad_line_table, at);
  }
  return true;
}

bool TableReader::read_line_files(ByteReader& in, uint32_t names) {
  for (uint32_t i = 0; i < names; i++) {
    size_t at = in.offset();
    Bytes text = in.bytes(in.u16());
    if (!in.ok()) return fail(Rule::truncated, at);
    if (text_length(text) < 0) return fail(Rule::bad_text, at);
    f_.line_files.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  }
  for (const BeamLine& l : f_.lines)
    if (l.file >= f_.line_files.size())
      return fail(Rule::bad_line_table, 16, "no file name " + std::to_string(l.file));
  return true;
}

bool TableReader::read_types() {
  ByteReader in(open("Type"));
  uint32_t version = in.u32(), n = in.u32();
  if (!in.ok() || version != 1) return true;  // absent or of another release: only hints anyway
  if (n > in.left() / 18) return fail(Rule::bad_count, 4, std::to_string(n));
  f_.types.reserve(n);
  for (uint32_t i = 0; i < n; i++) {
    BeamType t;
    t.bits = in.u16();
    t.min = static_cast<int64_t>(in.u64());
    t.max = static_cast<int64_t>(in.u64());
    t.has_range = t.min <= t.max;
    f_.types.push_back(t);
  }
  return true;
}

/// Written as the operands of instructions are: call_last, name, exported, list of fields.
bool TableReader::read_records() {
  ByteReader in(open("Recs"));
  if (in.left() == 0) return true;
  const uint32_t version = in.u32(), n = in.u32(), all_fields = in.u32();
  if (!in.ok()) return fail(Rule::truncated, 0);
  if (version != 0) return fail(Rule::new_format, 0, "version " + std::to_string(version));
  if (n > in.left() / 5) return fail(Rule::bad_count, 4, std::to_string(n));
  size_t fields = 0;
  std::vector<Term> names;
  for (uint32_t i = 0; i < n; i++) {
    const size_t at = in.offset();
    BeamRecord r;
    if (!read_record(in, &r)) return error_ ? false : fail(Rule::bad_record, at);
    fields += r.fields.size();
    names.push_back(r.name);
    f_.records.push_back(std::move(r));
  }
  if (in.left() != 0 || fields != all_fields) return fail(Rule::bad_count, 8);
  return are_distinct(names) || fail(Rule::bad_record, 12, "two of one name");
}

bool TableReader::read_record(ByteReader& in, BeamRecord* r) {
  constexpr uint8_t kCallLast = static_cast<uint8_t>(Op::call_last);
  constexpr auto kList = static_cast<uint64_t>(CompactExtended::list);
  Compact name, exported, list, n;
  if (in.u8() != kCallLast || !read_compact(in, &name) || !read_compact(in, &exported) ||
      !read_compact(in, &list) || !read_compact(in, &n))
    return false;
  if (name.tag != CompactTag::a || exported.tag != CompactTag::a ||
      list.tag != CompactTag::extended || list.value != kList || n.tag != CompactTag::u ||
      n.value % 2 || n.value > in.left())
    return false;
  Term is_exported;
  if (!atom_at(name.value, in.offset(), &r->name) ||
      !atom_at(exported.value, in.offset(), &is_exported))
    return false;
  if (is_exported != am::true_ && is_exported != am::false_) return false;
  r->is_exported = is_exported == am::true_;
  std::vector<Term> names;
  for (uint64_t k = 0; k < n.value / 2; k++) {
    BeamRecord::Field f;
    if (!read_field(in, &f)) return false;
    names.push_back(f.name);
    r->fields.push_back(f);
  }
  return are_distinct(names);
}

/// A name; a number without a tag, 0, if it has no default.
bool TableReader::read_field(ByteReader& in, BeamRecord::Field* f) {
  Compact name, value;
  if (!read_compact(in, &name) || name.tag != CompactTag::a || !read_compact(in, &value) ||
      !atom_at(name.value, in.offset(), &f->name))
    return false;
  f->of = BeamRecord::Field::immediate;
  switch (value.tag) {
    case CompactTag::u:
      f->of = BeamRecord::Field::none;
      return value.value == 0;
    case CompactTag::i:
      f->value = make_small(static_cast<int64_t>(value.value));
      return !value.big && fits_small(static_cast<int64_t>(value.value));
    case CompactTag::a:
      if (value.value >= f_.atoms.size()) return false;
      f->value = f_.atoms[value.value];
      return true;
    case CompactTag::extended: {
      Compact index;
      f->of = BeamRecord::Field::literal;
      if (value.value != static_cast<uint64_t>(CompactExtended::literal) ||
          !read_compact(in, &index) || index.tag != CompactTag::u || index.big)
        return false;
      f->value = index.value;
      return index.value < f_.literals.size();
    }
    default:
      return false;
  }
}

bool TableReader::read_code() {
  Bytes data = open("Code");
  ByteReader in(data);
  uint32_t header = in.u32(), version = in.u32(), max_opcode = in.u32();
  f_.label_count = in.u32();
  f_.function_count = in.u32();
  if (!in.ok() || header < 16 || header > data.size() - 4) return fail(Rule::truncated, 0);
  if (version != 0) return fail(Rule::new_format, 4, "version " + std::to_string(version));
  if (max_opcode > kMaxOp)
    return fail(Rule::new_format, 8, "uses opcode " + std::to_string(max_opcode));
  f_.code_base = header + 4;
  f_.code = data.subspan(f_.code_base);
  // Placing a label takes two bytes, and a function is more than a label. Who writes code by hand
  // may leave out numbers.
  constexpr size_t kSkippedLabels = 10'000;
  if (f_.label_count > f_.code.size() / 2 + kSkippedLabels)
    return fail(Rule::bad_count, 12, std::to_string(f_.label_count) + " labels");
  if (f_.function_count > f_.code.size() / 2)
    return fail(Rule::bad_count, 16, std::to_string(f_.function_count) + " functions");
  return true;
}

/// The identity of a module: what is in these chunks, but for the old hash in each fun entry.
void TableReader::compute_md5() {
  Md5 m;
  for (std::string_view id : {"AtU8", "Code", "StrT", "ImpT", "ExpT"}) m.update(open(id));
  Bytes funs = open("FunT");
  if (!funs.empty()) {
    static constexpr uint8_t kZero[4] = {};
    m.update(funs.first(4));
    for (size_t i = 0; i < f_.lambdas.size(); i++) {
      m.update(funs.subspan(4 + i * 24, 20));
      m.update(kZero);
    }
  }
  m.update(open("LitT"));
  m.update(open("Meta"));
  f_.md5 = m.digest();
}

struct CloseFile {
  void operator()(FILE* f) const { fclose(f); }
};

}  // namespace

Result<BeamFile> parse_beam(std::vector<uint8_t> bytes, std::string name) {
  BeamFile file;
  file.name = std::move(name);
  auto plain = gunzip_if_needed(std::move(bytes), file.name);
  if (!plain) return plain.error();
  file.container = std::move(plain).value();
  auto chunks = split_chunks(file.container, file.name);
  if (!chunks) return chunks.error();
  TableReader reader(&file, std::move(chunks).value());
  if (!reader.read_all()) return reader.error();
  reader.compute_md5();
  return file;
}

Result<BeamFile> read_beam_file(const std::string& path) {
  std::unique_ptr<FILE, CloseFile> in(fopen(path.c_str(), "rb"));
  if (!in) return LoadError{Rule::unreadable, path, "", 0, strerror(errno)};
  std::vector<uint8_t> bytes;
  size_t n = 0, step = size_t{1} << 16;
  do {
    bytes.resize(n + step);
    size_t got = fread(bytes.data() + n, 1, step, in.get());
    n += got;
    if (got < step) break;
    step = n;
  } while (n <= kMaxModuleBytes);
  if (ferror(in.get())) return LoadError{Rule::unreadable, path, "", n, strerror(errno)};
  bytes.resize(n);
  return parse_beam(std::move(bytes), path);
}

}  // namespace wb
