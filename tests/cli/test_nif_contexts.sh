#!/bin/bash
# A native function in the place of one that matches its argument: a local call hands over what is being matched, of which
# it gets the rest, as a bit string of its own. In the place of one that a receive waits in: going back to the function's
# entry is no call.
. "$(dirname "$0")/check.sh"
need cc
include=$(find /usr/lib/erlang/usr/include /usr/lib/erlang/erts-*/include -name erl_nif.h -printf '%h\n' -quit 2>/dev/null)
[ -n "$include" ] || { echo "skipped: no erl_nif.h"; exit 77; }
cat >"$scratch/keep.c" <<'C'
#include <erl_nif.h>
static ERL_NIF_TERM keep(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  return enif_make_tuple3(env, enif_make_int(env, enif_is_binary(env, argv[0])), argv[0], enif_make_list1(env, argv[0]));
}
static ErlNifFunc functions[] = {{"keep", 1, keep, 0}, {"keep_dirty", 1, keep, ERL_NIF_DIRTY_JOB_CPU_BOUND}};
ERL_NIF_INIT(matcher, functions, 0, 0, 0, 0)
C
cc -shared -fPIC -I"$include" -o "$scratch/keep.so" "$scratch/keep.c" || exit 1
program matcher <<'P'
-module(matcher).
-export([main/1]).
main([Library]) ->
    Before = both(<<"abcdefgh">>),
    ok = erlang:load_nif(Library, 0),
    {Kept, Dirty} = both(list_to_binary(lists:seq(1, 100))),
    erlang:garbage_collect(),
    {1, Rest, [Rest]} = Kept,
    {1, Rest, [Rest]} = Dirty,
    io:format("~p ~p ~p~n", [Before, byte_size(Rest), erlang:phash2(term_to_binary(Rest))]).

both(<<_, Rest/binary>>) -> {keep(Rest), dirty(Rest)}.
dirty(<<Rest/binary>>) -> keep_dirty(Rest).
keep(<<A, _/binary>>) -> A.
keep_dirty(<<A, _/binary>>) -> A.
P
(cd "$scratch" && erlc matcher.erl) || exit 1
for options in '' --gc-stress '--jit off' '--jit baseline-eager'; do
  # shellcheck disable=SC2086
  expect 0 '\{98,98\} 99 35990475' "$WHITEBEAM" run $options "$scratch/matcher.beam" main "$scratch/keep"
done

cat >"$scratch/waiting.erl" <<'P'
-module(waiting).
-export([main/1]).
main([Library]) ->
    X = {x, 0},
    Code = [{function, load, 1, 2, [{label, 1}, {func_info, {atom, matcher}, {atom, load}, 1}, {label, 2}, {move, {integer, 0}, {x, 1}},
                                    {call_ext_only, 2, {extfunc, erlang, load_nif, 2}}]},
            {function, keep, 1, 4, [{label, 3}, {func_info, {atom, matcher}, {atom, keep}, 1}, {label, 4}, {loop_rec, {f, 5}, X},
                                    remove_message, return, {label, 5}, {wait, {f, 4}}]},
            {function, keep_dirty, 1, 7, [{label, 6}, {func_info, {atom, matcher}, {atom, keep_dirty}, 1}, {label, 7}, return]}],
    {ok, Beam} = beam_asm:module({matcher, [{load, 1}, {keep, 1}, {keep_dirty, 1}], [], Code, 20}, [], [], [no_type_opt]),
    {module, matcher} = erlang:load_module(matcher, Beam),
    Me = self(),
    Waiting = [spawn(fun() -> Me ! {self(), matcher:keep(lists:seq(1, N))} end) || N <- lists:seq(1, 50)],
    receive after 100 -> ok end,
    [erlang:garbage_collect(P) || P <- Waiting],
    ok = matcher:load(Library),
    [P ! here || P <- Waiting],
    Got = [receive {P, V} -> V end || P <- Waiting],
    io:format("~p ~p~n", [lists:usort(Got), matcher:keep(new)]).
P
(cd "$scratch" && erlc waiting.erl) || exit 1
for options in '' --gc-stress '--jit off' '--jit baseline-eager'; do
  # shellcheck disable=SC2086
  expect 0 '\[here\] \{0,new,\[new\]\}' "$WHITEBEAM" run $options "$scratch/waiting.beam" main "$scratch/keep"
done
finish
