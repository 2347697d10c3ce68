# run --record, replay: what a program got from outside comes again (time, files, sockets, programs, signals, input),
# nothing outside is touched by a replay, and what cannot be replayed is refused or says where it departs.
source "$(dirname "$0")/check.sh"
need erlc
cd "$scratch" || exit 1
mkdir elsewhere

program outside <<'P'
-module(outside).
-export([main/1]).
main(Args) ->
    io:format("~p ~p ~p ~p~n", [Args, os:getpid(), os:timestamp(), erlang:monotonic_time()]),
    io:format("~p ~p~n", [os:getenv("MOOD"), rand:uniform(1000000000)]),
    {ok, Before} = file:read_file("notes"),
    ok = file:write_file("notes", [Before, integer_to_binary(erlang:system_time()), "\n"]),
    {ok, F} = file:open("notes", [read, raw, binary]),
    {ok, Few} = file:pread(F, 1, 3),
    {ok, Names} = file:list_dir("."),
    io:format("~p ~p ~p ~p~n", [byte_size(Before), Few, lists:sort(Names), file:read_file_info("notes")]),
    io:format("~s", [os:cmd("date +%N; echo $$; exit 3")]),
    Self = self(),
    [spawn(fun() -> timer:sleep(rand:uniform(30)), Self ! {slept, N, erlang:monotonic_time()} end) || N <- lists:seq(1, 10)],
    io:format("~p~n", [[receive {slept, N, T} -> {N, T} end || _ <- lists:seq(1, 10)]]),
    {ok, Listener} = gen_tcp:listen(0, [binary]),
    {ok, Port} = inet:port(Listener),
    spawn_link(fun() -> {ok, S} = gen_tcp:accept(Listener), echo(S) end),
    {ok, S} = gen_tcp:connect("localhost", Port, [binary, {active, false}]),
    ok = gen_tcp:send(S, <<"hello">>),
    io:format("~p ~p ~p~n", [Port, gen_tcp:recv(S, 5), inet:sockname(S)]),
    {ok, U} = socket:open(inet, dgram),
    ok = socket:bind(U, #{family => inet, addr => loopback, port => 0}),
    {ok, Own} = socket:sockname(U),
    ok = socket:sendto(U, "datagram", Own),
    io:format("~p ~p~n", [Own, socket:recvfrom(U)]),
    io:format("~p ~p~n", [io:get_line("? "), io:get_line("? ")]),
    exit(Self, kill).
echo(S) -> receive {tcp, S, B} -> gen_tcp:send(S, B), echo(S); {tcp_closed, S} -> ok end.
P
echo first >notes
export MOOD=fine
code=0
printf 'one line\nlast' | timeout 60 "$WHITEBEAM" run --record kept --event-log log outside.erl main a -b >said 2>errors || code=$?
[ $code = 1 ] || { echo "FAILED: outside ended with $code"; cat said errors; failures=$((failures + 1)); }
for part in '\["a","-b"\]' '"fine"' 'slept|^\[\{' '"hello"' 'datagram' '"one line' '"last"'; do
  grep -qE -- "$part" said || { echo "FAILED: nothing of $part"; cat said; failures=$((failures + 1)); }
done
cp notes notes.then
rm -f notes outside.erl outside.beam
again() {  # again NAME COMMAND...: says and ends as the recorded run
  local name=$1 code=0
  shift
  timeout 60 "$@" >"$scratch/said.$name" 2>"$scratch/errors.$name" </dev/null || code=$?
  if [ $code != 1 ] || ! cmp -s "$scratch/said" "$scratch/said.$name" || ! cmp -s "$scratch/errors" "$scratch/errors.$name"; then
    echo "FAILED: $*: exit code $code"
    diff "$scratch/said" "$scratch/said.$name"; diff "$scratch/errors" "$scratch/errors.$name"
    failures=$((failures + 1))
  fi
}
again here "$WHITEBEAM" replay kept
MOOD=bad again there bash -c 'cd elsewhere && exec "$0" replay --event-log ../log.there ../kept' "$WHITEBEAM"
cmp log log.there || { echo "FAILED: the events differ"; failures=$((failures + 1)); }
[ ! -e notes ] || { echo "FAILED: a replay has written a file"; failures=$((failures + 1)); }

# Loops without sleeping: time passes, and slices end where they did.
program busy <<'P'
-module(busy).
-export([main/1]).
main(_) ->
    S = self(),
    Until = erlang:monotonic_time(millisecond) + 300,
    [spawn_link(fun() -> S ! {I, count(Until, 0), element(2, process_info(self(), reductions))} end) || I <- [1, 2, 3]],
    io:format("~p~n", [[receive {I, N, R} -> {I, N, R} end || _ <- [1, 2, 3]]]).
count(Until, N) -> case erlang:monotonic_time(millisecond) >= Until of true -> N; false -> count(Until, N + 1) end.
P
for jit in off baseline full always; do
  timeout 100 "$WHITEBEAM" run --jit $jit --record busy.kept busy.erl >busy.said 2>&1
  timeout 100 "$WHITEBEAM" replay busy.kept >busy.again 2>&1
  cmp busy.said busy.again || { echo "FAILED: busy, --jit $jit"; cat busy.said busy.again; failures=$((failures + 1)); }
done

# Code that changes while it runs is in the recording; other code has to be there as it was.
program grows <<'P'
-module(grows).
-export([main/1]).
main(_) ->
    [begin
        {ok, M, Beam} = compile:forms([{attribute, 1, module, grown}, {attribute, 1, export, [{n, 0}]},
                                       {function, 1, n, 0, [{clause, 1, [], [], [{integer, 1, N}]}]}]),
        ok = file:write_file("grown.beam", Beam),
        code:purge(M),
        {module, M} = code:load_file(M),
        io:format("~p~n", [M:n()])
     end || N <- [1, 2]],
    io:format("~p~n", [queue:len(queue:from_list([1, 2, 3]))]).
P
mkdir otp && cp -rs /usr/lib/erlang/* otp && rm -rf otp/lib/stdlib-*/ebin && cp -rp /usr/lib/erlang/lib/stdlib-*/ebin otp/lib/stdlib-*/
timeout 60 "$WHITEBEAM" run --otp "$PWD/otp" --record grows.kept grows.erl >grows.said 2>&1
rm -rf grown.beam grows.erl "$XDG_CACHE_HOME"
expect 0 "^3" "$WHITEBEAM" replay grows.kept
printf -- '-module(queue).\n-export([from_list/1, len/1]).\nfrom_list(L) -> L.\nlen(_) -> 3.\n' >queue.erl
erlc -o otp/lib/stdlib-*/ebin queue.erl
expect 3 "departs .*queue.beam, which is not what it was" "$WHITEBEAM" replay grows.kept

# A server that is killed has kept what led to it; one that is asked to end ends in the replay, too.
program server <<'P'
-module(server).
-export([main/1]).
main(_) ->
    {ok, L} = gen_tcp:listen(0, [binary, {packet, line}, {ip, loopback}]),
    {ok, Port} = inet:port(L),
    ok = file:write_file("port", integer_to_list(Port)),
    io:format("started~n"),
    accept(L, 1).
accept(L, N) ->
    {ok, S} = gen_tcp:accept(L),
    receive {tcp, S, Line} -> io:format("~p ~p ~s", [N, erlang:system_time(), Line]), gen_tcp:send(S, Line) end,
    gen_tcp:close(S),
    accept(L, N + 1).
P
for signal in KILL TERM; do
  rm -f port
  "$WHITEBEAM" run --record server.kept server.erl >server.said 2>&1 &
  pid=$!
  for _ in {1..300}; do [ -s port ] && break; sleep 0.1; done
  for n in 1 2 3; do python3 -c "
import socket
s = socket.create_connection(('127.0.0.1', int(open('port').read())), 30)
s.sendall(b'request $n\n')
assert s.makefile().readline() == 'request $n\n'" || { echo "FAILED: request $n"; failures=$((failures + 1)); }; done
  sleep 1
  kill -$signal $pid
  code=0
  { wait $pid || code=$?; } 2>/dev/null
  want=$code
  [ $signal = TERM ] || want=0  # here the recording ends
  expect $want 'request 3' "$WHITEBEAM" replay server.kept
  timeout 60 "$WHITEBEAM" replay server.kept >server.again 2>/dev/null </dev/null || true
  cmp server.again server.said || { echo "FAILED: the server's replay, after SIG$signal"; failures=$((failures + 1)); }
done

# The prompt: breakpoints before and after code is loaded, steps, back, what processes hold; at the end it is there, too.
program shop <<'P'
-module(shop).
-export([main/1, price/2, loop/1]).
main(_) ->
    register(till, spawn_link(?MODULE, loop, [[]])),
    put(mood, fine),
    [till ! {sell, self(), X} || X <- [apple, pear, plum]],
    R = [receive {sold, X, P} -> {X, P} end || X <- [apple, pear, plum]],
    io:format("~p~n", [R]).
loop(Done) ->
    receive {sell, From, X} -> P = price(X, length(Done)), From ! {sold, X, P}, loop([X | Done]) end.
price(X, N) ->
    length(atom_to_list(X)) * 10 + N.
P
timeout 60 "$WHITEBEAM" run --record shop.kept shop.erl >shop.said
debug() {  # debug PATTERN COMMANDS OPTION...: what is said contains it
  local want=$1 commands=$2 said
  shift 2
  said=$(printf '%b' "$commands" | timeout 60 "$WHITEBEAM" replay "$@" shop.kept 2>&1)
  tr '\n' ' ' <<<"$said" | grep -qE -- "$want" && return
  echo "FAILED: replay $*, $commands: wanted /$want/"
  sed 's/^/  | /' <<<"$said"
  failures=$((failures + 1))
}
debug 'calls shop:price\(apple, 0\).*calls shop:price\(pear, 1\).*calls shop:price\(plum, 2\)' 'c\nc\nc\n' --break shop:price/2
debug 'slice 0, .*calls shop:price\(apple, 0\).*  shop:price/2.*\[\{apple,50\},\{pear,41\},\{plum,42\}\].*ended with exit code 0' 'b shop:price/2\nc\nb\nd shop:price/2\nb shop:loop\nc\nc\nc\nc\nc\n' --debug
debug 'till, .*calls shop:price.*shop:loop/1 .*shop.erl:10.*y\(0\) apple.*message \{sell,<0.2.2>,plum\}' 'p till\nq\n' --break shop:price
debug 'dictionary mood = fine' 'p <0.2.2>\nq\n' --break shop:price/2
debug 'slice 5, .*slice 6, .*slice 4, .*slice 2, .*slice 1, .*user.*words.*till' 's\nback 2\ngoto 2\nback\ngoto 5\nps\n' --to 5
debug 'plum,42\}\].*slice ([0-9]+): ended with.*It is over.*slice 3, ' 'c\ns\ngoto 3\nq\n' --debug
debug 'no function: MODULE.*There is no process nobody.*back .N.*no function' 'b :\np nobody\nhelp me\nb shop:x/300\n' --debug
[ "$(printf 'c\n' | timeout 60 "$WHITEBEAM" replay --to 4 shop.kept 2>/dev/null)" = "$(cat shop.said)" ] || { echo "FAILED: replay --to prints something else"; failures=$((failures + 1)); }
expect 2 "number|to" "$WHITEBEAM" replay --to x shop.kept

# Cut short, damaged, of something else, nowhere; where nothing can be written; what is not recorded.
size=$(stat -c %s kept)
for n in 5 90 $((size / 2)) $((size - 3)); do
  head -c $n kept >cut
  expect "0|2" "recording|damaged" "$WHITEBEAM" replay cut
done
for n in 3 20 60 100 $((size / 3)) $((size / 2)); do
  cp kept damaged
  printf '\xff\xfe' | dd of=damaged bs=1 seek=$n conv=notrunc status=none
  expect "0|2|3" "recording|damaged|another build" "$WHITEBEAM" replay damaged
done
expect 2 "no recording" "$WHITEBEAM" replay said
expect 2 "No such file" "$WHITEBEAM" replay nowhere
expect 2 "directory|no recording" "$WHITEBEAM" replay elsewhere
expect 2 "nowhere/kept: No such file" "$WHITEBEAM" run --record nowhere/kept busy.erl
expect 1 "cannot write the recording: No space" "$WHITEBEAM" run --record /dev/full busy.erl
expect 2 "seed" "$WHITEBEAM" run --record x --seed 1 busy.erl
expect 2 "event-log requires" "$WHITEBEAM" run --event-log x busy.erl
expect 2 "nothing can be observed" "$WHITEBEAM" run --record x --observe-web busy.erl
expect 2 "only of .whitebeam run." env WHITEBEAM_FLAGS="--record x" "$WHITEBEAM" erl -noshell -s erlang halt
[ "$(stat -c %a kept)" = 600 ] || { echo "FAILED: others may read what the program has read"; failures=$((failures + 1)); }

finish
