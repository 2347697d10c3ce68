#include "vm/nif/terminfo.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "base/ranked_lock.h"

namespace wb {
namespace {

using LibraryLock = RankedLock<LockRank::terminfo>;
LibraryLock& library_lock() {
  static LibraryLock lock;
  return lock;
}
thread_local std::string* put_into = nullptr;
int put(int c) {
  put_into->push_back(static_cast<char>(c));
  return c;
}

template <class F>
bool find(void* library, const char* name, F* out) {
  *out = reinterpret_cast<F>(dlsym(library, name));
  return *out != nullptr;
}

}  // namespace

Terminfo* Terminfo::get() {
  static Terminfo* const found = []() -> Terminfo* {
    for (const char* name :
         {"libtinfo.so.6", "libtinfo.so.5", "libncursesw.so.6", "libncurses.so.6"}) {
      void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (!library) continue;
      auto* made = new Terminfo;
      if (made->bind(library)) return made;
      delete made;
      dlclose(library);
    }
    return nullptr;
  }();
  return found;
}

bool Terminfo::bind(void* library) {
  constexpr const char* kNames[3][3] = {{"boolcodes", "boolnames", "boolfnames"},
                                        {"numcodes", "numnames", "numfnames"},
                                        {"strcodes", "strnames", "strfnames"}};
  for (size_t sort = 0; sort < 3; ++sort) {
    for (size_t k = 0; k < 3; ++k) {
      if (!find(library, kNames[sort][k], &names_[sort][k])) return false;
    }
  }
  return find(library, "tgetent", &tgetent_) && find(library, "setupterm", &setupterm_) &&
         find(library, "tgetnum", &tgetnum_) && find(library, "tgetflag", &tgetflag_) &&
         find(library, "tgetstr", &tgetstr_) && find(library, "tigetstr", &tigetstr_) &&
         find(library, "tgoto", &tgoto_) && find(library, "tparm", &tparm_) &&
         find(library, "tputs", &tputs_);
}

bool Terminfo::load_termcap(const char* terminal) {
  std::lock_guard guard(library_lock());
  errno = 0;
  return tgetent_(nullptr, terminal) > 0;
}

bool Terminfo::setup() {
  std::lock_guard guard(library_lock());
  int error = 0;
  errno = 0;
  return setupterm_(nullptr, STDOUT_FILENO, &error) == 0;
}

int Terminfo::number(const char* name) {
  std::lock_guard guard(library_lock());
  return tgetnum_(name);
}

bool Terminfo::flag(const char* name) {
  std::lock_guard guard(library_lock());
  return tgetflag_(name) > 0;
}

std::optional<std::string> Terminfo::termcap_text(const char* name) {
  std::lock_guard guard(library_lock());
  std::array<char, 4096> buffer;
  char* area = buffer.data();
  const char* found = tgetstr_(name, &area);
  if (!found || found == reinterpret_cast<char*>(-1)) return std::nullopt;
  return found;
}

Terminfo::Found Terminfo::text(const char* name, std::string* out) {
  std::lock_guard guard(library_lock());
  const char* found = tigetstr_(name);
  if (found == reinterpret_cast<char*>(-1)) return Found::unknown;
  if (!found) return Found::absent;
  *out = found;
  return Found::yes;
}

std::string Terminfo::go_to(const char* capability, int column, int row) {
  std::lock_guard guard(library_lock());
  const char* made = tgoto_(capability, column, row);
  return made ? made : "";
}

std::string Terminfo::fill(const char* capability, const std::vector<long>& parameters) {
  std::lock_guard guard(library_lock());
  const char* filled = capability;
  if (!parameters.empty()) {
    std::array<long, kParameters> p{};
    for (size_t k = 0; k < parameters.size() && k < kParameters; ++k) p[k] = parameters[k];
    filled = tparm_(capability, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
  }
  std::string out;
  put_into = &out;
  if (filled) tputs_(filled, 1, put);
  put_into = nullptr;
  return out;
}

std::vector<Terminfo::Name> Terminfo::names(Sort sort) const {
  const auto& [codes, names, full] = names_[static_cast<size_t>(sort)];
  std::vector<Name> all;
  for (size_t k = 0; codes[k] && names[k] && full[k]; ++k) {
    all.push_back({codes[k], names[k], full[k]});
  }
  return all;
}

}  // namespace wb
