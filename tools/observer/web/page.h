// The page as it is served: bundle.html, in the binary (embed.cmake).
#pragma once

#include <string_view>

namespace wb {

std::string_view observer_page();

}  // namespace wb
