#include "loader/export_table.h"

namespace wb {

std::unique_ptr<ExportTable::Array> ExportTable::new_array(size_t size) {
  auto a = std::make_unique<Array>();
  a->mask = size - 1;
  a->slots = std::make_unique<std::atomic<Export*>[]>(size);
  return a;
}

ExportTable::ExportTable() {
  arrays_.push_back(new_array(4096));
  array_.store(arrays_.back().get(), std::memory_order_release);
}

ExportTable::~ExportTable() {
  each([](Export& e) { delete &e; });
}

Export* ExportTable::find(Term module, Term function, uint32_t arity) const {
  const Array* a = array_.load(std::memory_order_acquire);
  for (size_t k = hash(module, function, arity);; ++k) {
    Export* e = a->slots[k & a->mask].load(std::memory_order_acquire);
    if (!e) return nullptr;
    if (e->module == module && e->function == function && e->arity == arity) return e;
  }
}

void ExportTable::put(Array& a, Export* e) {
  size_t k = hash(e->module, e->function, e->arity);
  while (a.slots[k & a.mask].load(std::memory_order_relaxed)) ++k;
  a.slots[k & a.mask].store(e, std::memory_order_release);
}

void ExportTable::add(Export* e) {
  Array* a = arrays_.back().get();
  if (++count_ * 3 > (a->mask + 1) * 2) {
    auto bigger = new_array((a->mask + 1) * 2);
    each([&](Export& old) { put(*bigger, &old); });
    arrays_.push_back(std::move(bigger));
    a = arrays_.back().get();
    put(*a, e);
    array_.store(a, std::memory_order_release);
    return;
  }
  put(*a, e);
}

}  // namespace wb
