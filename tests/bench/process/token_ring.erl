%% Tokens round a ring with a queue process between neighbours: 10 to 600,000 processes.
%% erl: +P 2000000
-module(token_ring).
-export([measure/0]).

measure() -> [pass_time(N) || N <- [10, 1000, 50_000, 600_000]].

pass_time(Processes) ->
    Main = self(),
    First = spawn(fun() -> first(Main) end),
    Last = ring(Processes div 2 - 1, First, Main),
    First ! {next, spawn(fun() -> queue(queue:new(), Last) end)},
    Passes = max(200_000, Processes),
    Start = erlang:monotonic_time(),
    First ! {token, Passes},
    receive done -> ok end,
    Time = erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond),
    First ! stop,
    receive stopped -> ok end,
    {io_lib:format("~b", [Processes]), "ns/pass", Time / Passes}.

ring(0, Next, _) -> Next;
ring(N, Next, Main) ->
    Queue = spawn(fun() -> queue(queue:new(), Next) end),
    ring(N - 1, spawn(fun() -> member(Queue, Main) end), Main).

%% The member that `stop` comes back to when everybody has passed it on.
first(Main) ->
    receive {next, Next} -> member(Next, Main) end,
    receive stop -> Main ! stopped end.

member(Next, Main) ->
    receive
        {token, N} when N =< 0 -> Main ! done, member(Next, Main);
        {token, N} -> Next ! {put, {token, N - 1}}, member(Next, Main);
        stop -> Next ! stop
    end.

%% Puts at one end, gives to its reader at the other.
queue(Q, Reader) ->
    receive
        {put, X} ->
            {{value, Y}, Q1} = queue:out(queue:in(X, Q)),
            Reader ! Y,
            queue(Q1, Reader);
        stop -> Reader ! stop
    end.
