#include "vm/ets/table_report.h"

#include <fmt/format.h>

#include "gc/fragment.h"
#include "term/print.h"
#include "vm/ets/tables.h"

namespace wb {
namespace {

class Shown final : public Visitor {
 public:
  Verdict visit(const TableObject& o) override {
    text += (text.empty() ? "" : ",") + to_text(o.tuple(), kDisplay);
    return Verdict::keep;
  }
  std::string text;
};

std::string slots(Table& t) {
  std::string report;
  for (uint64_t n = 0;; ++n) {
    Shown slot;
    if (t.slot(n, slot) != 1) return report;
    if (!slot.text.empty()) report += fmt::format("{}: [{}]\n", n, slot.text);
  }
}

}  // namespace

std::string table_report(Table& t, bool objects) {
  static constexpr const char* kTypes[] = {"set", "bag", "duplicate_bag", "ordered_set"};
  static constexpr const char* kProtections[] = {"public", "protected", "private"};
  FragmentHeap h(16);
  const std::string name = atom_source(t.name());
  std::string report =
      fmt::format("=ets:{}\nSlot: {}\nTable: {}\nName: {}\n", to_text(t.owner()),
                  reinterpret_cast<uintptr_t>(&t), to_text(EtsTables::handle(h, t)), name);
  if (t.is_ordered()) report += fmt::format("Ordered set (AVL tree), Elements: {}\n", t.size());
  if (objects && !t.is_ordered()) report += slots(t);
  return report + fmt::format(
                      "Objects: {}\nWords: {}\nType: {}\nProtection: {}\nCompressed: {}\n"
                      "Write Concurrency: {}\nRead Concurrency: {}\n",
                      t.size(), t.memory_words(), kTypes[static_cast<int>(t.options.type)],
                      kProtections[static_cast<int>(t.protection())], t.options.compressed,
                      t.options.write_concurrency != am::false_, t.options.read_concurrency);
}

}  // namespace wb
