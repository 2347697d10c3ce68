%% Whoever is runnable gets on while another process is in a file operation. The operation takes BEAM
%% to another thread and back: time for a few processes that talk to each other.
%% skip repeats: files named after the number of the operating system's process
%% skip tsan: a message takes longer there than the operation leaves others
%% skip asan: as tsan
-module(file_turns).
-export([main/1]).

main(_) ->
    Name = filename:join("/tmp", "whitebeam_turns_" ++ os:getpid()),
    {ok, File} = file:open(Name, [read, write, raw, binary]),
    try
        p(write, fun() -> ok = file:write(File, <<"line\n">>) end),
        p(read, fun() -> {ok, 0} = file:position(File, 0), {ok, <<"line">>} = file:read(File, 4) end),
        p(pwrite, fun() -> ok = file:pwrite(File, 0, <<"line\n">>) end),
        p(pread, fun() -> {ok, <<"line">>} = file:pread(File, 0, 4) end),
        p(open, fun() -> {ok, Again} = file:open(Name, [read, raw]), ok = file:close(Again) end),
        p(read_file, fun() -> {ok, <<"line\n", _/binary>>} = prim_file:read_file(Name) end)
    after
        ok = file:close(File),
        ok = file:delete(Name)
    end.

%% Do they come to their end in time? Nobody promises it each time.
p(What, Operation) ->
    Times = length([1 || _ <- lists:seq(1, 40), ends_during(Operation)]),
    io:format("~p: ~p~n", [What, if Times >= 10 -> often; true -> {only, Times} end]).

ends_during(Operation) ->
    Self = self(),
    Second = spawn(fun() -> answer(3) end),
    First = spawn(fun() -> receive go -> ask(3, Second) end, Self ! done end),
    erlang:yield(),
    First ! go,
    _ = Operation(),
    Ended = receive done -> true after 0 -> false end,
    Ended orelse receive done -> ok end,
    Ended.

ask(0, _) -> ok;
ask(N, To) -> To ! {self(), N}, receive {To, N} -> ask(N - 1, To) end.

answer(0) -> ok;
answer(N) -> receive {From, N} -> From ! {self(), N}, answer(N - 1) end.
