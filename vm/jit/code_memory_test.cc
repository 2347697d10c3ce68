#include "vm/jit/code_memory.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "vm/interp/interpreter.h"

namespace wb {

static const void* home() { return reinterpret_cast<const void*>(make_handler_table(false)[0]); }

/// The sanitizer would look for a type before the code.
__attribute__((no_sanitize("function"))) static int call(const uint8_t* code) {
  return reinterpret_cast<int (*)()>(reinterpret_cast<uintptr_t>(code))();
}

TEST_CASE("what is written here runs there", "[code_memory_test]") {
  auto m = CodeMemory::make(home(), CodeMemory::Region::baseline, 1 << 20);
  REQUIRE(m);
  CodeMemory::Block b = m->allocate(6);
  REQUIRE(b.write);
  CHECK(b.size == 16);
  memcpy(b.write, "\xb8\x2a\x00\x00\x00\xc3", 6);  // mov $42, %eax; ret
  CHECK(call(b.run) == 42);
  CHECK(std::abs(reinterpret_cast<const char*>(home()) - reinterpret_cast<const char*>(b.run)) <
        (int64_t{1} << 31));
}

TEST_CASE("blocks given back are taken again, neighbours become one", "[code_memory_test]") {
  auto m = CodeMemory::make(home(), CodeMemory::Region::baseline, 4096);
  REQUIRE(m);
  CodeMemory::Block blocks[4];
  for (auto& b : blocks) b = m->allocate(1024);
  CHECK(m->used() == 4096);
  CHECK(!m->allocate(1).write);
  m->give_back(blocks[0]);
  m->give_back(blocks[2]);
  CHECK(!m->allocate(2048).write);
  m->give_back(blocks[1]);
  CHECK(m->allocate(3072).write == blocks[0].write);
  m->give_back(blocks[3]);
  CHECK(m->used() == 3072);
}

TEST_CASE("what a block does not need is taken again", "[code_memory_test]") {
  auto m = CodeMemory::make(home(), CodeMemory::Region::baseline, 4096);
  REQUIRE(m);
  CodeMemory::Block b = m->allocate(4096);
  m->trim(b, 100);
  CHECK(b.size == 112);
  CHECK(m->used() == 112);
  CodeMemory::Block next = m->allocate(4096 - 112);
  CHECK(next.write == b.write + 112);
  m->trim(next, next.size);
  CHECK(m->used() == 4096);
  m->give_back(b);
  CHECK(m->allocate(112).run == b.run);
}

}  // namespace wb
