%% whitebeam_reactor: channels, streams, fairness, protocols.
%% args: 10000
%% args gc-stress: 500
-module(reactor).
-export([main/1]).

-define(R, whitebeam_reactor).

main([Text]) ->
    Flood = list_to_integer(Text),
    logger:set_primary_config(level, none),
    simple(),
    streams(),
    typed(),
    sealed(),
    fair(Flood),
    protocols(),
    misuse(),
    roundabout(1, Flood div 16),
    roundabout(128, Flood div 16).

%% Runs a reactor that reports to this process, until it has ended.
with(F) ->
    Self = self(),
    {_, Monitor} = ?R:spawn_monitor(fun(Main) -> F(Main, fun(X) -> Self ! {said, X} end) end),
    said(Monitor, []).

said(Monitor, Said) ->
    receive
        {said, X} -> said(Monitor, [X | Said]);
        {'DOWN', Monitor, _, _, normal} -> lists:reverse(Said);
        {'DOWN', Monitor, _, _, {Why, [_ | _]}} -> {lists:reverse(Said), ended, Why};
        {'DOWN', Monitor, _, _, Why} -> {lists:reverse(Said), ended, Why}
    after 60_000 -> {lists:reverse(Said), still_there}
    end.

simple() ->
    io:format("~p~n", [with(fun({Channel, Events} = Main, Say) ->
        ?R:on_event(Events, fun(stop) -> ?R:seal(Main); (X) -> Say({main, X}) end),
        ?R:on_done(Events, fun() -> Say(done) end),
        [?R:send(Channel, X) || X <- [1, 2]],
        self() ! plain,  % any message is one of main
        Say(Main =:= ?R:main()),
        ?R:send(?R:channel(Main), stop),
        ?R:send(Channel, too_late)
    end)]).

streams() ->
    Sources = fun(F) ->
        with(fun(Main, Say) ->
            ?R:seal(Main),
            {A, As} = Ca = ?R:open(integer), {B, Bs} = Cb = ?R:open(integer),
            Result = F(As, Bs),
            ?R:on_event(Result, Say),
            ?R:on_done(Result, fun() -> Say(done) end),
            ?R:on_done(As, fun() -> Say(a_done) end),
            [?R:send(A, X) || X <- [1, 2, 2, 3]],
            [?R:send(B, X) || X <- [10, 20]],
            {Last, Lasts} = ?R:open(),
            ?R:on_event(Lasts, fun(_) -> ?R:seal(Ca), ?R:seal(Cb), ?R:seal(Last) end),
            ?R:send(Last, now)
        end)
    end,
    [io:format("~p: ~p~n", [Name, Sources(F)]) || {Name, F} <- [
        {map, fun(As, _) -> ?R:map(As, fun(X) -> X * X end) end},
        {filter, fun(As, _) -> ?R:filter(As, fun(X) -> X =:= 2 end) end},
        {fold, fun(As, _) -> ?R:fold(As, 0, fun erlang:'+'/2) end},
        {union, fun(As, Bs) -> ?R:union(As, Bs) end},
        {zip, fun(As, Bs) -> ?R:zip(As, Bs) end},
        {zip_itself, fun(As, _) -> ?R:zip(As, As) end},
        {take, fun(As, _) -> ?R:take(As, 2) end},
        {take_none, fun(As, _) -> ?R:take(As, 0) end},
        {changes, fun(As, _) -> ?R:changes(As) end},
        {never, fun(_, _) -> ?R:never() end},
        {together, fun(As, Bs) ->
            ?R:fold(?R:map(?R:union(?R:changes(As), Bs), fun(X) -> X + 1 end), [], fun(X, L) -> [X | L] end) end}]].

