#include "loader/module_image.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/out_of_memory.h"
#include "base/prefault.h"
#include "bytecode/text_length.h"
#include "loader/code_table.h"
#include "loader/emit.h"
#include "loader/image_bytes.h"
#include "term/atom.h"
#include "term/external.h"
#include "term/record.h"
#include "term/utf8.h"

namespace wb {
namespace {

/// What is one of a module, and of one size.
struct Fixed {
  uint8_t md5[16];
  uint32_t name;
  uint32_t on_load_entry;
  uint32_t declares_nifs;
  uint32_t unused = 0;
};
struct ImageFunction {
  uint32_t name, arity, start, entry, first_instruction;
};
struct ImageExport {
  uint32_t reference, entry;
};
struct ImageLambda {
  uint32_t name, arity, index, free_count, old_uniq, entry;
};

// --- writing -------------------------------------------------------------------------------------
/// Texts, one after the other: where each ends, then all of them.
template <class Range, class F>
void write_texts(ImageWriter& w, const Range& items, F append) {
  std::vector<uint32_t> ends;
  std::vector<uint8_t> all;
  for (const auto& item : items) {
    append(item, &all);
    ends.push_back(static_cast<uint32_t>(all.size()));
  }
  w.list(ends);
  w.list(all);
}

void append_text(std::string_view s, std::vector<uint8_t>* to) {
  to->insert(to->end(), s.begin(), s.end());
}

// --- reading -------------------------------------------------------------------------------------
class Texts {
 public:
  explicit Texts(ImageReader& r) : ends_(r.list<uint32_t>()), all_(r.list<uint8_t>()) {}
  size_t size() const { return ends_.size(); }
  /// Nothing if it is out of bounds.
  bool get(size_t k, Bytes* out) const {
    const size_t from = k ? ends_[k - 1] : 0, to = ends_[k];
    if (from > to || to > all_.size()) return false;
    *out = Bytes(all_.data() + from, to - from);
    return true;
  }

 private:
  std::span<const uint32_t> ends_;
  std::span<const uint8_t> all_;
};

class ImageLinker {
 public:
  ImageLinker(CodeTable& table, std::span<const uint8_t> image) : table_(table), r_(image) {}
  std::unique_ptr<Module> run();

 private:
  using Reference = Relocations::Reference;

  bool read_atoms();
  bool read_references();
  bool read_lambdas();
  bool read_literals(std::vector<Term>* into);
  bool read_code();
  bool relocate();
  bool relocate_word(Relocation kind, uint32_t at);
  bool sort_cases(uint32_t at);
  bool read_functions();
  bool read_tables();
  bool read_lines();
  bool atom_at(uint32_t index, Term* t) const {
    if (index >= atoms_.size()) return false;
    *t = atoms_[index];
    return true;
  }
  bool is_code(uint64_t at) const { return at < module_->code_words; }

