// For unit tests: a resolver of funs that remembers what it is given.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "term/external.h"
#include "term/instance.h"

namespace wb {

class TestFuns final : public FunResolver {
 public:
  TestFuns() { instance_.funs = this; }

  void* fun_entry(Term module, uint32_t old_index, uint32_t old_uniq, uint32_t index,
                  const uint8_t uniq[16], uint32_t arity, uint32_t) override {
    Local& f = locals_[{module, old_index, old_uniq}];
    f.uniq.assign(uniq, uniq + 16);
    f.facts = {module, old_index, old_uniq, index, arity, f.uniq.data(), module};
    return &f;
  }
  void* export_entry(Term module, Term function, uint32_t arity) override {
    return &(exports_[{module, function, arity}] = {module, function, arity});
  }
  FunFacts describe_fun(void* entry) override { return static_cast<Local*>(entry)->facts; }
  ExportFacts describe_export(void* entry) override { return *static_cast<ExportFacts*>(entry); }

 private:
  struct Local {
    FunFacts facts;
    std::vector<uint8_t> uniq;
  };
  TermInstance instance_;
  InstanceScope scope_{instance_};
  std::map<std::vector<uint64_t>, Local> locals_;
  std::map<std::vector<uint64_t>, ExportFacts> exports_;
};

}  // namespace wb
