// The process dictionary.
#include "vm/process/dictionary.h"

#include "vm/bif/bif.h"

namespace wb {

BIF(erlang, put, 2)
{
  return dictionary_put(p, a[0], a[1]);
}
GUARD(erlang, get, 1)
{
  return dictionary_get(p.process(), a[0]);
}
BIF(erlang, get, 0)
{
  return dictionary_list(p, p.heap);
}
BIF(erlang, erase, 1)
{
  return dictionary_erase(p, a[0]);
}
BIF(erlang, erase, 0)
{
  Term all = dictionary_list(p, p.heap);
  dictionary_clear(p);
  return all;
}
BIF(erlang, get_keys, 0)
{
  return dictionary_keys(p, p.heap, kNone);
}
BIF(erlang, get_keys, 1)
{
  return dictionary_keys(p, p.heap, a[0]);
}

}  // namespace wb
