// `whitebeam run prog.erl`: compiled once with erlc, then taken from the cache until something it
// was made from changes.
//
// $XDG_CACHE_HOME/whitebeam/<hash>/ holds MODULE.beam and `made_from`, the files erlc says it read.
// The hash covers the source's path and text and the compiler; an include file that is newer than
// the .beam makes it stale. A compilation writes into a directory of its own, and its files are
// then renamed one by one: two at once are harmless, an interrupted one leaves nothing that looks
// finished, and what it leaves is removed by the next. Where the cache cannot be written (a system
// user, a read-only home), a directory of ours among the temporary ones takes its place.
#pragma once

#include <string>
#include <vector>

namespace wb {

struct CompiledProgram {
  std::string beam;   ///< path; empty: failed
  std::string error;  ///< for people; empty if erlc has said it all
};
/// `code_paths`: where erlc finds behaviours and parse transforms.
CompiledProgram compile_erl(const std::string& source, const std::vector<std::string>& code_paths,
                            const std::string& otp_root);

}  // namespace wb