  CodeTable& table_;
  ImageReader r_;
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  std::vector<Term> atoms_, literals_, made_;
  std::vector<Export*> references_;
};

bool ImageLinker::read_atoms() {
  const Texts texts(r_);
  if (!r_.ok()) return false;
  atoms_.reserve(texts.size());
  Bytes b;
  for (size_t k = 0; k < texts.size(); ++k) {
    if (!texts.get(k, &b)) return false;
    const int64_t chars = text_length(b);
    if (chars < 0 || chars > kMaxAtomChars) return false;
    const std::string_view s(reinterpret_cast<const char*>(b.data()), b.size());
    Term t = intern(s);
    if (is_fault(t)) return false;  // the file says it in its own words
    atoms_.push_back(t);
  }
  return true;
}

bool ImageLinker::read_references() {
  const auto references = r_.list<Reference>();
  references_.reserve(references.size());
  for (const Reference& x : references) {
    Term m, f;
    if (!atom_at(x.module, &m) || !atom_at(x.function, &f)) return false;
    if (Relocations::answers(table_, m, f, x.arity) != (x.flags & Reference::kAsked)) return false;
    Export* e = nullptr;
    if (x.flags & Reference::kLinked) {
      e = table_.export_entry(m, f, x.arity);
      if (x.flags & Reference::kImported) e->imported.store(true, std::memory_order_relaxed);
    }
    references_.push_back(e);
  }
  return r_.ok();
}

bool ImageLinker::read_lambdas() {
  for (const ImageLambda& l : r_.list<ImageLambda>()) {
    Term name;
    if (!atom_at(l.name, &name)) return false;
    FunEntry* f = table_.fun_entry(module_->name, l.index, l.old_uniq, l.index, module_->md5,
                                   l.arity, l.free_count);
    f->name = name;
    module_->funs.push_back(f);
    module_->fun_entries.push_back(l.entry);
  }
  return r_.ok();
}

bool ImageLinker::read_literals(std::vector<Term>* into) {
  const Texts texts(r_);
  if (!r_.ok()) return false;
  into->reserve(texts.size());
  Bytes b;
  for (size_t k = 0; k < texts.size(); ++k) {
    if (!texts.get(k, &b)) return false;
    Term t = decode_term(module_->literals, b.data(), b.size(), {.keys_twice = true});
    if (is_fault(t)) return false;
    into->push_back(t);
  }
  return true;
}

bool ImageLinker::read_code() {
  const auto code = r_.list<Word>();
  const auto instructions = r_.list<uint16_t>();
  if (!r_.ok() || code.empty()) return false;
  for (uint16_t i : instructions) {
    if (i >= kHandlerCount) return false;
  }
  Module& m = *module_;
  const size_t bytes = (code.size_bytes() + 15) / 16 * 16;
  m.code = static_cast<Word*>(must_malloc(bytes, "code"));
  m.code_words = code.size();
  prefault(m.code, bytes);
  memcpy(m.code, code.data(), code.size_bytes());
  m.instructions.assign(instructions.begin(), instructions.end());
  return relocate();
}

bool ImageLinker::relocate_word(Relocation kind, uint32_t at) {
  Word& w = module_->code[at];
  const uint64_t index = w;
  auto pick = [&](const auto& from, auto as_word) {
    if (index >= from.size()) return false;
    w = as_word(from[index]);
    return true;
  };
  auto same = [](Term t) { return t; };
  auto address = [](const auto* p) { return reinterpret_cast<Word>(p); };
  switch (kind) {
    case Relocation::handler:
      if (index >= kHandlerCount) return false;
      w = table_.handlers()[index];
      return true;
    case Relocation::atom:
      return pick(atoms_, same);
    case Relocation::literal:
      return pick(literals_, same);
    case Relocation::made:
      return pick(made_, same);
    case Relocation::exported:
      return pick(references_, address) && w;
    case Relocation::guard:
      return pick(references_,
                  [](const Export* e) { return e ? reinterpret_cast<Word>(e->guard) : Word{0}; }) &&
             w;
    case Relocation::lambda:
      return pick(module_->funs, address);
    case Relocation::string:
      if (index > module_->strings.size()) return false;
      w = reinterpret_cast<Word>(module_->strings.data() + index);
      return true;
    case Relocation::code:
      if (!is_code(index)) return false;
      w = reinterpret_cast<Word>(module_->code + index);
      return true;
    case Relocation::sorted:
      return sort_cases(at);
    case Relocation::count:
      break;
  }
  return false;
}

/// select_val's: how many words, values, targets. Comes last, when the values are there.
bool ImageLinker::sort_cases(uint32_t at) {
  Word* list = module_->code + at;
  const uint64_t n = list[0] / 2, room = module_->code_words - at;
  if (2 * n >= room) return false;
  struct Case {
    Word value, target;
  };
  std::vector<Case> cases(n);
  for (size_t k = 0; k < n; ++k) cases[k] = {list[1 + k], list[1 + n + k]};
  std::ranges::sort(cases, {}, &Case::value);
  for (size_t k = 0; k < n; ++k) list[1 + k] = cases[k].value, list[1 + n + k] = cases[k].target;
  return true;
}

bool ImageLinker::relocate() {
  for (size_t kind = 0; kind < kRelocations; ++kind) {
    for (uint32_t at : r_.list<uint32_t>()) {
      if (!is_code(at) || !relocate_word(static_cast<Relocation>(kind), at)) return false;
    }
  }
  return r_.ok();
}

bool ImageLinker::read_functions() {
  Module& m = *module_;
  for (const ImageFunction& f : r_.list<ImageFunction>()) {
    Term name;
    if (!atom_at(f.name, &name) || !is_code(f.start) || !is_code(f.entry)) return false;
    if (f.entry < kHeaderWords || f.first_instruction > m.instructions.size()) return false;
    if (!m.functions.empty() && f.first_instruction < m.functions.back().first_instruction)
      return false;
    m.functions.push_back({name, f.arity, f.start, f.entry, f.first_instruction});
  }
  for (uint32_t k : r_.list<uint32_t>()) {
    if (k >= m.functions.size()) return false;
    m.replaceable.push_back(k);
  }
  return r_.ok();
}

bool ImageLinker::read_tables() {
  Module& m = *module_;
  for (const ImageExport& x : r_.list<ImageExport>()) {
    if (x.reference >= references_.size() || !references_[x.reference] || !is_code(x.entry))
      return false;
    m.exports.push_back({references_[x.reference], x.entry});
  }
  for (uint32_t x : r_.list<uint32_t>()) {
    if (x >= references_.size() || !references_[x]) return false;
    m.imports.push_back(references_[x]);
  }
  return r_.ok() && std::ranges::all_of(m.fun_entries, [&](uint32_t e) { return is_code(e); });
}

bool ImageLinker::read_lines() {
  const auto lines = r_.list<Module::LineEntry>();
  module_->lines.assign(lines.begin(), lines.end());
  const Texts files(r_);
  if (!r_.ok()) return false;
  std::vector<std::string> names(files.size());
  Bytes b;
  for (size_t k = 0; k < names.size(); ++k) {
    if (!files.get(k, &b)) return false;
    names[k].assign(reinterpret_cast<const char*>(b.data()), b.size());
  }
  name_files(*module_, names);
  return std::ranges::all_of(lines, [&](auto& l) { return l.file < names.size(); });
}

std::unique_ptr<Module> ImageLinker::run() {
  if (!read_atoms() || !read_references()) return nullptr;
  const auto fixed = r_.value<Fixed>();
  Module& m = *module_;
  if (!atom_at(fixed.name, &m.name)) return nullptr;
  memcpy(m.md5, fixed.md5, sizeof m.md5);
  m.declares_nifs = fixed.declares_nifs;
  m.strings = r_.text();
  m.attributes = r_.text();
  m.compile_info = r_.text();
  if (!read_lambdas() || !read_literals(&literals_) || !read_literals(&made_) ||
      !read_literals(&m.records) || !std::ranges::all_of(m.records, is_record_template) ||
      !read_code())
    return nullptr;
  if (fixed.on_load_entry && !is_code(fixed.on_load_entry)) return nullptr;
  m.on_load_entry = fixed.on_load_entry;
  if (!read_functions() || !read_tables() || !read_lines() || !r_.at_end()) return nullptr;
  m.from_image = true;
  if (table_.warms_up()) count_calls(table_, m);
  return std::move(module_);
}

}  // namespace

std::vector<uint8_t> write_image(const Module& m, const BeamFile& file, Relocations r) {
  // First what adds atoms and references, to tables that come first.
  std::vector<ImageFunction> functions;
  for (const Module::Function& f : m.functions) {
    functions.push_back({r.atom(f.name), f.arity, f.start, f.entry, f.first_instruction});
  }
  std::vector<ImageExport> exports;
  for (const Module::Exported& x : m.exports) {
    const Export& e = *x.target;
    exports.push_back({r.link(e.module, e.function, e.arity), x.entry});
  }
  std::vector<uint32_t> imports;
  for (const Export* e : m.imports) imports.push_back(r.link(e->module, e->function, e->arity));
  std::vector<ImageLambda> lambdas;
  for (size_t k = 0; k < m.funs.size(); ++k) {
    const FunEntry& f = *m.funs[k];
    lambdas.push_back(
        {r.atom(f.name), f.arity, f.index, f.free_count, f.old_uniq, m.fun_entries[k]});
  }
  Fixed fixed{};
  memcpy(fixed.md5, m.md5, sizeof fixed.md5);
  fixed.name = r.atom(m.name);
  fixed.on_load_entry = m.on_load_entry;
  fixed.declares_nifs = m.declares_nifs;

  ImageWriter w;
  write_texts(w, r.atoms(), [](Term t, auto* all) { append_text(atom_text(t), all); });
  w.list(r.references());
  w.value(fixed);
  w.text(m.strings);
  w.text(m.attributes);
  w.text(m.compile_info);
  w.list(lambdas);
  write_texts(w, file.literals,
              [](Bytes b, auto* all) { all->insert(all->end(), b.begin(), b.end()); });
  write_texts(w, r.made(), [](Term t, auto* all) { encode_term(t, {.minor_version = 2}, all); });
  write_texts(w, m.records, [](Term t, auto* all) { encode_term(t, {.minor_version = 2}, all); });
  w.list(r.code());
  w.list(m.instructions);
  for (size_t kind = 0; kind < kRelocations; ++kind) {
    std::vector<uint32_t> at;
    for (const auto& p : r.places(static_cast<Relocation>(kind))) at.push_back(p.at);
    w.list(at);
  }
  w.list(functions);
  w.list(m.replaceable);
  w.list(exports);
  w.list(imports);
  w.list(m.lines);
  write_texts(w, m.lines.empty() ? std::vector<std::string>() : file.line_files, append_text);
  return w.take();
}

std::unique_ptr<Module> link_image(CodeTable& table, std::span<const uint8_t> image) {
  return ImageLinker(table, image).run();
}

}  // namespace wb
