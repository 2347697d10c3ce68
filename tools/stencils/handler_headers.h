// What every file of handlers includes, parsed once for the stencils of each width and once for the
// bitcode: with the library's headers that is half of what a small file takes.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "vm/interp/handler.h"
