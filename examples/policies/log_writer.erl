%% A log that is written a batch at a time: the policy `{periodic, Ms}` (docs/policies-and-groups.md).
%%
%%     whitebeam run examples/policies/log_writer.erl [main LINES]
%%
%% The writer collects the lines that are there and writes them at once; what it does between two writes costs as much for one
%% line as for a thousand. Look at the number of writes: by default nearly every line wakes it up and is written alone, for
%% lines come one by one. With a period of 50 milliseconds lines wait for each other. No code of the writer changes.
-module(log_writer).
-export([main/1]).

main([]) -> main(["2000"]);
main([Text]) ->
    Lines = list_to_integer(Text),
    [begin {Writes, All} = log(Policy, Lines), io:format("~-14s ~b lines in ~b writes~n", [io_lib:format("~0p", [Policy]), All, Writes]) end
     || Policy <- [default, {periodic, 50}]],
    ok.

log(Policy, Lines) ->
    Main = self(),
    Writer = spawn_opt(fun() -> writer(Main, [], 0, 0) end, [{whitebeam, [{policy, Policy}]}]),
    Senders = [spawn_monitor(fun() -> send(Writer, Lines div 10) end) || _ <- lists:seq(1, 10)],
    [receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Senders],
    Writer ! stop,
    receive {written, Writes, All} -> {Writes, All} end.

%% A line now and then.
send(_, 0) -> ok;
send(Writer, N) -> Writer ! {line, <<"something happened\n">>}, N rem 20 =:= 0 andalso timer:sleep(1), erlang:yield(), send(Writer, N - 1).

writer(Main, Lines, Writes, All) ->
    receive
        {line, L} -> writer(Main, [L | Lines], Writes, All + 1)
    after 0 ->
        Written = case Lines of [] -> Writes; _ -> write(lists:reverse(Lines)), Writes + 1 end,
        receive
            {line, L} -> writer(Main, [L], Written, All + 1);
            stop -> Main ! {written, Written, All}
        end
    end.

%% It might go to a disk: here it is only put together.
write(Lines) -> iolist_size(Lines).
