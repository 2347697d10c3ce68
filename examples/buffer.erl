%% An extensible buffer (after *Scala Actors*).
%%
%% The buffer serves `put` while it has room and `get` while it has something: a message that cannot
%% be served stays in the mailbox, unreceived. What else it can do is an extension, a function that
%% is added from outside: `peek` looks, `get2` takes two at once and, when there are fewer, waits in
%% its own way, serving only puts.
-module(buffer).
-compile({no_auto_import, [put/2]}).
-export([main/1, start/2, put/2, call/2]).

main(_Args) ->
    Buffer = start(3, fun extension/2),
    Self = self(),
    spawn_link(fun() -> [put(Buffer, N) || N <- lists:seq(1, 10)], Self ! all_put end),
    io:format("at most three: ~w~n", [call(Buffer, {extended, peek}) =< 3]),
    io:format("get:  ~w~n", [call(Buffer, get)]),
    io:format("get2: ~w~n", [call(Buffer, {extended, get2})]),
    Rest = [call(Buffer, get) || _ <- lists:seq(1, 7)],
    io:format("rest: ~w~n", [Rest]),
    receive all_put -> ok end,
    io:format("unknown: ~w~n", [call(Buffer, {extended, dance})]),
    io:format("never more than three inside: ~w~n", [call(Buffer, high_water) =< 3]).

start(Limit, Extension) -> spawn_link(fun() -> loop([], 0, Limit, Extension) end).

%% Returns when there was room.
put(Buffer, Value) -> ok = call(Buffer, {put, Value}).

call(Buffer, Request) ->
    Ref = monitor(process, Buffer),
    Buffer ! {Request, {self(), Ref}},
    receive
        {Ref, Reply} -> demonitor(Ref, [flush]), Reply;
        {'DOWN', Ref, process, _, Reason} -> exit(Reason)
    end.

reply({Pid, Ref}, Value) -> Pid ! {Ref, Value}.

loop(Items, High, Limit, Extension) ->
    receive
        {{put, Value}, From} when length(Items) < Limit ->
            reply(From, ok),
            loop(Items ++ [Value], max(High, length(Items) + 1), Limit, Extension);
        {get, From} when Items =/= [] ->
            reply(From, hd(Items)),
            loop(tl(Items), High, Limit, Extension);
        {high_water, From} ->
            reply(From, High),
            loop(Items, High, Limit, Extension);
        {{extended, Request}, From} ->
            {Reply, Left} = Extension(Request, Items),
            reply(From, Reply),
            loop(Left, max(High, length(Left)), Limit, Extension)
    end.

%% --- the extension ----------------------------------------------------------------------------------

extension(peek, Items) -> {length(Items), Items};
extension(get2, [A, B | Rest]) -> {{A, B}, Rest};
extension(get2, Items) -> receive {{put, Value}, From} -> reply(From, ok), extension(get2, Items ++ [Value]) end;
extension(_, Items) -> {not_understood, Items}.
