// Entries that lead nowhere, or lie.
#include "vm/nif/claims.h"

#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <cstring>

using namespace wb;

namespace {

ERL_NIF_TERM body(ErlNifEnv*, int, const ERL_NIF_TERM[]) { return 0; }

/// A page, and none behind it.
struct LastPage {
  LastPage() {
    void* both = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin = static_cast<char*>(both);
    mprotect(begin + 4096, 4096, PROT_NONE);
  }
  ~LastPage() { munmap(begin, 8192); }
  char* last(size_t n) { return begin + 4096 - n; }
  char* begin;
};

struct Library {
  ErlNifFunc functions[2] = {{"a", 0, body, 0}, {"b", 1, body, 0}};
  ErlNifEntry entry = {ERL_NIF_MAJOR_VERSION,
                       ERL_NIF_MINOR_VERSION,
                       "m",
                       2,
                       functions,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr,
                       ERL_NIF_VM_VARIANT,
                       1,
                       sizeof(ErlNifResourceTypeInit),
                       "erts-12.0"};
  std::string said(size_t most = 10) const { return wrong_in_entry(NifEntry(&entry), most); }
};

template <class Change>
std::string changed(Change change, size_t most = 10) {
  Library l;
  change(l);
  return l.said(most);
}

template <class T>
T* nowhere() {
  return reinterpret_cast<T*>(uintptr_t{0x10});
}

}  // namespace

TEST_CASE("claims: memory of which nobody knows") {
  UnknownMemory memory;
  LastPage page;
  char here = 1;
  CHECK(memory.has(&here));
  CHECK(memory.has(page.begin, 4096));
  CHECK(!memory.has(page.begin, 4097));
  CHECK(!memory.has(page.last(1), 2));
  CHECK(!memory.has(nullptr, 1));
  CHECK(!memory.has(nowhere<char>()));
  CHECK(!memory.has(&here, SIZE_MAX));
  strcpy(page.last(4), "abc");
  CHECK(memory.has_text(page.last(4)));
  *page.last(1) = 'd';
  CHECK(!memory.has_text(page.last(4)));
  CHECK(!memory.has_text(std::string(100'000, 'x').c_str()));
  CHECK(memory.has_text(""));
}

TEST_CASE("claims: an entry that leads nowhere") {
  CHECK(Library{}.said() == "");
  CHECK(wrong_in_entry(NifEntry(nowhere<ErlNifEntry>()), 1) == "it is not there");
  CHECK(wrong_in_entry(NifEntry(nullptr), 1) == "it is not there");
  LastPage page;
  auto* short_entry = reinterpret_cast<ErlNifEntry*>(page.last(offsetof(ErlNifEntry, options)));
  const Library whole;
  memcpy(static_cast<void*>(short_entry), &whole.entry, offsetof(ErlNifEntry, options));
  CHECK(wrong_in_entry(NifEntry(short_entry), 0) == "it ends too early");
  short_entry->minor = 1;  // as long as that version's is
  CHECK(wrong_in_entry(NifEntry(short_entry), 0) == "");
  for (const char* text :
       {static_cast<const char*>(nullptr), static_cast<const char*>(nowhere<char>())}) {
    CHECK(changed([&](Library& l) { l.entry.name = text; }) == "it has no name");
    CHECK(changed([&](Library& l) { l.entry.vm_variant = text; }) == "it has no variant");
    auto second = [&](Library& l) { l.functions[1].name = text; };
    CHECK(changed(second) == "a function has no name");
    CHECK(changed(second, 0) == "");  // nobody looks at it
  }
  CHECK(changed([](Library& l) { l.entry.min_erts = nowhere<char>(); }) ==
        "the release needed is none");
}

TEST_CASE("claims: versions and counts that cannot be") {
  CHECK(changed([](Library& l) { l.entry.minor = -1; }) == "its version is none");
  CHECK(changed([](Library& l) { l.entry.num_of_funcs = -1; }) ==
        "the number of its functions is none");
  CHECK(changed([](Library& l) { l.functions[0].fptr = nullptr; }) == "function a has no body");
  CHECK(changed([](Library& l) { l.entry.funcs = nullptr; }) ==
        "its table of functions ends too early");
  CHECK(changed([](Library& l) { l.entry.funcs = nullptr, l.entry.num_of_funcs = 0; }) == "");
  LastPage page;
  auto one = [&](int count) {
    return [&page, count](Library& l) {
      l.entry.funcs = reinterpret_cast<ErlNifFunc*>(page.last(sizeof(ErlNifFunc)));
      *l.entry.funcs = {"a", 0, body, 0};
      l.entry.num_of_funcs = count;
    };
  };
  CHECK(changed(one(1)) == "");
  CHECK(changed(one(INT_MAX), 0) == "");
  CHECK(changed(one(INT_MAX), 1) == "its table of functions ends too early");
}

TEST_CASE("claims: drivers") {
  CHECK(wrong_in_entry(nowhere<ErlDrvEntry>()) == "it is not there");
  ErlDrvEntry entry{};
  CHECK(wrong_in_entry(&entry) == "it has no name");
  char name[] = "d";
  entry.driver_name = name;
  CHECK(wrong_in_entry(&entry) == "");
}
