// The terminal database, by the system's libtinfo, which is opened when it is first asked. Where
// there is none, no terminal is known: OTP's shell then does without editing.
//
// Rejected: linking with it (the machine would not start without); reading the database itself (its
// search path and its formats are the library's own).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wb {

/// The library keeps one terminal for all of a process, and no two threads may call it.
class Terminfo {
 public:
  /// Null: there is no library.
  static Terminfo* get();

  bool load_termcap(const char* terminal);  ///< false: errno says why, perhaps
  bool setup();                             ///< of $TERM
  int number(const char* name);             ///< by the first two letters; -1: it has none
  bool flag(const char* name);
  /// By the name of termcap; nothing: it has none.
  std::optional<std::string> termcap_text(const char* name);
  enum class Found { yes, absent, unknown };
  Found text(const char* name, std::string* out);
  std::string go_to(const char* capability, int column, int row);
  /// With its parameters filled in, at most kParameters of them, and without padding.
  static constexpr size_t kParameters = 9;
  std::string fill(const char* capability, const std::vector<long>& parameters);

  struct Name {
    const char *code, *name, *full;
  };
  enum class Sort { flag, number, text };
  std::vector<Name> names(Sort sort) const;

 private:
  Terminfo() = default;
  bool bind(void* library);
  using Names = const char* const*;
  int (*tgetent_)(char*, const char*) = nullptr;
  int (*setupterm_)(const char*, int, int*) = nullptr;
  int (*tgetnum_)(const char*) = nullptr;
  int (*tgetflag_)(const char*) = nullptr;
  char* (*tgetstr_)(const char*, char**) = nullptr;
  char* (*tigetstr_)(const char*) = nullptr;
  char* (*tgoto_)(const char*, int, int) = nullptr;
  char* (*tparm_)(const char*, long, long, long, long, long, long, long, long, long) = nullptr;
  int (*tputs_)(const char*, int, int (*)(int)) = nullptr;
  Names names_[3][3] = {};
};

}  // namespace wb
