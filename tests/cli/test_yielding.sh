# What runs beside a long native function is not kept from its scheduler: no longer than
# 25 ms of processor time, where most of these would take several times as long in one piece.
source "$(dirname "$0")/check.sh"
[ -r /proc/self/schedstat ] || { echo "skipped: no /proc/self/schedstat"; exit 77; }

cat >"$scratch/holds.erl" <<'P2'
%% The longest time that a process beside a long native function was kept from its scheduler, in
%% microseconds of that thread's processor time; `--schedulers 1`.
-module(holds).
-export([main/1]).

main([Size]) ->
    In = inputs(list_to_integer(Size)),
    Thread = scheduler(),
    [begin
         {Hold, Whole} = lists:min([measure(Thread, F) || _ <- [1, 2, 3]]),
         io:format("~-20s ~8b ~8b~n", [Name, Hold, Whole])
     end || {Name, F} <- work(In)],
    io:format("done~n").

%% Runs F in a process whose heap has room for all it makes.
measure(Thread, F) ->
    Me = self(),
    Ticker = spawn_link(fun() -> Clock = clock(Thread), Me ! ready, Now = Clock(), tick(Clock, Now, Now, 0) end),
    receive ready -> ok end,
    {Worker, Ref} = spawn_opt(fun() -> F(), Me ! over, receive stop -> ok end end,
                              [monitor, {min_heap_size, 16_000_000}, {min_bin_vheap_size, 16_000_000}]),
    receive over -> ok end,
    Ticker ! {stop, self()},
    Times = receive {Ticker, Hold, Whole} -> {Hold, Whole} end,
    Worker ! stop,  % giving the memory back is not what is measured
    receive {'DOWN', Ref, process, _, normal} -> Times end.

tick(Clock, First, Last, Longest) ->
    receive
        {stop, Who} -> Who ! {self(), Longest, Last - First}
    after 0 ->
        erlang:yield(),
        Now = Clock(),
        tick(Clock, First, Now, max(Longest, Now - Last))
    end.

%% A thread that just begins still has the name of the one that made it.
scheduler() ->
    case [filename:dirname(F) || F <- filelib:wildcard("/proc/self/task/*/comm"),
                                 {ok, <<"wb-sched-1\n">>} <- [file:read_file(F)]] of
        [Path] -> Path;
        _ -> erlang:yield(), scheduler()
    end.

%% Processor time of a thread.
clock(Path) ->
    {ok, File} = file:open(Path ++ "/schedstat", [read, raw, binary]),
    fun() ->
        {ok, Text} = file:pread(File, 0, 64),
        binary_to_integer(hd(binary:split(Text, <<" ">>))) div 1000
    end.

inputs(N) ->
    Bytes = binary:copy(<<"abcdefghi\n">>, N),
    List = lists:seq(1, N),
    Pairs = [{I, I} || I <- List],
    Map = maps:from_list(Pairs),
    #{n => N, bytes => Bytes, list => List, pairs => Pairs, map => Map, tuple => list_to_tuple(List),
      ext => term_to_binary(List), ext_pairs => term_to_binary(Pairs),
      packed => term_to_binary(Pairs, [compressed]),
      big => binary:decode_unsigned(binary:part(Bytes, 0, min(byte_size(Bytes), 200_000)))}.

work(#{n := N, bytes := B, list := L, pairs := P, map := M, tuple := T, ext := E, ext_pairs := EP,
       packed := Z, big := Big}) ->
    [{"length", fun() -> length(L) end},
     {"reverse", fun() -> lists:reverse(L, []) end},
     {"++", fun() -> L ++ [x] end},
     {"--", fun() -> L -- P end},
     {"member", fun() -> lists:member(x, L) end},
     {"keyfind", fun() -> lists:keyfind(x, 1, P) end},
     {"list_to_tuple", fun() -> list_to_tuple(L) end},
     {"tuple_to_list", fun() -> tuple_to_list(T) end},
     {"setelement", fun() -> setelement(1, T, x) end},
     {"make_tuple", fun() -> erlang:make_tuple(N, x) end},
     {"term_to_binary", fun() -> term_to_binary(P) end},
     {"compressed", fun() -> term_to_binary(P, [compressed]) end},
     {"binary_to_term", fun() -> binary_to_term(EP) end},
     {"binary_to_term list", fun() -> binary_to_term(E) end},
     {"decompressed", fun() -> binary_to_term(Z) end},
     {"external_size", fun() -> erlang:external_size(P) end},
     {"phash2", fun() -> erlang:phash2(P) end},
     {"phash2 bytes", fun() -> erlang:phash2(B) end},
     {"md5", fun() -> erlang:md5(B) end},
     {"crc32", fun() -> erlang:crc32(B) end},
     {"list_to_binary", fun() -> iolist_to_binary([binary_to_list(B) | B]) end},
     {"iolist_size", fun() -> iolist_size([[B, B] || _ <- [1, 2]]) end},
     {"binary_to_list", fun() -> binary_to_list(B) end},
     {"binary:copy", fun() -> binary:copy(B, 4) end},
     {"binary:match", fun() -> binary:match(B, <<"zz">>) end},
     {"binary:matches", fun() -> binary:matches(B, [<<"i\n">>, <<"bc">>]) end},
     {"binary:split", fun() -> binary:split(B, <<"\n">>, [global]) end},
     {"utf8 to list", fun() -> unicode:characters_to_list(B) end},
     {"list to utf8", fun() -> unicode:characters_to_binary([955 | binary_to_list(B)]) end},
     {"re:run", fun() -> re:run(B, "[a-y]*z") end},
     {"maps:from_list", fun() -> maps:from_list(P) end},
     {"maps:keys", fun() -> maps:keys(M) end},
     {"maps:merge", fun() -> maps:merge(M, #{x => y}) end},
     {"flat_size", fun() -> erts_debug:flat_size(P) end},
     {"bignum *", fun() -> Big * Big end},
     {"bignum to text", fun() -> integer_to_list(Big) end},
     {"text to bignum", fun() -> list_to_integer(lists:duplicate(200_000, $7)) end}].
P2

# A busy machine may spoil a run: another one counts.
limit=25000
for attempt in 1 2 3 4 5; do
  table=$(timeout 140 "$WHITEBEAM" run --schedulers 1 "$scratch/holds.erl" main 300000 2>&1)
  slow=$(awk -v limit=$limit '$(NF-1) + 0 > limit' <<<"$table")
  grep -q '^done$' <<<"$table" && [ -z "$slow" ] && break
done
if [ -n "$slow" ] || ! grep -q '^done$' <<<"$table"; then
  echo "FAILED: name, longest hold and whole time (microseconds):"
  tail -50 <<<"$table"
  failures=1
fi
finish
