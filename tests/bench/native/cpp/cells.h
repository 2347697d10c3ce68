// Lists of numbers, in a pool that is emptied at once.
#pragma once

#include <memory>

struct Cell {
  long head;
  const Cell* tail;
};
using List = const Cell*;

class Cells {
 public:
  explicit Cells(size_t capacity) : cells_(new Cell[capacity]) {}
  List cons(long head, List tail) { return &(cells_[used_++] = {head, tail}); }
  void clear() { used_ = 0; }

 private:
  std::unique_ptr<Cell[]> cells_;
  size_t used_ = 0;
};
