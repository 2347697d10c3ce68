// doc_tables NAME: a table of the documents, made of the .def file that says it
// (tests/generated_docs).
#include <fmt/format.h>

#include <string_view>

#include "vm/observe/columns.h"
#include "vm/observe/warning_kinds.h"

namespace wb {
namespace {

void print_columns() {
  fmt::print("| column | in a row | unit | shown as | |\n|---|---|---|---|---|\n");
  for (const ColumnFacts& c : kColumns) {
    std::string name = c.kind == ColumnFacts::told ? "" : fmt::format("`{}`", c.name);
    fmt::print("| {} | `{}` | {} | {} | {}{} |\n", name, c.key, told_unit(c.unit), c.title, c.hint,
               c.is_change() ? ", since the last tick" : "");
  }
}

void print_parked() {
  fmt::print("| `waits_for` | `process_info(P, status)` |\n|---|---|\n");
#define PARK_REASON(name, status, report, shown) \
  if (*shown) fmt::print("| `{}` | `{}` |\n", shown, #status);
#define PARK_VARIANT(name, status, shown) PARK_REASON(name, status, "", shown)
#include "vm/process/park_reasons.def"
}

void print_warnings() {
  fmt::print("| `what` | so at | leads to | key | why |\n|---|---|---|---|---|\n");
  for (const WarningFacts& w : kWarnings)
    fmt::print("| `{}` | {} | `{}` | {} | {} |\n", w.name, w.looks, w.leads_to, w.key, w.why);
}

void print_mailbox_policies() {
  fmt::print("| `when_full` | what becomes of a message without room |\n|---|---|\n");
#define MAILBOX_POLICY(name, what) fmt::print("| `{}` | {} |\n", #name, what);
#include "vm/process/mailbox_policies.def"
}

void print_policies() {
  fmt::print("| `{{policy, P}}` | what it promises |\n|---|---|\n");
#define POLICY(name, term, pattern, promise) fmt::print("| {} | {} |\n", pattern, promise);
#include "vm/process/policies.def"
}
void print_group_actions() {
  fmt::print("| `when_exceeded` | what becomes of the group |\n|---|---|\n");
#define GROUP_ACTION(name, what) fmt::print("| `{}` | {} |\n", #name, what);
#include "vm/process/group_actions.def"
}
void print_group_numbers() {
  fmt::print("| | what is counted |\n|---|---|\n");
#define GROUP_NUMBER(name, what) fmt::print("| `{}` | {} |\n", #name, what);
#include "vm/process/group_numbers.def"
}

void print_story_events() {
  fmt::print("| `kind` | |\n|---|---|\n");
#define STORY_EVENT(name, told, what) fmt::print("| `{}` | {} |\n", #name, what);
#include "vm/explore/story_events.def"
}

void print_locks() {
  fmt::print("| lock | what it guards |\n|---|---|\n");
#define LOCK_RANK(name, what) fmt::print("| `{}` | {} |\n", #name, what);
#include "base/lock_ranks.def"
#undef LOCK_RANK
}

void print_code_layers() {
  fmt::print("| layer | its words lead to |\n|---|---|\n");
#define LAYER(name, text, flags) fmt::print("| `{}` | {} |\n", #name, text);
#include "loader/code_layers.def"
#undef LAYER
}

struct Option {
  std::string_view flag, value, help;
};
#define OPTION(type, field, otherwise, flag, value, check, help) {flag, value, help},
constexpr Option kRunOptions[] = {
#include "vm/machine/run_options.def"
#define OPTION(type, field, otherwise, flag, value, check, help) {flag, value, help},
#define RUN_OPTION OPTION
#include "tools/options.def"
};
constexpr Option kObserveOptions[] = {
#define OBSERVE_OPTION OPTION
#include "tools/options.def"
};
constexpr Option kDisasmOptions[] = {
#define DISASM_OPTION OPTION
#include "tools/options.def"
};
constexpr Option kDoctorOptions[] = {
#define DOCTOR_OPTION OPTION
#include "tools/options.def"
};

constexpr Option kImageOptions[] = {
#define IMAGE_OPTION OPTION
#include "tools/options.def"
};

constexpr Option kBuildOptions[] = {
#define BUILD_OPTION OPTION
#include "tools/options.def"
};

constexpr Option kExploreOptions[] = {
#define EXPLORE_OPTION OPTION
#include "tools/options.def"
};

constexpr Option kReplayOptions[] = {
#define REPLAY_OPTION OPTION
#include "tools/options.def"
};

void print_endings() {
  fmt::print("| class | |\n|---|---|\n");
#define ENDING(name, text) fmt::print("| `{}` | {} |\n", #name, text);
#include "vm/explore/endings.def"
}

void print_relocations() {
  fmt::print("| words that hold | in an image |\n|---|---|\n");
#define RELOCATION(kind, holds, image) fmt::print("| {} | {} |\n", holds, image);
#include "loader/relocations.def"
}

void print_nif_rules() {
  fmt::print("| rule | broken by a library that | after it |\n|---|---|---|\n");
  constexpr std::string_view ends = "ends", goes_on = "goes on";
#define CHECK_RULE(name, after, what) fmt::print("| `{}` | {} | {} |\n", #name, what, after);
#include "vm/nif/check_rules.def"
}

constexpr Option kInstallOptions[] = {
#define INSTALL_OPTION OPTION
#include "tools/options.def"
};

/// Flags of the emulator, as erl has them.
void print_flags() {
  fmt::print("| flag | valid values | what it does |\n|---|---|---|\n");
  auto row = [](std::string_view flag, std::string_view takes, std::string_view valid,
                std::string_view effect) {
    if (effect == "refuse") return;
    std::string values(takes == "none" ? "none" : valid.empty() ? "any" : valid);
    for (size_t at = 0; (at = values.find('|', at)) != values.npos; at += 2)
      values.insert(at, 1, '\\');
    fmt::print("| `+{}` | {} | {} |\n", flag, values,
               effect == "meaningless" || effect.starts_with("check_")
                   ? "accepted; there is no such part here"
                   : "obeyed");
  };
#define EMULATOR_FLAG(spelling, takes, valid, effect, complaint) \
  row(spelling, #takes, valid, #effect);
#include "vm/boot/emulator_flags.def"
}

template <const auto& options>
void print_options() {
  fmt::print("| option | |\n|---|---|\n");
  for (const Option& o : options) {
    std::string_view flag = o.flag.substr(o.flag.starts_with("!"));
    flag = flag.substr(0, flag.find('{'));
    fmt::print("| `{}{}{}` | {} |\n", flag, o.value.empty() ? "" : " ", o.value, o.help);
  }
}

constexpr struct {
  std::string_view name;
  void (*print)();
} kTables[] = {{"columns", print_columns},
               {"mailbox_policies", print_mailbox_policies},
               {"policies", print_policies},
               {"group_actions", print_group_actions},
               {"group_numbers", print_group_numbers},
               {"waits_for", print_parked},
               {"warnings", print_warnings},
               {"locks", print_locks},
               {"story_events", print_story_events},
               {"code_layers", print_code_layers},
               {"run", print_options<kRunOptions>},
               {"observe", print_options<kObserveOptions>},
               {"disasm", print_options<kDisasmOptions>},
               {"doctor", print_options<kDoctorOptions>},
               {"image", print_options<kImageOptions>},
               {"build", print_options<kBuildOptions>},
               {"explore", print_options<kExploreOptions>},
               {"replay", print_options<kReplayOptions>},
               {"endings", print_endings},
               {"relocations", print_relocations},
               {"nif_rules", print_nif_rules},
               {"install", print_options<kInstallOptions>},
               {"flags", print_flags}};

}  // namespace
}  // namespace wb

int main(int argc, char** argv) {
  for (const auto& table : wb::kTables) {
    if (argc == 2 && table.name == argv[1]) return table.print(), 0;
  }
  fmt::print(stderr, "no such table\n");
  return 1;
}
