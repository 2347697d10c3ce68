// Where the user's caches are.
#pragma once

#include <string>

namespace wb {

/// $XDG_CACHE_HOME/whitebeam or ~/.cache/whitebeam; empty: there is no home.
std::string users_cache();

/// The directory `name` of it (of /tmp/whitebeam-UID without a home), made if it is not there: for
/// what is run later, so it is the user's alone. Empty: `*error` says why.
std::string private_cache(const std::string& name, std::string* error);

}  // namespace wb
