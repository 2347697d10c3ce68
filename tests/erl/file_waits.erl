%% A FIFO is opened when somebody has opened its other end, and read when somebody has written: whoever
%% waits for it keeps nobody from running, and can be killed.
%% skip seeds: there everybody waits with whoever opens a FIFO
%% skip repeats: as seeds
-module(file_waits).
-export([main/1]).

main(_) ->
    Fifo = filename:join("/tmp", "whitebeam_fifo_" ++ os:getpid()),
    "" = os:cmd("mkfifo " ++ Fifo),
    try
        [p(What, fun() -> case_of(What, Fifo) end)
         || What <- [reader_waits, writer_waits, reads_till_full, reads_what_is_left, writes_wait, whole_file,
                     buffered, both_ends, many_wait, killed, killed_in_read, nameless, terminal, other_operations]],
        spawn(fun() -> file:open(Fifo, [read, raw]) end)  % and the machine ends all the same
    after
        ok = file:delete(Fifo)
    end.

p(What, F) ->
    io:format("~p: ~p~n", [What, try F() catch C:R:S -> {C, R, S} end]).

case_of(reader_waits, Fifo) ->
    Reader = start(fun() -> open(Fifo, [read, raw]) end),
    Where = waits_in(Reader, open_nif),
    {ok, To} = file:open(Fifo, [write, raw]),
    {Where, answer(Reader), file:close(To)};
case_of(writer_waits, Fifo) ->
    Writer = start(fun() -> open(Fifo, [write, raw]) end),
    Where = waits_in(Writer, open_nif),
    {ok, From} = file:open(Fifo, [read, raw]),
    {Where, answer(Writer), file:close(From)};
case_of(reads_till_full, Fifo) ->
    {ok, Both} = file:open(Fifo, [read, write, raw]),
    Reader = start(fun() -> {ok, From} = file:open(Fifo, [read, raw, binary]), file:read(From, 10) end),
    ok = file:write(Both, "01234"),
    Where = waits_in(Reader, read_nif),
    ok = file:write(Both, "56789"),
    {Where, answer(Reader), file:close(Both)};
case_of(reads_what_is_left, Fifo) ->
    Reader = start(fun() ->
                           {ok, From} = file:open(Fifo, [read, raw, binary]),
                           {file:read(From, 10), file:read(From, 10)}
                   end),
    {ok, To} = file:open(Fifo, [write, raw]),
    ok = file:write(To, "01234"),
    Where = waits_in(Reader, read_nif),
    ok = file:close(To),
    {Where, answer(Reader)};
case_of(writes_wait, Fifo) ->
    Size = 300000,
    Writer = start(fun() ->
                           {ok, To} = file:open(Fifo, [write, raw]),
                           file:write(To, binary:copy(<<"x">>, Size))
                   end),
    {ok, From} = file:open(Fifo, [read, raw, binary]),
    waits_in(Writer, write_nif),
    {ok, All} = file:read(From, Size),
    {byte_size(All), answer(Writer), file:read(From, 1), file:close(From)};
case_of(whole_file, Fifo) ->
    Reader = start(fun() -> prim_file:read_file(Fifo) end),
    Where = waits_in(Reader, read_file_nif),
    {ok, To} = file:open(Fifo, [write, raw]),
    ok = file:write(To, "first "),
    ok = file:write(To, "second"),
    ok = file:close(To),
    {Where, answer(Reader)};
case_of(buffered, Fifo) ->
    Reader = start(fun() ->
                           {ok, From} = file:open(Fifo, [read]),
                           Lines = [io:get_line(From, '') || _ <- [1, 2, 3]],
                           {Lines, file:close(From)}
                   end),
    {ok, To} = file:open(Fifo, [write, raw]),  % the file server waits with the reader
    ok = file:write(To, "one\ntwo\n"),
    ok = file:close(To),
    answer(Reader);
