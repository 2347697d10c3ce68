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

/// The data of a raw answer, {"id":0,"ok":true,"data":{...}}, as text; empty: there is none.
std::string data_of_answer(const std::string& raw);

}  // namespace wb
