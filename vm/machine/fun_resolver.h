// What print, order, hash and the external format must know of funs (term/external.h), answered by
// the code table.
#pragma once

#include "loader/code_table.h"
#include "term/external.h"

namespace wb {

class CodeFunResolver final : public FunResolver {
 public:
  explicit CodeFunResolver(CodeTable& code) : code_(code) {}
  void* fun_entry(Term module, uint32_t old_index, uint32_t old_uniq, uint32_t index,
                  const uint8_t uniq[16], uint32_t arity, uint32_t free_count) override {
    return code_.fun_entry(module, old_index, old_uniq, index, uniq, arity, free_count);
  }
  void* export_entry(Term module, Term function, uint32_t arity) override {
    return code_.ordered_export(module, function, arity);
  }
  bool export_exists(Term module, Term function, uint32_t arity) override {
    const Export* e = code_.find_export(module, function, arity);
    if (e && (e->loaded || e->imported || e->bif || e->builtin)) return true;
    // OTP's own would be there already, loaded when it starts.
    return !code_.find_module(module) && !code_.path.find(atom_text(module)).empty();
  }
  FunFacts describe_fun(void* entry) override {
    auto* f = static_cast<FunEntry*>(entry);
    return {f->module, f->old_index, f->old_uniq, f->index, f->arity, f->uniq, f->name};
  }
  ExportFacts describe_export(void* entry) override {
    auto* e = static_cast<Export*>(entry);
    return {e->module, e->function, e->arity};
  }

 private:
  CodeTable& code_;
};

}  // namespace wb
