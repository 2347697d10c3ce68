// Compiling and running match specifications from BIFs.
#pragma once

#include "vm/bif/bif.h"
#include "vm/ets/match_spec.h"

namespace wb {

inline match::Context match_context(const Process& p) {
  match::Context c;
  c.self = p.id;
  c.node = am::nonode_at_nohost;
  return c;
}

/// A program that lives as long as the scope.
class Compiled {
 public:
  explicit Compiled(Term spec, MatchDialect dialect = MatchDialect::table,
                    std::vector<std::string>* errors = nullptr)
      : spec_(MatchSpec::compile(spec, dialect, errors)) {}
  ~Compiled() {
    if (spec_) spec_->release();
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  explicit operator bool() const { return spec_ != nullptr; }
  MatchSpec& operator*() const { return *spec_; }
  MatchSpec* get() const { return spec_; }
  MatchSpec* detach() { return std::exchange(spec_, nullptr); }

 private:
  MatchSpec* spec_;
};

}  // namespace wb
