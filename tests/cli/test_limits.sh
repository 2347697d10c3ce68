# Memory, atoms, processes used up: said in plain words, with an exit code of its own or an exception
# that the program can catch; never a signal, a hang or silence.
source "$(dirname "$0")/check.sh"

program greedy <<'P2'
-module(greedy).
-export([deep/1, list/1, binaries/1, mail/1, ets/1, duplicate/1, dictionary/1, atoms/1, caught/1,
         processes/1, binary/1, fine/1]).
deep(_) -> io:format("~p~n", [d(0)]).
d(-5) -> 0;
d(N) -> 1 + d(N + 1).
list(_) -> l([]).
l(L) -> l([lists:seq(1, 1000) | L]).
binaries(_) -> b([]).
b(L) -> b([binary:copy(<<1>>, 500000) | L]).
mail(_) -> m(self(), 0).
m(S, N) -> S ! {N, lists:seq(1, 100)}, m(S, N + 1).
ets(_) -> e(ets:new(t, []), 0).
e(T, N) -> ets:insert(T, {N, lists:seq(1, 100)}), e(T, N + 1).
duplicate(_) -> length(lists:duplicate(1 bsl 40, x)).
dictionary(_) -> p(0).
p(N) -> put(N, lists:seq(1, 100)), p(N + 1).
atoms(_) -> a(0).
a(N) -> _ = list_to_atom("an_atom_" ++ integer_to_list(N)), a(N + 1).
caught(_) ->
    R = try a(0) catch C:E -> {C, E} end,
    io:format("~p ~p~n", [R, erlang:system_info(atom_count) =:= erlang:system_info(atom_limit)]),
    io:format("~p~n", [{lists:keyfind(a, 1, [{a, string:uppercase("still here")}])}]).
processes(_) ->
    R = try s([]) catch C:E -> {C, E} end,
    io:format("~p ~p~n", [R, erlang:system_info(process_limit)]).
s(L) -> s([spawn(fun() -> receive x -> ok end end) | L]).
binary(_) ->  % one request too large is an exception, nothing more
    io:format("~w~n", [[try byte_size(F()) catch C:E -> {C, E} end
                        || F <- [fun() -> binary:copy(<<0:800>>, 1 bsl 40) end,
                                 fun() -> binary:copy(<<0:800>>, 1 bsl 60) end,
                                 fun() -> <<0:(1 bsl 58)>> end,
                                 fun() -> iolist_to_binary(lists:duplicate(1 bsl 20, <<0:(8 bsl 20)>>)) end,
                                 fun() -> binary:copy(<<1>>, 1000) end]]]).
fine(_) -> io:format("fine~n").
P2
(cd "$scratch" && erlc greedy.erl)
g=$scratch/greedy.beam

for way in deep list binaries mail ets duplicate dictionary; do
  expect '71|1' 'Cannot allocate|system_limit' "$WHITEBEAM" run --max-memory 200MB "$g" $way
done
expect 71 'limit is 209715200|Cannot allocate' "$WHITEBEAM" run --max-memory 200MB "$g" mail
expect 71 'of type "heap"' "$WHITEBEAM" run --max-memory 200MB "$g" list
expect 0 '^fine$' "$WHITEBEAM" run --max-memory 200MB "$g" fine
expect 0 '^\[\{error,system_limit\},\{error,system_limit\},\{error,system_limit\},\{error,system_limit\},1000\]$' "$WHITEBEAM" run "$g" binary

# The same under ulimit -v: what malloc refuses.
limited() { (ulimit -v "$1"; shift; exec "$@"); }
export -f limited
for way in deep list mail ets duplicate; do
  expect 71 'Cannot allocate' bash -c 'limited 700000 "$@"' - "$WHITEBEAM" run "$g" $way
done
expect 0 '^fine$' bash -c 'limited 300000 "$@"' - "$WHITEBEAM" run "$g" fine
expect 0 '^fine$' bash -c 'limited 150000 "$@"' - "$WHITEBEAM" run "$g" fine
expect '0|2|71|127' '.' bash -c 'limited 60000 "$@"' - "$WHITEBEAM" run "$g" fine
for kb in $(seq 100000 3000 148000); do  # wherever the room ends: threads, their heaps, their stacks
  expect '0|2|71' '.' bash -c 'limited "$@"' - $kb "$WHITEBEAM" run "$g" fine
done

# Atoms and processes.
expect 1 'system_limit' "$WHITEBEAM" run --max-atoms 20000 "$g" atoms
expect 0 '^\{error,system_limit\} true$' "$WHITEBEAM" run --max-atoms 20000 "$g" caught
expect 0 'STILL HERE' "$WHITEBEAM" run --max-atoms 20000 "$g" caught
expect 0 '^\{error,system_limit\} 2000$' "$WHITEBEAM" run --max-processes 2000 "$g" processes
expect 2 'max-atoms' "$WHITEBEAM" run --max-atoms 10 "$g" fine
expect 2 'max-processes' "$WHITEBEAM" run --max-processes x "$g" fine
expect 2 'max-memory' "$WHITEBEAM" run --max-memory lots "$g" fine
expect 0 '^fine$' "$WHITEBEAM" run --max-memory=1GB --max-atoms=100000 "$g" fine
finish