typed() ->
    Try = fun(Type, Event) ->
        with(fun(Main, Say) ->
            ?R:seal(Main),
            {Channel, Events} = ?R:open(Type),
            ?R:on_event(Events, fun(X) -> Say(X), ?R:seal(Channel) end),
            try ?R:send(Channel, Event) catch error:{type, T} -> Say({refused, is_function(T) orelse T}), ?R:seal(Channel) end
        end)
    end,
    io:format("~p~n", [[Try(T, E) || {T, E} <- [
        {any, x}, {integer, 1}, {integer, 1.0}, {float, 1.0}, {number, a}, {atom, a}, {boolean, a}, {binary, <<1>>}, {list, [a]},
        {tuple, {}}, {map, #{}}, {pid, a}, {channel, a}, {{list, integer}, [1, 2]}, {{list, integer}, [1, a]},
        {{tuple, [atom, integer]}, {a, 1}}, {{tuple, [atom, integer]}, {a, 1, 2}}, {{value, 7}, 7}, {{value, 7}, 8},
        {{one_of, [atom, {value, 1}]}, 1}, {{one_of, [atom, {value, 1}]}, 2}, {fun(X) -> X > 3 end, 4}, {fun(X) -> X > 3 end, 3}]]]),
    io:format("~p~n", [with(fun(_, _) -> ?R:open(no_such_type) end)]).

sealed() ->
    io:format("~p~n", [with(fun(Main, Say) ->
        {A, As} = ?R:open(), {B, Bs} = ?R:open(),
        ?R:on_event(As, fun(2) -> ?R:seal(A), Say(sealed); (X) -> Say({a, X}) end),
        ?R:on_event(Bs, fun(X) -> Say({b, X}), ?R:seal(B) end),
        [?R:send(A, X) || X <- [1, 2, 3]],
        ?R:send(B, x), ?R:send(B, y),
        ?R:seal(Main), ?R:seal(Main),
        ?R:on_event(?R:stream(Main), Say),
        ?R:on_done(?R:stream(Main), fun() -> Say(main_is_done_already) end)
    end)]).

%% One channel is flooded; an event in another waits for one turn of it, not for all.
fair(Flood) ->
    [{Before, All}] = with(fun(Main, Say) ->
        {A, As} = ?R:open(), {B, Bs} = ?R:open(),
        put(seen, 0),
        ?R:on_event(As, fun(_) ->
            put(seen, get(seen) + 1),
            get(seen) =:= Flood andalso begin Say({get(before), get(seen)}), ?R:seal(A) end
        end),
        ?R:on_event(Bs, fun(_) -> put(before, get(seen)), ?R:seal(B) end),
        [?R:send(A, N) || N <- lists:seq(1, 200)],
        ?R:send(B, x),
        [?R:send(A, N) || N <- lists:seq(1, Flood - 200)],
        ?R:seal(Main)
    end),
    io:format("the other event came after ~p of ~p~n", [Before, All]),
    %% Main is one of them.
    [Main1] = with(fun({Channel, Events} = Main, Say) ->
        {A, As} = ?R:open(),
        put(seen, 0),
        ?R:on_event(As, fun(N) -> put(seen, get(seen) + 1), N =:= 1000 andalso ?R:seal(A) end),
        ?R:on_event(Events, fun(_) -> Say(get(seen)), ?R:seal(Main) end),
        [?R:send(A, N) || N <- lists:seq(1, 200)],
        ?R:send(Channel, x),
        [?R:send(A, N) || N <- lists:seq(201, 1000)]
    end),
    io:format("main's after ~p~n", [Main1]).

protocols() ->
    Square = ?R:request_reply({integer, integer}),
    Text = ?R:mapped(Square, fun erlang:list_to_integer/1, fun erlang:integer_to_list/1),
    {Server, Client} = {fun(F) -> Self = self(), ?R:spawn_link(fun(Main) -> Self ! {channel, F()}, keep(Main) end),
                                  receive {channel, C} -> C end end,
                        fun(F) -> with(fun(Main, Say) -> ?R:seal(Main), F(Say) end) end},
    S = Server(fun() -> ?R:accept(Square, fun(X) -> X * X end) end),
    io:format("~p~n", [Client(fun(Say) -> ?R:connect(Square, S, 12, Say) end)]),
    io:format("~p~n", [Client(fun(Say) -> ?R:connect(Text, S, "13", Say) end)]),
    io:format("~p~n", [Client(fun(Say) -> [?R:connect(Square, S, N, Say) || N <- lists:seq(1, 5)] end)]),
    io:format("~p~n", [Client(fun(Say) -> ?R:connect(Square, S, x, Say) end)]),
    Both = ?R:two_way({integer, {tuple, [integer, integer]}}),
    Sums = Server(fun() ->
        ?R:accept(Both, fun({Start, Out, {Mine, In}}) ->
            Sum = ?R:fold(In, {Start, 0}, fun(X, {Acc, N}) -> {Acc + X, N + 1} end),
            ?R:on_event(Sum, fun(Event) -> ?R:send(Out, Event), element(2, Event) =:= 3 andalso ?R:seal(Mine) end)
        end)
    end),
    io:format("~p~n", [Client(fun(Say) ->
        ?R:connect(Both, Sums, 100, fun({Out, {Mine, In}}) ->
            ?R:on_event(In, fun({_, N} = X) -> Say(X), N =:= 3 andalso ?R:seal(Mine) end),
            [?R:send(Out, N) || N <- [1, 2, 3]]
        end)
    end)]),
    io:format("~p~n", [Client(fun(Say) ->
        [{A, As}, {B, Bs}] = [?R:open(), ?R:open()],
        ?R:on_event(As, fun(stop) -> ?R:seal(A); (X) -> Say({a, X}) end),
        ?R:on_event(Bs, fun(stop) -> ?R:seal(B); (X) -> Say({b, X}) end),
        Router = ?R:router([A, B]), All = ?R:broadcast([A, B]),
        {Later, Laters} = ?R:open(),
        ?R:on_event(Laters, fun(all) -> ?R:send(All, both), ?R:send(All, stop), ?R:send(Later, over);
                               (over) -> ?R:seal(Router), ?R:send(Later, end_it);
                               (end_it) -> ?R:seal(All), ?R:seal(Later)
                            end),
        [?R:send(Router, N) || N <- [1, 2]],
        ?R:send(Later, all)
    end)]).

keep({_, Events}) -> ?R:on_event(Events, fun(_) -> ok end).

misuse() ->
    Outside = fun(F) -> try F() catch error:Why -> Why end end,
    io:format("~p~n", [[Outside(F) || F <- [fun() -> ?R:open() end, fun() -> ?R:main() end, fun() -> ?R:send(self(), 1) end]]]),
    Self = self(),
    Channel = ?R:spawn_link(fun(Main) -> Self ! {main, Main}, keep(Main) end),
    {Theirs, Stream} = receive {main, M} -> M end,
    io:format("~p ~p~n", [Theirs =:= Channel, [Outside(F) || F <- [fun() -> ?R:seal(Channel) =:= ok end,
                                                                  fun() -> ?R:on_event(Stream, fun(_) -> ok end) end]]]),
    io:format("~p~n", [with(fun({C, Events}, _) ->
        ?R:on_event(Events, fun(_) -> exit(broken) end),
        ?R:send(C, x)
    end)]).

%% One process sends in turn to all channels of one reactor.
roundabout(Streams, Events) ->
    Self = self(),
    ?R:spawn_link(fun(Main) ->
        Connectors = [?R:open(integer) || _ <- lists:seq(1, Streams)],
        Count = fun({Channel, Stream}) ->
            ?R:on_event(?R:fold(Stream, 0, fun(_, N) -> N + 1 end),
                        fun(N) -> N =:= Events andalso begin Self ! {all, N}, ?R:seal(Channel) end end)
        end,
        [Count(C) || C <- Connectors],
        ?R:seal(Main),
        Self ! {channels, [C || {C, _} <- Connectors]}
    end),
    receive {channels, Channels} -> ok end,
    [?R:send(C, N) || N <- lists:seq(1, Events), C <- Channels],
    io:format("~p streams: ~p events~n", [Streams, lists:sum([receive {all, N} -> N end || _ <- Channels])]).
