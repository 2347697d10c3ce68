#include "loader/relocations.h"

#include "loader/code_table.h"

namespace wb {

// The file's atoms come first and in its order, so that linking an image numbers new atoms as
// loading the file does.
Relocations::Relocations(const CodeTable& table, const BeamFile& file) : table_(table) {
  for (size_t k = 1; k < file.atoms.size(); ++k) atom(file.atoms[k]);
}

uint32_t Relocations::atom(Term t) {
  auto [at, is_new] = atom_index_.try_emplace(t, static_cast<uint32_t>(atoms_.size()));
  if (is_new) atoms_.push_back(t);
  return at->second;
}

void Relocations::name_literals(const std::vector<Term>& literals) {
  for (size_t k = 0; k < literals.size(); ++k) {
    if (!is_immediate(literals[k])) literal_index_.emplace(literals[k], static_cast<uint32_t>(k));
  }
}

void Relocations::add_term(uint32_t at, Term t) {
  if (is_atom(t)) return add(Relocation::atom, at, atom(t));
  if (is_immediate(t)) return;
  if (auto known = literal_index_.find(t); known != literal_index_.end())
    return add(Relocation::literal, at, known->second);
  auto [own, is_new] = made_index_.try_emplace(t, static_cast<uint32_t>(made_.size()));
  if (is_new) made_.push_back(t);
  add(Relocation::made, at, own->second);
}

uint32_t Relocations::answers(const CodeTable& table, Term module, Term function, uint32_t arity) {
  const Export* e = table.find_export(module, function, arity);
  if (!e) return 0;
  return (e->bif ? Reference::kBif : 0u) | (e->builtin ? Reference::kBuiltin : 0u) |
         (e->guard ? Reference::kGuard : 0u);
}

uint32_t Relocations::ask(Term module, Term function, uint32_t arity) {
  auto [at, is_new] = reference_index_.try_emplace({module, function, arity},
                                                   static_cast<uint32_t>(references_.size()));
  if (is_new) {
    const uint32_t answer = answers(table_, module, function, arity);
    references_.push_back({atom(module), atom(function), arity, answer});
  }
  return at->second;
}

uint32_t Relocations::link(Term module, Term function, uint32_t arity) {
  const uint32_t index = ask(module, function, arity);
  const Export* e = table_.find_export(module, function, arity);
  const bool imported = e && e->imported.load(std::memory_order_relaxed);
  references_[index].flags |= Reference::kLinked | (imported ? Reference::kImported : 0u);
  return index;
}

void Relocations::take_code(std::vector<Word> code) {
  code_ = std::move(code);
  for (size_t kind = 0; kind < kRelocations; ++kind) {
    if (static_cast<Relocation>(kind) == Relocation::sorted) continue;
    for (const Place& p : places_[kind]) code_[p.at] = p.value;
  }
}

}  // namespace wb
