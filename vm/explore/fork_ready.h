// What makes a fork cheap: a child should find all it needs in the page tables that it inherits.
//
// Pages of files are not in them, so each child would fault in the code it runs, function after
// function; the dynamic linker would look up each function of a library at its first call, in each
// child again; and malloc, which locks and renews each of its arenas at a fork, writes to a page
// for each. So the code is copied into memory of the process, at the same addresses, and the
// program starts itself once more with all symbols bound and one arena.
#pragma once

#include <cstdint>
#include <vector>

namespace wb {

/// Starts this program again with its arguments, unless it has been or that fails.
void restart_for_forks(char** argv);
struct CodeRange {
  uint64_t begin, end;
  bool operator==(const CodeRange&) const = default;
};
/// Code of files that this process has run since it was forked (or some pages more).
std::vector<CodeRange> code_used();
/// From here on that code is memory of the process. Tools that read maps then do not know its
/// symbols.
void own_code(const std::vector<CodeRange>& ranges);

}  // namespace wb
