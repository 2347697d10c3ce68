# A disk that fills up below disk_log, dets, mnesia and plain files; a crash dump and a boot that find it full.
# needs: unshare
unshare -m true 2> /dev/null || { echo "no namespaces here"; exit 0; }
cat > full.erl <<'F2'
-module(full).
-export([log/0, table/0, base/0, files/0]).
shown(What, R) -> io:format("~p: ~p~n", [What, R]).
until_not_ok(F, N) when N < 100000 -> case F(N) of ok -> until_not_ok(F, N + 1); Other -> {element(1, Other), Other} end.
log() ->
    {ok, log} = disk_log:open([{name, log}, {file, "disk/log"}]),
    {error, {error, Why}} = {error, element(2, {x, until_not_ok(fun(_) -> disk_log:log(log, lists:duplicate(1000, $x)) end, 0)})},
    shown(log, Why),
    shown(closed, disk_log:close(log)),
    shown(opened, element(1, disk_log:open([{name, log}, {file, "disk/log"}, {mode, read_only}]))),
    {Cursor, Terms} = case disk_log:chunk(log, start, 1) of {C, T} -> {C, T}; {C, T, Bad} -> {C, {T, Bad}} end,
    shown(first, {is_tuple(Cursor), length(hd(Terms))}),
    halt(0).
table() ->
    {ok, t} = dets:open_file(t, [{file, "disk/table"}, {auto_save, infinity}]),
    R = until_not_ok(fun(N) -> case dets:insert(t, {N, lists:duplicate(1000, $x)}) of ok when N rem 50 =:= 49 -> dets:sync(t); O -> O end end, 0),
    shown(table, case R of {error, {error, {file_error, F, Why}}} -> {F, Why}; _ -> R end),
    shown(closed, element(1, dets:close(t))),
    halt(0).
base() ->
    application:set_env(mnesia, dir, "disk/base"),
    ok = mnesia:create_schema([node()]),
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(t, [{disc_copies, [node()]}]),
    process_flag(trap_exit, true),
    Put = fun(N) ->
        case mnesia:transaction(fun() -> mnesia:write({t, N, lists:duplicate(5000, $x)}) end) of
            {atomic, ok} when N rem 10 =:= 9 -> case mnesia:dump_log() of dumped -> ok; Other -> {stopped, element(1, {Other})} end;
            {atomic, ok} -> ok;
            {aborted, _} -> {stopped, aborted}
        end
    end,
    {_, Writer} = spawn_monitor(fun() -> {stopped, _} = until_not_ok(Put, 0) end),
    receive {'DOWN', Writer, _, _, _} -> ok after 10000 -> ok end,  % mnesia may leave its callers waiting
    shown(base, stopped), halt(0).
files() ->
    R = until_not_ok(fun(N) -> file:write_file("disk/f" ++ integer_to_list(N), lists:duplicate(5000, $x)) end, 0),
    shown(files, R),
    {ok, F} = file:open("disk/more", [write, delayed_write]),
    shown(delayed, file:write(F, lists:duplicate(100000, $x))),
    shown(closed, file:close(F)),
    shown(compiled, element(1, compile:file("full", [{outdir, "disk"}, return]))),
    halt(0).
F2
erlc full.erl
mkdir disk
export ERL_CRASH_DUMP=disk/dump
for function in log table files; do
  timeout -k 1 60 unshare -m bash -c 'mount -t tmpfs -o size=512k tmpfs disk && exec "$@"' - erl -noshell -s full $function < /dev/null > out 2>&1
  code=$?; grep -aE '^[a-z]+: ' out; echo "$function $code"
done
timeout -k 1 60 unshare -m bash -c 'mount -t tmpfs -o size=512k tmpfs disk && exec "$@"' - erl -noshell -s full base < /dev/null > out 2>&1
echo "base $?"; grep -cE '^base: |enospc' out | sed 's/^[1-9].*/told/'
echo "= a full home, temporary directory and place for the crash dump"
for program in 'halt(3)' 'erlang:halt("slogan")' 'file:write_file("disk/x", "y")'; do
  timeout -k 1 60 unshare -m bash -c 'mount -t tmpfs -o size=64k tmpfs disk && { head -c 70000 /dev/zero > disk/zero; HOME=$PWD/disk TMPDIR=$PWD/disk exec "$@"; }' - \
    erl -noshell -eval "io:format(\"~p~n\", [catch $program]), halt(4)." < /dev/null 2> /dev/null
  echo "$?"
done
