// What `warnings` says, for people: the terminal's home, --once, --alarm and a history say the same
// of a row.
#pragma once

#include <string>
#include <string_view>

#include "tools/observer/client.h"
#include "tools/observer/json_value.h"

namespace wb {

/// Asks until the machine has looked so often that each warning has shown itself: some seconds,
/// unless somebody has asked before. Of one kind, or of all if `what` is empty. The whole answer;
/// empty: there is none. `for_s`: the machine is to go on looking for so long, as who asks will ask
/// again.
std::string ask_settled_warnings(ObserverClient& client, std::string_view what, int limit,
                                 int for_s = 20);

/// The parts of a line about a row.
struct WarningText {
  explicit WarningText(const JsonValue& row);
  std::string kind;          ///< "scanning receive"
  std::string who;           ///< its name, or else its pid; empty: the machine
  std::string text;          ///< in numbers
  std::string place;         ///< ", in sick:await_stock/0 sick.erl:53", or empty
  std::string line() const;  ///< all of that
};

/// All that an answer has, each with why it is one and the request that tells more. Nothing if
/// there are none.
void print_warnings(const char* title, const JsonValue& warnings);

}  // namespace wb
