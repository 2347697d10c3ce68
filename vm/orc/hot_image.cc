#include "vm/orc/hot_image.h"

#include <algorithm>

#include "loader/image_bytes.h"

namespace wb {

namespace {

void write_name(ImageWriter& w, const HotFunction::Name& n) {
  w.text(n.module), w.text(n.function), w.value(n.arity);
}
HotFunction::Name read_name(ImageReader& r) {
  HotFunction::Name n;
  n.module = r.text(), n.function = r.text(), n.arity = r.value<uint32_t>();
  return n;
}

}  // namespace

std::vector<uint8_t> write_hot_function(const HotFunction& f) {
  ImageWriter w;
  w.value(f.digest);
  w.value(uint64_t{f.callees.size()});
  for (const HotFunction::Name& n : f.callees) write_name(w, n);
  w.list(f.funs);
  w.value(uint64_t{f.exports.size()});
  for (const HotFunction::Exported& e : f.exports) w.value(e.callee), write_name(w, e.target);
  w.list(f.floats);
  w.list(f.code.bytes), w.list(f.code.symbols), w.list(f.code.fixups);
  w.list(f.code.entries), w.list(f.code.lines), w.list(f.code.handlers);
  return w.take();
}

std::optional<HotFunction> read_hot_function(std::span<const uint8_t> bytes) {
  ImageReader r(bytes);
  HotFunction f;
  f.digest = r.value<uint64_t>();
  for (auto n = r.value<uint64_t>(); n-- && r.ok();) f.callees.push_back(read_name(r));
  r.list(&f.funs);
  for (auto n = r.value<uint64_t>(); n-- && r.ok();) {
    const auto callee = r.value<uint32_t>();
    f.exports.push_back({callee, read_name(r)});
  }
  r.list(&f.floats);
  r.list(&f.code.bytes), r.list(&f.code.symbols), r.list(&f.code.fixups);
  r.list(&f.code.entries), r.list(&f.code.lines), r.list(&f.code.handlers);
  const size_t callees = f.callees.size();
  auto is_callee = [&](const auto& x) { return x.callee < callees; };
  if (!r.at_end() || !std::ranges::all_of(f.funs, is_callee) ||
      !std::ranges::all_of(f.exports, is_callee) ||
      !std::ranges::all_of(f.floats, [&](const auto& x) { return x.of <= callees; }))
    return {};
  return f;
}

const HotFunctions::Item* HotFunctions::find(std::string_view name, uint32_t arity) const {
  auto at = std::ranges::find_if(items_,
                                 [&](const Item& i) { return i.arity == arity && i.name == name; });
  return at == items_.end() ? nullptr : &*at;
}

void HotFunctions::put(Item item) {
  if (auto* there = const_cast<Item*>(find(item.name, item.arity))) {
    *there = std::move(item);
  } else {
    items_.push_back(std::move(item));
  }
}

std::vector<uint8_t> HotFunctions::write() const {
  ImageWriter w;
  w.value(uint64_t{items_.size()});
  for (const Item& i : items_) w.text(i.name), w.value(i.arity), w.value(i.tries), w.list(i.bytes);
  return w.take();
}

bool HotFunctions::read(std::span<const uint8_t> file) {
  ImageReader r(file);
  std::vector<Item> items;
  for (auto n = r.value<uint64_t>(); n-- && r.ok();) {
    Item& i = items.emplace_back();
    i.name = r.text(), i.arity = r.value<uint32_t>(), i.tries = r.value<uint32_t>();
    r.list(&i.bytes);
  }
  if (!r.at_end()) return false;
  items_ = std::move(items);
  return true;
}

}  // namespace wb
