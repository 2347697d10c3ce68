// os: environment, process number, signals.
#include <unistd.h>

#include "base/recording.h"
#include "term/utf8.h"
#include "vm/bif/bif.h"
#include "vm/core/settings.h"
#include "vm/core/vm.h"
#include "vm/io/environment.h"
#include "vm/io/file_names.h"
#include "vm/io/signals.h"

namespace wb {

/// A name of a variable has no '='.
static bool variable_name(Process& p, Term t, std::string* name) {
  const bool latin1 = p.vm().settings->file_names.latin1;
  return name_bytes(t, name, latin1) && name->find('=') == std::string::npos;
}
static Term variable_text(Process& p, std::string_view text) {
  if (!p.vm().settings->file_names.latin1) return list_of_text(p.heap, text);
  return bytes_to_list(p.heap, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

BIF(os, getenv, 1)
{
  std::string name;
  if (!variable_name(p, a[0], &name)) return kBadarg;
  auto value = p.vm().environment->get(name);
  return value ? variable_text(p, *value) : am::false_;
}
BIF(os, putenv, 2)
{
  std::string name, value;
  if (!variable_name(p, a[0], &name) ||
      !name_bytes(a[1], &value, p.vm().settings->file_names.latin1))
    return kBadarg;
  p.vm().environment->set(name, value);
  return am::true_;
}
BIF(os, unsetenv, 1)
{
  std::string name;
  if (!variable_name(p, a[0], &name)) return kBadarg;
  p.vm().environment->unset(name);
  return am::true_;
}
BIF(os, env, 0)
{
  ListBuilder list(p.heap);
  for (auto& [name, value] : p.vm().environment->all()) {
    Term n = variable_text(p, name);
    list.add(tuple(p.heap, n, variable_text(p, value)));
  }
  return list.finish();
}
BIF(os, getpid, 0)
{
  return list_of_text(p.heap, std::to_string(system_call([] { return getpid(); })));
}
BIF(os, set_signal, 2)
{
  using Action = OsSignals::Action;
  Action action = a[1] == am::handle   ? Action::kHandle
                  : a[1] == am::ignore ? Action::kIgnore
                                       : Action::kDefault;
  if (action == Action::kDefault && a[1] != am::default_) return p.badarg(am::badopt);
  auto signal = OsSignals::number(a[0]);
  if (!signal || !p.vm().os_signals) return kBadarg;
  p.vm().os_signals->set(*signal, action);
  return am::ok;
}

}  // namespace wb
