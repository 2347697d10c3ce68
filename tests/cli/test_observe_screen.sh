#!/bin/bash
# The full-screen observer, driven through tmux: every view, small and large, with and without
# colour, resized, filtered, frozen, acting.
. "$(dirname "$0")/check.sh"
observed
. "$(dirname "$0")/terminal.sh"

program shop <<'EOF'
-module(shop).
-export([main/0, clerk/1, spin/1, boss/0, ticker/1, tick/1, init/1, handle_cast/2, caller/0]).
main() ->
    {ok, _} = gen_server:start({local, server}, ?MODULE, {kept, "by", 17}, []),
    [{ok, _} = gen_server:start({local, Name}, ?MODULE, none, []) || Name <- [left, right]],
    [gen_server:cast(From, {call, To}) || {From, To} <- [{left, right}, {right, left}]],
    register(caller, spawn(?MODULE, caller, [])),
    register(boss, spawn_link(?MODULE, boss, [])),
    register(spinner, spawn(?MODULE, spin, [0])),
    register(ticker, spawn(?MODULE, ticker, [0])),
    spawn(fun() -> exit({no, shelf}) end),
    Shops = whitebeam:group(#{name => shops, memory => 50_000_000}),
    One = whitebeam:group(#{name => <<"one">>, parent => Shops, reductions => 1_000_000}),
    Bound = spawn_opt(fun() -> receive never -> ok end end, [{whitebeam, [{group, One}, {policy, {periodic, 50}}, {mailbox, 3}]}]),
    register(bound, Bound), [Bound ! N || N <- [1, 2]],
    ets:new('stock-é', [named_table, public]),
    ets:insert('stock-é', [{N, {item, N}} || N <- lists:seq(1, 700)]),
    io:format("ready~n"),
    receive stop -> ok end.
boss() ->
    [spawn_link(?MODULE, clerk, [N]) || N <- lists:seq(1, 300)],
    Full = spawn_link(fun() -> put(drawer, [open, "half"]), receive never -> ok end end),
    register(full_box, Full),
    [Full ! {order, N} || N <- lists:seq(1, 1500)],
    receive stop -> ok end.
init(State) -> {ok, State}.
handle_cast({call, To}, State) -> _ = gen_server:call(To, hello, infinity), {noreply, State}.
%% Somebody's alias is in what it keeps.
caller() ->
    Self = self(),
    spawn(fun() -> Self ! {reply_to, alias()}, receive stop -> ok end end),
    receive {reply_to, Alias} -> put(alias, Alias) end,
    receive stop -> ok end.
clerk(_) -> receive stop -> ok end.
spin(N) -> spin(N + 1).
ticker(N) -> self() ! {next, tick(N)}, receive {next, M} -> receive after 50 -> ticker(M) end end.
tick(N) -> N + 1.
EOF
machine shop
for size in "80 24" "200 60"; do
  # shellcheck disable=SC2086
  open_screen $size
  shows "home $size" '1 Home.*2 ?Proc.*3 ?Proc.*9 ?Tra.*0 ?Exi.*shop \([0-9]+\)' '^memory .*counts' 'processes +31[0-9]' \
    '^3 call cycle: (left: left > right > left|right: right > left > right), for [0-9.]+ s, in shop:handle' '^3 scanning receive: full_box: its receive has passed over' '^ +1 \[' '\[\|\|+' 'scheduler use' 'q quit'
  keys 2
  shows "processes $size" '^31[0-9] processes' 'spinner' 'pid +name or start' 'by reds/s'
  keys s s
  shows "by queue $size" 'by queue: messages that wait' '<0\.[0-9.]+> +full_box .*long message queue'
  [ "$size" = "80 24" ] && shows "columns $size" '^pid +name or start +reds/s +memory +queue\* where *$'
  keys Enter
  shows "one process $size" 'full_box' 'waits for' '^message queue +1500' '^warning +long message queue'
  keys s
  shows "its state, only looking $size" 'may only look'
  keys End
  shows "messages $size" '\{order,20\}'
  keys n
  shows "more messages $size" '^ +40 +\{order,40\}'
  keys 4
  shows "schedulers $size" 'slices/s' '^[0-9]+ +runs' 'max/hi/nor/low' ' [0-9]+/[0-9]+/[0-9]+/[0-9]+ ' \
    '^dirty cpu +[0-9]+ of [1-9][0-9]* threads, [0-9]+ run, [0-9]+ wait' '^timers +[0-9]+, [0-9.]+/s started' \
    '^poll +[0-9]+ descriptors, [0-9.k]+/s looks'
  keys Tab
  shows "moves $size" 'work taken by' 'processes that came to' 'from woken to running' 'in a run queue' '^ +1 +\.' '< [0-9.]+ [mun]s +[0-9]+ #'
  keys Tab
  shows "collections $size" 'the newest collections' '<0\.[0-9.]+> .*m(in|aj)or +[0-9.]+ us'
  keys Tab
  shows "schedulers again $size" 'slices/s'
  keys 5
  shows "timeline $size" 'the last 1.0 s' '^ +[0-9]+ .*###'
  keys Left
  shows "timeline moved $size" 'moved: 1.0 s' 'until [0-9.]+ [mun]?s ago' '^ +[0-9]+ .*###'
  keys + h
  shows "timeline zoomed $size" 'moved: 500(\.0)? ms'
  keys - G
  shows "timeline follows $size" 'the last 1.0 s'
  keys 6
  shows "flame $size" '[1-9][0-9]* samples' 'shop:spin/1 +100%'
  keys Down
  shows "a box $size" 'shop:[a-z]+/[0-9]: [0-9.]+ % of all, [0-9.]+ % itself; .*(LLVM|baseline|interpreter) [0-9]+ %'
  keys i
  shows "its tier $size" 'green LLVM, yellow baseline, red interpreter'
  keys i
  keys Enter
  shows "zoomed $size" 'Esc b wider'
  keys Escape
  shows "all of it $size" 'freeze +arrows Enter zoom'
  keys t
  shows "by time $size" 'samples, by time' 'shop:spin/1 +[0-9]+%'
  keys t w
  shows "for pprof $size" 'written: whitebeam-stacks.pb.gz'
  keys E
  shows "for speedscope $size" 'written: whitebeam.speedscope.json'
  keys e
  shows "folded $size" 'written: whitebeam-stacks.folded'
  keys g
  shows "by process $size" 'by process' 'spinner +100%|spinner +[0-9]+%'
  keys g a
  shows "allocation $size" '[0-9.]+ ([KM]i)?B allocated'
  keys p
  keys -l spinner
  keys Enter a
  shows "one of them $size" 'samples, by reductions of spinner' 'shop:spin/1 +100%'
  keys p C-u Enter
  keys 7
  shows "jit $size" '  back +traced [0-9]+ +interpreted [0-9]+' 'native_left [0-9]|interprets|^baseline' '^baseline +functions [0-9]' '^function +tier' 'shop:spin/1 +(baseline|LLVM) +[0-9]'
  keys /
  keys -l shop:spin/1
  keys Enter
  shows "code $size" '^shop:spin/1 +(baseline|LLVM), .*samples' '^ +[0-9]+ % shop.erl:[0-9]+ +spin\(N\) -> spin' '^ +call_last|^ +jump_self|^ +[a-z_]+ ' '[0-9a-f]{8} +(mov|add|sub|jmp|needs)|objdump'
  [ -e "$(dirname "$WHITEBEAM")/libwhitebeam-jit.so" ] &&
    shows "hot code $size" '^shop:spin/1 +LLVM' '^ +made by LLVM: [1-9][0-9]* bytes'
  keys b
  shows "jit again $size" '^function +tier'
  keys 8
  shows "tree $size" 'process +pid' '- shop:main/0' '  \+ boss'
  keys Tab
  shows "tables $size" 'tables, ' 'stock-é'
  keys Home
  for _ in $(seq 30); do
    screen | grep -qE 'table stock' && break
    keys Enter; sleep 0.7
    screen | grep -qE 'table stock' || { keys b; sleep 0.3; keys Down; sleep 0.3; }
  done
  shows "contents $size" '^table stock-é: 700 objects, there may be more' '\{[0-9]+,\{item,[0-9]+\}\}'
  keys n
  shows "the next objects $size" 'page 2, there'
  keys / C-u
  keys -l "[{{'\$1',_},[{'<','\$1',3}],['\$_']}]"
  keys Enter
  shows "some of them $size" 'that match \[' '^\{1,\{item,1\}\}' '^\{2,\{item,2\}\}'
  keys / C-u
  keys -l "{_,"
  keys Enter
  shows "no pattern $size" '^no match specification: at character 4: a term is expected'
  keys b
  shows "tables once more $size" 'tables, ' 'stock-é.* 700 '
  keys Tab
  shows "modules $size" '^shop +'
  keys Tab
  shows "ports $size" '^1 ports'
  keys Tab
  shows "flow $size" 'who writes to whom' '^ticker +ticker +[0-9.]+'
  keys a
  shows "flow by application $size" 'by application' '^shop +shop +[0-9.]+'
  keys a Tab
  shows "memory $size" 'in use, in pages .* lost' '^ +[0-9.]+ (Ki)?B +small'
  keys Tab
  shows "persistent terms $size" '[0-9]+ persistent terms' '^key +value'
  keys Tab
  shows "atoms $size" '[0-9]+ atoms of 1[0-9.]*M' 'the newest atoms'
  keys Tab Tab Tab Tab
  shows "groups $size" '^2 groups' '^group +number +processes +memory +reds/s' '^shops +1 +1 +[0-9.]+ B of 47.7 MiB +0' \
    '^  one +2 +1 +[0-9.]+ B +0 of 1.00M'
  keys Down Enter
  shows "of one group $size" '1 match group=2' '<0\.[0-9.]+> +bound'
  keys Enter
  shows "its choices $size" '^policy +\{periodic,50\}' '^group +2 one' '^mailbox +2 of 3, then wait; 0 dropped, 0 senders wait'
  keys g
  shows "its group $size" '1 match group=2'
  keys / C-u Enter 0
  shows "exits $size" '^[0-9]+ abnormal exits' '\{no,shelf\}' "shop:'-main/0-fun"
  keys 9
  shows "trace $size" '^not tracing' 'calls of nothing, .* at most 100/s'
  keys s
  shows "spawned $size" 'of all processes [+] spawned, at most 100'
  keys s
  keys m
  keys -l shop:tick
  keys Enter t
  shows "only looking $size" 'calls of shop:tick, ' 'may only look'
  keys '?'
  shows "help $size" 'draw anew; quit'
  keys 1
done

open_screen 100 30 --filter "'name=full_box'"
keys 2
shows 'a filter' '1 match name=full_box'
keys /
shows 'the prompt' 'filter: name=full_box'
keys C-u
keys -l 'fn=shop:clerk/1'
keys Enter
shows 'another filter' '300 match fn=shop:clerk/1' 'from 1|shop:clerk/1'
keys n
shows 'the next page' 'from 2[0-9]'
keys / C-u
keys -l 'nonsense>1'
keys Enter
shows 'a wrong filter' 'there is no column nonsense'
keys / C-u Enter P
keys -l 'full_box'
keys Enter
shows 'a process by name' 'message queue +1500'
keys K
keys -l yes
keys Enter
shows 'only looking' 'may only look'
keys f
shows 'frozen' 'FROZEN'
keys f 2 d
shows 'a snapshot' '[0-9:]{8} kept, by'
keys d
shows 'what has changed' 'what has changed since' 'shop:spin/1|spinner' '\+[0-9.]+[kMG]'
keys d
shows 'no snapshot' 'by reds/s'
keys 6 /
keys -l spin
keys Enter
shows 'found' 'spin: 100 % of all'
keys d
shows 'compared' 'against [0-9:]{8}' 'shop:spin/1 100% [+-]0'
keys d 1
$tmux resize-window -t t -x 60 -y 15
shows 'smaller' 'processes'
$tmux resize-window -t t -x 140 -y 45
shows 'larger' 'memory +' 'reductions/s' 'shop \([0-9]+\)'
keys q
shows 'quit' 'ended with 0'

# Without colours, on a dumber terminal.
ENVIRONMENT="NO_COLOR=1" open_screen 80 24
shows 'no colour' '1 Home'
$tmux capture-pane -e -p -t t >"$scratch/screen"
grep -qE $'\e\\[[0-9;]*3[1-7]' "$scratch/screen" && { echo "FAILED: colours"; failures=$((failures + 1)); }
ENVIRONMENT="TERM=vt100 LC_ALL=C" open_screen 80 24
shows 'vt100' '1 Home' '^memory .*counts'

open_screen 100 30 --allow-actions
keys 9 m
keys -l shop:tick/1
keys Enter p
keys -l name=ticker
keys Enter t
shows 'calls' '^TRACING +[0-9]+ events of 1 processes, 1 functions' 'ticker +call +shop:tick\([0-9]+\)'
keys w
shows 'messages' 'ticker +receive +<0\.[0-9.]+> +\{next,[0-9]+\}' 'ticker +timeout'
keys r x
shows 'returns' 'calls of shop:tick/1 and returns, messages, exits, of name=ticker' 'ticker +return +shop:tick/1 -> [0-9]+'
keys r x
keys R C-u
keys -l 2
keys Enter
shows 'a rate' 'at most 2/s' '[1-9][0-9]* left out'
keys t
shows 'not any more' '^not tracing'
keys P
keys -l ticker
keys Enter
shows 'the ticker' 'shop:ticker/1'
keys t
shows 'it is traced' '^TRACING' 'of pid=<0' 'ticker +send +<0'
keys t P
keys -l server
keys Enter
shows 'the server' 'gen_server:loop/7' 'young \[.*\] old \[.*\] fragments \['
keys s
shows 'its state' 'state: done' 'state \([0-9]+ words' '\{kept,"by",17\}'
keys NPage NPage
shows 'the rest of it' '^ +off heap +[0-9]+ B of the young'
keys P
keys -l caller
keys Enter
shows 'the caller' 'shop:caller/0'
keys End
shows 'what it keeps' 'alias +#Ref<'
keys Up Enter
shows 'along an alias' 'aliases \(1\)'
keys P
keys -l spinner
keys Enter
shows 'the spinner' 'shop:spin/1'
keys z
shows 'suspended' 'waits for resume' 'suspend: done'
keys z
shows 'resumed' 'resume: done'
keys c
shows 'collected' 'collect: done'
keys K
keys -l yes
keys Enter
shows 'killed' 'no such process'
kill -STOP $vm
shows 'late' 'has not answered for [2-9] s: waiting'
kill -CONT $vm
shows 'it goes on' 'q quit'
kill $vm
shows 'the machine ends' 'the machine has ended: this was seen last'
keys q
shows 'and is left' 'ended with 0'

# A program and its observer together: what it prints comes when the observer is left.
program talker <<'EOF'
-module(talker).
-export([main/1]).
main([File | Args]) -> io:format("hello ~p~n", [Args]), wait_for(File), io:format("bye~n"), halt(7).
wait_for(File) -> filelib:is_regular(File) orelse begin timer:sleep(100), wait_for(File) end.
EOF
$tmux kill-server 2>/dev/null
tmux="tmux -L whitebeam-$$-$((servers += 1)) -f /dev/null"
$tmux new-session -d -s t -x 140 -y 40 \
  "'$WHITEBEAM' run --observe '$scratch/talker.erl' main '$scratch/leave' one; echo ended with \$?; sleep 100"
shows 'run --observe' '1 Home' 'talker \([0-9]+\)' '^memory .*counts'
keys q
shows 'what it has printed' 'hello \["one"\]'
touch "$scratch/leave"
shows 'its end' '^bye' 'ended with 7'
finish
