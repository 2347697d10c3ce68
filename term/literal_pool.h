// Literals that come and go one by one: persistent terms.
//
// Each gets a block of its own. Small ones come from shared areas and go back to lists by size; one
// of a page or more has an area of its own, whose memory is given back at once.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "term/literal_area.h"

namespace wb {

class LiteralPool {
 public:
  Term* allocate(size_t words);
  /// As many words as were taken.
  void give_back(Term* block, size_t words);

 private:
  static constexpr size_t kLarge = 512;
  static size_t rounded(size_t words);

  LiteralArea small_;
  std::map<size_t, std::vector<Term*>> free_;
  std::unordered_map<Term*, std::unique_ptr<LiteralArea>> large_;
};

}  // namespace wb
