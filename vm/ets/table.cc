// Packed objects are shown as plain ones, and what comes of those is packed.
#include "vm/ets/table.h"

#include <optional>

#include "term/order.h"

namespace wb {

Table* Table::from_term(Term t) {
  if (!is_kind(t, Kind::magic_ref)) return nullptr;
  auto* object = reinterpret_cast<OffHeapObject*>(boxed_ptr(t)[1]);
  return object->destroy == destroy_table ? static_cast<Table*>(object) : nullptr;
}

Visitor::Verdict Table::show_packed(Visitor& v, const TableObject& o) const {
  Unpacked plain(o, options.keypos);
  return v.visit(plain.object());
}

TableObject* Table::updated_packed(Updater& u, TableObject& o) {
  Unpacked plain(o, options.keypos);
  TableObject* now = u.update(&plain.object());
  return now == &plain.object() ? make_object(now->tuple()) : now;
}

size_t Table::few_words(Term tuple) const {
  constexpr size_t kFew = 64;
  if (options.compressed) return 0;
  const size_t words = flat_size_deep_up_to(tuple, kFew);
  return words <= kFew ? words : 0;
}

bool Table::same_objects(TableObject& a, TableObject& b) const {
  using Form = TableObject::Form;
  if (WB_LIKELY(a.form == Form::plain && b.form == Form::plain))
    return equal_exact(a.tuple(), b.tuple());
  std::optional<Unpacked> plain_a, plain_b;
  if (a.form != Form::plain) plain_a.emplace(a, options.keypos);
  if (b.form != Form::plain) plain_b.emplace(b, options.keypos);
  return equal_exact((plain_a ? plain_a->object() : a).tuple(),
                     (plain_b ? plain_b->object() : b).tuple());
}

}  // namespace wb