case_of(both_ends, Fifo) ->
    {ok, Both} = file:open(Fifo, [read, write, raw]),
    {ok, From} = file:open(Fifo, [read, raw]),
    {ok, To} = file:open(Fifo, [append, raw]),
    {file:write(To, "to and fro"), file:read(From, 10), [file:close(F) || F <- [Both, From, To]]};
case_of(many_wait, Fifo) ->
    Readers = [start(fun() -> open(Fifo, [read, raw]) end) || _ <- lists:seq(1, 6)],
    Where = [waits_in(R, open_nif) || R <- Readers],
    Sums = [answer(P) || P <- [start(fun() -> lists:sum(lists:seq(1, 1000)) end) || _ <- lists:seq(1, 200)]],
    {ok, _} = prim_file:read_file(code:which(?MODULE)),
    {ok, To} = file:open(Fifo, [write, raw]),
    {lists:usort(Where), lists:usort(Sums), [answer(R) || R <- Readers], file:close(To)};
case_of(killed, Fifo) ->
    Before = descriptors(),
    Killed = [start(fun() -> open(Fifo, Modes) end) || Modes <- [[read, raw], [read, raw], [write, raw]]],
    %% Of BEAM's readers and writers the first two find each other.
    [Last | _] = [start(fun() -> prim_file:read_file(Fifo ++ "_2") end) || "" <- [os:cmd("mkfifo " ++ Fifo ++ "_2")]],
    Where = waits_in(Last, read_file_nif),
    Ends = [kill(P) || P <- [Last | Killed]],
    {ok, One} = file:open(Fifo, [read, write, raw]),
    {ok, Two} = file:open(Fifo ++ "_2", [read, write, raw]),
    ok = file:close(One),
    ok = file:close(Two),
    ok = file:delete(Fifo ++ "_2"),
    until(fun() -> descriptors() =< Before end),
    {Where, Ends};
case_of(killed_in_read, Fifo) ->
    Before = descriptors(),
    {ok, Both} = file:open(Fifo, [read, write, raw]),
    Reader = start(fun() -> {ok, From} = file:open(Fifo, [read, raw]), file:read(From, 10) end),
    Where = waits_in(Reader, read_nif),
    End = kill(Reader),
    ok = file:write(Both, "01234"),
    ok = file:close(Both),
    until(fun() -> descriptors() =< Before end),
    {Where, End};
case_of(nameless, _) ->
    prim_file:read_file("/dev/stdin");
case_of(terminal, _) ->
    {ok, Terminal} = file:open("/dev/ptmx", [read, write, raw]),
    {file:position(Terminal, 0), file:close(Terminal)};
case_of(other_operations, Fifo) ->
    {ok, F} = file:open(Fifo, [read, write, raw]),
    {file:position(F, 1), file:pread(F, 0, 1), file:pwrite(F, 0, "x"), file:truncate(F), file:datasync(F),
     file:open(Fifo, [exclusive, raw]), file:open("/dev/null/x", [read, raw]), file:close(F)}.

open(Name, Modes) ->
    {ok, File} = file:open(Name, Modes),
    file:close(File).

start(F) ->
    spawn_monitor(fun() -> exit({answer, F()}) end).

answer({Pid, Monitor}) ->
    receive {'DOWN', Monitor, process, Pid, {answer, Answer}} -> Answer after 60000 -> exit(no_answer) end.

kill({Pid, Monitor}) ->
    exit(Pid, kill),
    receive
        {'DOWN', Monitor, process, Pid, killed} -> killed;
        {'DOWN', Monitor, process, Pid, {answer, _}} -> killed  % it was quicker
    after 60000 -> exit(no_end)
    end.

waits_in({Pid, _}, Function) ->
    until(fun() -> is_in(Pid, Function) end),
    process_info(Pid, status).

is_in(Pid, Function) ->
    case process_info(Pid, current_function) of
        {current_function, {prim_file, Function, _}} -> true;
        {current_function, _} -> false
    end.

until(Condition) -> until(Condition, 6000).
until(_, 0) -> exit(too_late);
until(Condition, N) -> Condition() orelse begin timer:sleep(10), until(Condition, N - 1) end.

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).
