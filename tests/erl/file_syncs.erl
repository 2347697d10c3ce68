%% What waits for the disk: file:sync/1, datasync/1, files opened with `sync`; and who is killed meanwhile.
%% skip repeats: files named after the number of the operating system's process
-module(file_syncs).
-export([main/1]).

main(_) ->
    Name = "/tmp/file_syncs." ++ os:getpid(),
    try
        written(Name),
        large(Name),
        many(Name),
        killed(Name)
    after
        file:delete(Name)
    end.

written(Name) ->
    {ok, F} = file:open(Name, [write, raw, binary]),
    ok = file:write(F, <<"abc">>),
    io:format("~p ~p~n", [file:sync(F), file:datasync(F)]),
    ok = file:close(F),
    io:format("~p ~p~n", [file:sync(F), file:datasync(F)]),
    {ok, G} = file:open(Name, [append, sync, raw]),
    io:format("~p~n", [[file:write(G, D) || D <- [<<"def">>, [<<>>, "gh", [$i | <<"j">>]], [], <<0:8000>>]]]),
    io:format("~p ~p~n", [file:write(G, [bad]), file:position(G, cur)]),
    ok = file:close(G),
    io:format("~p~n", [file:write(G, <<"x">>)]),
    {ok, R} = file:open(Name, [read, raw, sync]),
    io:format("~p ~p ~p~n", [file:write(R, <<"x">>), file:sync(R), file:read(R, 10)]),
    ok = file:close(R),
    {ok, D} = file:open("/dev/null", [write, sync, raw]),
    io:format("~p ~p~n", [file:write(D, <<"x">>), file:sync(D)]),
    ok = file:close(D),
    {ok, S} = file:open(Name, [read, write]),
    io:format("~p ~p ~p~n", [file:sync(S), file:datasync(S), file:pread(S, 3, 4)]),
    ok = file:close(S).

%% Half a megabyte and more makes a trip to another thread, too; and what has another size than it said.
large(Name) ->
    Data = << <<N:32>> || N <- lists:seq(1, 300000) >>,
    io:format("~p~n", [[file:write_file(Name, Data), file:read_file(Name) =:= {ok, Data}]]),
    {ok, F} = file:open(Name, [read, write, raw, binary]),
    {ok, Half} = file:pread(F, 600000, 600000),
    io:format("~p~n", [{Half =:= binary:part(Data, 600000, 600000), file:pread(F, 1200000, 700000), file:position(F, 100)}]),
    io:format("~p~n", [[file:truncate(F), file:read(F, 10), filelib:file_size(Name), file:allocate(F, 0, 1000)]]),
    io:format("~p~n", [[file:pwrite(F, 50, [Data, Data]), filelib:file_size(Name), file:close(F)]]),
    io:format("~p~n", [[file:write_file(Name, <<"short">>), file:read_file(Name), file:write_file(Name, Data)]]),
    ok = file:write_file(Name ++ ".2", <<"new">>),
    io:format("~p~n", [[file:rename(Name ++ ".2", Name), file:read_file(Name), file:write_file(Name, Data), file:delete(Name)]]),
    io:format("~p~n", [[file:read_file(Name), file:write_file(Name, []), file:read_file(Name), file:read_file("/tmp")]]),
    {ok, Status} = file:read_file("/proc/self/status"),  % says that it is empty
    io:format("~p~n", [binary:match(Status, <<"Name:">>)]),
    {_, M} = spawn_monitor(fun() ->
        {ok, G} = file:open(Name, [append, raw]),
        [ok = file:write(G, binary:copy(<<"0123456789">>, 5000)) || _ <- lists:seq(1, 100)]
    end),
    [begin {ok, B} = file:read_file(Name), true = whole(B) end || _ <- lists:seq(1, 50)],
    receive {'DOWN', M, _, _, normal} -> io:format("~p~n", [filelib:file_size(Name)]) end.

whole(B) -> byte_size(B) < 10 orelse binary:part(B, byte_size(B) div 10 * 10 - 10, 10) =:= <<"0123456789">>.

%% Each with a file of its own, from code that is native by then.
many(Name) ->
    Me = self(),
    Ps = [spawn_monitor(fun() -> Me ! {self(), rounds(Name ++ "." ++ integer_to_list(K), 20)} end) || K <- lists:seq(1, 8)],
    io:format("~p~n", [[receive {P, Sum} -> Sum end || {P, _} <- Ps]]),
    [receive {'DOWN', M, _, _, Reason} -> normal = Reason end || {_, M} <- Ps].

rounds(Name, N) ->
    {ok, F} = file:open(Name, [write, read, sync, raw, binary]),
    R = rounds(F, N, 0),
    ok = file:close(F),
    ok = file:delete(Name),
    R.
rounds(_, 0, Sum) -> Sum;
rounds(F, N, Sum) ->
    Data = <<N:64, (binary:copy(<<N>>, N))/binary>>,
    ok = file:pwrite(F, 0, Data),
    ok = file:datasync(F),
    {ok, <<N:64, _/binary>>} = file:pread(F, 0, byte_size(Data)),
    rounds(F, N - 1, Sum + byte_size(Data)).

killed(Name) ->
    Ps = [spawn_monitor(fun() ->
        {ok, F} = file:open(Name ++ ".k" ++ integer_to_list(K), [write, raw]),
        forever(F)
    end) || K <- lists:seq(1, 4)],
    timer:sleep(30),
    [exit(P, kill) || {P, _} <- Ps],
    io:format("~p~n", [[receive {'DOWN', M, process, P, Why} -> Why end || {P, M} <- Ps]]),
    [file:delete(Name ++ ".k" ++ integer_to_list(K)) || K <- lists:seq(1, 4)].

forever(F) ->
    ok = file:write(F, <<"x">>),
    ok = file:sync(F),
    forever(F).
