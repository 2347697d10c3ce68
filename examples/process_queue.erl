%% A queue made of a group of processes (after *Composing Actors*).
%%
%% Every element is a process that knows its successor; the queue is the group, reached through one
%% process that knows the head and the tail. Elements hand themselves over: when the head is taken
%% it tells the front who is next, and dies. No element ever sees the whole queue.
-module(process_queue).
-compile({no_auto_import, [put/2]}).
-export([main/1, new/0, put/2, take/1, close/1]).

main(_Args) ->
    Queue = new(),
    [put(Queue, N) || N <- lists:seq(1, 5)],
    io:format("first in, first out: ~w~n", [[take(Queue) || _ <- lists:seq(1, 5)]]),
    Self = self(),
    Taker = spawn_link(fun() -> Self ! {took, take(Queue)} end),
    receive {took, _} -> exit(too_early) after 20 -> io:format("a taker waits for an empty queue~n") end,
    put(Queue, late),
    receive {took, What} -> io:format("and gets what comes: ~p~n", [What]) end,
    true = is_pid(Taker),
    spread(Queue, 8, 250),
    closed = close(Queue).

%% Many producers and consumers at once: everything arrives exactly once.
spread(Queue, Workers, Each) ->
    Self = self(),
    [spawn_link(fun() -> [put(Queue, W * Each + N) || N <- lists:seq(1, Each)] end) || W <- lists:seq(1, Workers)],
    [spawn_link(fun() -> Self ! {sum, lists:sum([take(Queue) || _ <- lists:seq(1, Each)])} end) || _ <- lists:seq(1, Workers)],
    Sum = lists:sum([receive {sum, S} -> S end || _ <- lists:seq(1, Workers)]),
    Sum = lists:sum([W * Each + N || W <- lists:seq(1, Workers), N <- lists:seq(1, Each)]),
    io:format("~b elements through ~b producers and consumers, sum ~b~n", [Workers * Each, Workers, Sum]).

new() -> spawn_link(fun() -> empty() end).
put(Queue, Value) -> Queue ! {put, Value}, ok.

take(Queue) ->
    Ref = make_ref(),
    Queue ! {take, {self(), Ref}},
    receive {Ref, Value} -> Value end.

close(Queue) -> unlink(Queue), exit(Queue, shutdown), closed.

%% --- the front ------------------------------------------------------------------------------------

empty() ->
    receive
        {put, Value} ->
            Element = spawn_link(fun() -> element_last(Value) end),
            filled(Element, Element)
    end.

filled(Head, Tail) ->
    receive
        {put, Value} ->
            New = spawn_link(fun() -> element_last(Value) end),
            Tail ! {next, New},
            filled(Head, New);
        {take, Taker} ->
            Head ! {give, Taker, self()},
            receive
                {head, Next} -> filled(Next, Tail);
                none -> empty()
            end
    end.

%% --- an element: the last one, or one with a successor ---------------------------------------------

element_last(Value) ->
    receive
        {next, Next} -> element_inner(Value, Next);
        {give, {Pid, Ref}, Front} -> Pid ! {Ref, Value}, Front ! none
    end.

element_inner(Value, Next) ->
    receive {give, {Pid, Ref}, Front} -> Pid ! {Ref, Value}, Front ! {head, Next} end.
