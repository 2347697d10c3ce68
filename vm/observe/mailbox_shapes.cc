#include "vm/observe/mailbox_shapes.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "term/atom.h"
#include "term/binary.h"
#include "term/print.h"
#include "vm/observe/json.h"
#include "vm/process/process.h"
#include "vm/process/signal.h"

namespace wb {
namespace {

constexpr size_t kMostMessages = 5000, kMostShapes = 200, kMostShown = 20, kMostElements = 6;

/// Atoms and how tuples are nested.
void append_shape(std::string* out, Term t, int depth) {
  if (is_atom(t)) {
    *out += to_text(t, {.strings = true, .limit = 60});
  } else if (is_tuple(t) && depth) {
    const size_t n = tuple_arity(t);
    *out += '{';
    for (size_t k = 0; k < std::min(n, kMostElements); ++k) {
      if (k) *out += ',';
      append_shape(out, tuple_elements(t)[k], depth - 1);
    }
    *out += n > kMostElements ? ",...}" : "}";
  } else {
    *out += is_tuple(t)    ? "{...}"
            : is_list(t)   ? (is_nil(t) ? "[]" : "[_]")
            : is_binary(t) ? "<<_>>"
            : is_map(t)    ? "#{}"
                           : "_";
  }
}

}  // namespace

void write_message_shapes(JsonWriter& w, const Process& p) {
  struct Sum {
    uint64_t messages = 0, words = 0;
  };
  std::unordered_map<std::string, Sum> sums;
  size_t n = 0;
  for (const Signal* s = p.messages; s && n < kMostMessages; s = s->next, ++n) {
    std::string shape;
    append_shape(&shape, s->term, 2);
    if (sums.size() >= kMostShapes && !sums.contains(shape)) shape = "(others)";
    Sum& sum = sums[shape];
    ++sum.messages, sum.words += fragment_words(*s);
  }
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return a.second.messages != b.second.messages ? a.second.messages > b.second.messages
                                                  : a.first < b.first;
  });
  if (rows.size() > kMostShown) rows.resize(kMostShown);
  w.number("shaped", n).array("shapes");
  for (const auto& [shape, sum] : rows) {
    w.open('{').text("shape", shape).number("messages", sum.messages);
    w.number("bytes", sum.words * sizeof(Term)).close('}');
  }
  w.close(']');
}

}  // namespace wb
