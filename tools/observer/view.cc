#include "tools/observer/view.h"

#include "tools/observer/table.h"
#include "tools/observer/terminal.h"

namespace wb {

void View::order_by(int heading) {
  if (table()) table()->order_by(heading);
}

void View::wheel(int rows, Navigation& where) {
  if (table()) return table()->move(rows);
  for (; rows; rows += rows < 0 ? 1 : -1) key(rows < 0 ? kKeyUp : kKeyDown, where);
}

}  // namespace wb
