// Whose alias is it? A reference that is an alias has its process' pid inside, which its text does
// not show: so who writes texts of terms notes those that are in them.
#pragma once

#include <string>
#include <unordered_map>

#include "term/term.h"

namespace wb {

class JsonWriter;

class AliasOwners {
 public:
  static constexpr size_t kMostAliases = 200, kMostTerms = 20'000;

  /// Looks through `t`, and through so many terms in all.
  void note_aliases(Term t);
  /// [[reference, pid], ...]
  void write(JsonWriter& w, const char* name) const;

 private:
  size_t left_ = kMostTerms;
  std::unordered_map<std::string, Term> owners_;
};

}  // namespace wb
