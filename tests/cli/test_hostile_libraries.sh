#!/bin/bash
# Native libraries that are damaged, or lie of themselves: load_nif and erl_ddll say what is wrong, and the machine goes on.
. "$(dirname "$0")/check.sh"
need cc
include=$(find /usr/lib/erlang/usr/include /usr/lib/erlang/erts-*/include -name erl_nif.h -printf '%h\n' -quit 2>/dev/null)
[ -n "$include" ] || { echo "skipped: no erl_nif.h"; exit 77; }

cat >"$scratch/nif.c" <<'C'
#include <erl_nif.h>
#include <limits.h>
#define NOWHERE ((void*)16)
static ERL_NIF_TERM f(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_int(env, argc); }
static ErlNifFunc functions[] = {{"f", 0, f, 0}};
ErlNifEntry* nif_init(void) {
  static ErlNifEntry entry = {ERL_NIF_MAJOR_VERSION, ERL_NIF_MINOR_VERSION, "victim", 1, functions, 0, 0, 0, 0,
                              ERL_NIF_VM_VARIANT, 1, sizeof(ErlNifResourceTypeInit), "erts-12.0"};
  LIE;
  return &entry;
}
C
cat >"$scratch/driver.c" <<'C'
#include <erl_driver.h>
ErlDrvEntry* driver_init(void) {
  static ErlDrvEntry entry = {.driver_name = "driver", .extended_marker = ERL_DRV_EXTENDED_MARKER,
                              .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                              .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
  LIE;
  return &entry;
}
C
n=0
lie() {  # lie SOURCE STATEMENT [ATOM TEXT]: a library with this in it, and what is to be said
  n=$((n + 1))
  mkdir -p "$scratch/$n"
  cc -w -shared -fPIC -I"$include" -DLIE="$2" -o "$scratch/$n/$1.so" "$scratch/$1.c" || exit 1
  [ "$1" = driver ] || echo "{$n, '${3-}', \"${4-}\"}." >>"$scratch/lies"
}
lie nif 'entry.name = 0' bad_lib 'it has no name'
lie nif 'entry.name = NOWHERE' bad_lib 'it has no name'
lie nif 'entry.name = "another"' bad_lib 'does not match calling module'
lie nif 'entry.vm_variant = 0' bad_lib 'it has no variant'
lie nif 'entry.min_erts = NOWHERE' bad_lib 'the release needed is none'
lie nif 'entry.num_of_funcs = -1' bad_lib 'the number of its functions is none'
lie nif 'entry.num_of_funcs = INT_MAX' bad_lib ''
lie nif 'entry.funcs = 0' bad_lib 'its table of functions ends too early'
lie nif 'entry.funcs = NOWHERE' bad_lib 'its table of functions ends too early'
lie nif 'functions[0].name = 0' bad_lib 'a function has no name'
lie nif 'functions[0].fptr = 0' bad_lib 'function f has no body'
lie nif 'functions[0].flags = 77' bad_lib 'Illegal flags field'
lie nif 'functions[0].arity = -1' bad_lib 'Function not found'
lie nif 'entry.minor = -1' bad_lib 'its version is none'
lie nif 'entry.minor = 999999, entry.min_erts = NOWHERE' bad_lib 'the release needed is none'
lie nif 'entry.major = -5' bad_lib 'That old NIF library'
lie nif 'return NOWHERE' bad_lib 'it is not there'
lie nif 'return (void*)-8' bad_lib 'it is not there'
lie nif 'return 0' bad_lib 'init-call unsuccessful'
good=$((n + 1))
lie nif ''
sed -i '$d' "$scratch/lies"
lie driver 'entry.driver_name = 0'
lie driver 'return (void*)16'

program victim <<'P'
-module(victim).
-export([main/1, f/0]).
f() -> erlang:nif_error(not_loaded).

main([Dir, Good, Lies]) ->
    {ok, All} = file:consult(filename:join(Dir, Lies)),
    [said(filename:join([Dir, integer_to_list(N), "nif"]), Atom, Text) || {N, Atom, Text} <- All],
    [{error, _} = erl_ddll:load_driver(filename:join(Dir, integer_to_list(list_to_integer(Good) + N)), "driver") || N <- [1, 2]],
    %% One that is no library of this module, so that it is looked at each time.
    {ok, Whole} = file:read_file(filename:join([Dir, "3", "nif.so"])),
    Damaged = filename:join(Dir, "damaged"),
    Load = fun(Bytes) ->
        %% A file of its own each, as what is open stays as it was.
        Name = Damaged ++ integer_to_list(erlang:unique_integer([positive])),
        ok = file:write_file(Name ++ ".so", Bytes),
        Result = erlang:load_nif(Name, 0),
        ok = file:delete(Name ++ ".so"),
        Result
    end,
    Size = byte_size(Whole),
    Cut = [Load(binary:part(Whole, 0, N)) || N <- lists:seq(0, Size - 1, max(1, Size div 40))],
    Bytes = [Load(<<(binary:part(Whole, 0, N))/binary, 255, (binary:part(Whole, N + 1, Size - N - 1))/binary>>)
             || N <- lists:seq(0, 39)],
    Tables = [Load(<<(binary:part(Whole, 0, N))/binary, -1:64, (binary:part(Whole, N + 8, Size - N - 8))/binary>>)
              || N <- lists:seq(64, 64 + 56 * 4, 8)],
    io:format("~p refused~n", [length([E || {error, {load_failed, _}} = E <- Cut ++ Bytes ++ Tables])]),
    ok = erlang:load_nif(filename:join([Dir, Good, "nif"]), 0),
    io:format("still here ~p~n", [victim:f()]).

said(File, Atom, Text) ->
    case erlang:load_nif(File, 0) of
        {error, {Atom, Said}} ->
            string:find(Said, Text) =/= nomatch orelse io:format("~s: ~s~n", [File, Said]);
        Other -> io:format("~s: ~p~n", [File, Other])
    end.
P
(cd "$scratch" && erlc victim.erl) || exit 1
expect 0 'still here 0' "$WHITEBEAM" run "$scratch/victim.beam" main "$scratch" "$good" lies
"$WHITEBEAM" run "$scratch/victim.beam" main "$scratch" "$good" lies >"$scratch/out" 2>&1
grep -q "^$scratch" "$scratch/out" && { echo "FAILED: other words"; cat "$scratch/out"; failures=$((failures + 1)); }
[ "$(sed -n 's/ refused$//p' "$scratch/out")" -gt 60 ] || { echo "FAILED: few were refused"; cat "$scratch/out"; failures=$((failures + 1)); }
finish
