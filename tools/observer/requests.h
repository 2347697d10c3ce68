// Requests as text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace wb {

/// {"do": what} with these texts and numbers.
std::string observer_request(
    std::string_view what,
    std::initializer_list<std::pair<std::string_view, std::string_view>> texts = {},
    std::initializer_list<std::pair<std::string_view, int64_t>> numbers = {});

}  // namespace wb
