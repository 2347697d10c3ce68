%% Channels as Go has them.
%%
%% A channel is a process. It keeps a queue of values (if it has a buffer), and one of the senders or receivers that
%% wait in it. A sender and a receiver meet in one of three ways:
%%   a receiver waits        it gets the value, past the buffer
%%   there is room           the value goes into the buffer, nobody waits
%%   else                    the sender waits until a receiver takes its value, or a place in the buffer gets free
%% and a receiver finds a value in the buffer (then the first sender that waits puts its own in), or a sender that
%% waits, or waits itself.
%%
%% Who waits in several channels at once (select/2) makes the same offer to all of them, and only one may take it up.
%% So an offer has a state in an atomics array: open, claimed or over. A channel that has a sender and a receiver claims
%% the offer that was made first, then the other, and then both are over. It waits while the second is claimed:
%% whoever claimed that one waits at most for an offer made later still, so there is no cycle. Who gives up (a time-out,
%% `default`) ends his own offer; if that is not to be had, an answer is on its way. An offer in one channel only
%% (send/2, recv/1) cannot be taken up twice and has no state.
%%
%% A channel ends when it is closed and empty, or with its owner, as a table of ETS does. To receive from what has ended
%% is to receive from a closed channel.
%%
%% Rejected: a lock a channel in the waiting processes (an exit signal leaves it locked); one process for all channels
%% (its mailbox is what everybody waits for); values kept in the sender until somebody wants them (a round trip more).
-module(whitebeam_chan).
-export([new/0, new/1, give_away/2, send/2, send/3, recv/1, recv/2, close/1, len/1, cap/1, select/1, select/2,
         foreach/2, fold/3, to_list/1, from_list/1, timer/1]).
-export_type([chan/0, operation/0]).

-opaque chan() :: {whitebeam_chan, pid()}.
-type operation() :: {recv, chan() | nil} | {send, chan() | nil, term()}.

-define(OPEN, 0).
-define(CLAIMED, 1).
-define(OVER, 2).

-record(offer, {from :: pid(), to :: pid() | reference(), tag :: term(), serial :: integer(), state :: atomics:atomics_ref() | single,
                value, monitor}).
-record(chan, {capacity, owner, buffer = queue:new(), length = 0, senders = queue:new(), receivers = queue:new(),
               closed = false}).

%% --- channels ----------------------------------------------------------------------------------------
-spec new() -> chan().
new() -> new(0).

%% With room for that many values. The channel ends with the process that calls this (give_away/2).
-spec new(non_neg_integer()) -> chan().
new(Capacity) when is_integer(Capacity), Capacity >= 0 ->
    Owner = self(),
    {?MODULE, spawn(fun() -> loop(#chan{capacity = Capacity, owner = monitor(process, Owner)}) end)};
new(Capacity) -> erlang:error(badarg, [Capacity]).

%% The channel ends with another process, or with none.
-spec give_away(chan(), pid() | none) -> ok.
give_away({?MODULE, Pid}, Owner) when is_pid(Owner); Owner =:= none ->
    case call(Pid, {give_away, Owner}) of
        closed -> ok;
        ok -> ok
    end;
give_away(Chan, Owner) -> erlang:error(badarg, [Chan, Owner]).

%% Error `closed` if the channel is closed, also while this waits. `nil` is a channel that is never ready.
-spec send(chan() | nil, term()) -> ok.
send(nil, _) -> forever();
send({?MODULE, Pid} = Chan, Value) ->
    case call(Pid, {send, Value}) of
        ok -> ok;
        closed -> erlang:error(closed, [Chan, Value])
    end;
send(Chan, Value) -> erlang:error(badarg, [Chan, Value]).

-spec send(chan() | nil, term(), timeout() | default) -> ok | timeout | default.
send(Chan, Value, Patience) ->
    case select([{send, Chan, Value}], Patience) of
        {1, ok} -> ok;
        Late -> Late
    end.

-spec recv(chan() | nil) -> {ok, term()} | closed.
recv(nil) -> forever();
recv({?MODULE, Pid}) -> call(Pid, recv);
recv(Chan) -> erlang:error(badarg, [Chan]).

-spec recv(chan() | nil, timeout() | default) -> {ok, term()} | closed | timeout | default.
recv(Chan, Patience) ->
    case select([{recv, Chan}], Patience) of
        {1, Received} -> Received;
        Late -> Late
    end.

%% What is in the buffer can still be received. Error `closed` if it is closed already.
-spec close(chan()) -> ok.
close({?MODULE, Pid} = Chan) ->
    case call(Pid, close) of
        ok -> ok;
        closed -> erlang:error(closed, [Chan])
    end;
close(Chan) -> erlang:error(badarg, [Chan]).

%% How many values are in the buffer.
-spec len(chan() | nil) -> non_neg_integer().
len(Chan) -> element(1, sizes(Chan)).

-spec cap(chan() | nil) -> non_neg_integer().
cap(Chan) -> element(2, sizes(Chan)).

sizes(nil) -> {0, 0};
sizes({?MODULE, Pid}) ->
    case call(Pid, sizes) of
        closed -> {0, 0};
        Sizes -> Sizes
    end;
sizes(Chan) -> erlang:error(badarg, [Chan]).

%% --- range -------------------------------------------------------------------------------------------
%% Until the channel is closed and empty.
-spec foreach(fun((term()) -> term()), chan()) -> ok.
foreach(F, Chan) when is_function(F, 1) ->
    case recv(Chan) of
        {ok, Value} -> F(Value), foreach(F, Chan);
        closed -> ok
    end.

-spec fold(fun((term(), Acc) -> Acc), Acc, chan()) -> Acc.
fold(F, Acc, Chan) when is_function(F, 2) ->
    case recv(Chan) of
        {ok, Value} -> fold(F, F(Value, Acc), Chan);
        closed -> Acc
    end.

-spec to_list(chan()) -> [term()].
to_list(Chan) -> lists:reverse(fold(fun(Value, Acc) -> [Value | Acc] end, [], Chan)).

%% A closed channel with these values.
-spec from_list([term()]) -> chan().
from_list(List) ->
    Chan = new(length(List)),
    lists:foreach(fun(Value) -> send(Chan, Value) end, List),
    close(Chan),
    Chan.

%% A channel in which one value is to be had after that many milliseconds: `timeout`.
-spec timer(non_neg_integer()) -> chan().
timer(Milliseconds) when is_integer(Milliseconds), Milliseconds >= 0 ->
    {?MODULE, Pid} = Chan = new(1),
    _ = erlang:send_after(Milliseconds, Pid, {expired, timeout}),
    Chan;
timer(Milliseconds) -> erlang:error(badarg, [Milliseconds]).

%% --- select ------------------------------------------------------------------------------------------
-spec select([operation()]) -> {pos_integer(), ok | {ok, term()} | closed}.
select(Operations) -> select(Operations, infinity).

%% Does one of these, as soon as one can be done: {N, What}, where the N-th of them answers `ok` (it was sent) or what
%% recv/1 would. Of several that can be done at once any may be chosen. If none can: `default` at once, or `timeout`
%% after so many milliseconds. Error `closed` if a channel to send to is closed. The channels are on this node.
-spec select([operation()], timeout() | default) ->
          {pos_integer(), ok | {ok, term()} | closed} | timeout | default.
select(Operations, Patience) when Patience =:= infinity; Patience =:= default; is_integer(Patience), Patience >= 0 ->
    Numbered = offers(Operations, 1, [Operations, Patience]),
    Ref = alias(),
    State = atomics:new(1, []),
    Offer = #offer{from = self(), to = Ref, serial = erlang:unique_integer([monotonic]), state = State},
    How = case Patience of default -> attempt; _ -> offer end,
    Made = [begin
                Monitor = monitor(process, Pid),
                Pid ! {How, Offer#offer{tag = {Ref, N}}, What},
                {N, Pid, Monitor, element(1, What)}
            end || {N, Pid, What} <- shuffled(Numbered)],
    Answer = await(Ref, State, Made, length(Made), Patience),
    [demonitor(Monitor, [flush]) || {_, _, Monitor, _} <- Made],
    forget_refusals(Ref),
    case {Answer, Made} of
        {{N, _}, [_, _ | _]} -> [Pid ! {withdraw, {Ref, I}} || {I, Pid, _, _} <- Made, I =/= N];
        {timeout, _} -> [Pid ! {withdraw, {Ref, I}} || {I, Pid, _, _} <- Made];
        _ -> ok
    end,
    case Answer of
        {Which, closed} ->
            case lists:keyfind(Which, 1, Made) of
                {_, _, _, send} -> erlang:error(closed, [Operations, Patience]);
                _ -> Answer
            end;
        _ -> Answer
    end;
select(Operations, Patience) -> erlang:error(badarg, [Operations, Patience]).

%% The state of an offer is not to be had on another node.
offers([{recv, {?MODULE, Pid}} | Rest], N, Args) when node(Pid) =:= node() ->
    [{N, Pid, {recv, none}} | offers(Rest, N + 1, Args)];
offers([{send, {?MODULE, Pid}, V} | Rest], N, Args) when node(Pid) =:= node() ->
    [{N, Pid, {send, V}} | offers(Rest, N + 1, Args)];
offers([{recv, nil} | Rest], N, Args) -> offers(Rest, N + 1, Args);
offers([{send, nil, _} | Rest], N, Args) -> offers(Rest, N + 1, Args);
offers([], _, _) -> [];
offers(_, _, Args) -> erlang:error(badarg, Args).

shuffled([_, _ | _] = List) -> [X || {_, X} <- lists:sort([{erlang:phash2({make_ref(), N}), X} || {N, _, _} = X <- List])];
shuffled(List) -> List.

%% `Left`: channels that have not refused. A channel that has ended is one that is closed.
await(Ref, State, Made, Left, Patience) ->
    Wait = case Patience of
               default when Left =:= 0 -> 0;
               default -> infinity;
               _ -> Patience
           end,
    receive
        {{Ref, N}, refused} when is_integer(N) -> await(Ref, State, Made, Left - 1, Patience);
        {{Ref, N}, Answer} -> {N, Answer};
        {'DOWN', Monitor, process, _, _} ->
            {N, _, _, _} = lists:keyfind(Monitor, 3, Made),
            case give_up(State) of
                true -> {N, closed};
                false -> receive {{Ref, M}, Answer} when Answer =/= refused -> {M, Answer} end
            end
    after Wait ->
        case give_up(State) of
            true when Patience =:= default -> default;
            true -> timeout;
            false -> receive {{Ref, M}, Answer} when Answer =/= refused -> {M, Answer} end
        end
    end.

%% Those that came already; none comes once the alias is no more.
forget_refusals(Ref) ->
    unalias(Ref),
    receive {{Ref, _}, refused} -> forget_refusals(Ref) after 0 -> ok end.

%% Ends an offer of one's own; false: somebody has taken it up.
give_up(State) ->
    case atomics:compare_exchange(State, 1, ?OPEN, ?OVER) of
        ok -> true;
        ?CLAIMED -> erlang:yield(), give_up(State);
        ?OVER -> false
    end.

forever() -> receive after infinity -> ok end.

call(Pid, Request) ->
    Ref = monitor(process, Pid),
    Pid ! {call, self(), Ref, Request},
    receive
        {Ref, Answer} -> demonitor(Ref, [flush]), Answer;
        {'DOWN', Ref, process, _, _} -> closed
    end.

%% --- the process -------------------------------------------------------------------------------------
loop(#chan{closed = true, length = 0}) -> ok;
loop(C) ->
    receive
        {call, From, Ref, {send, Value}} -> loop(send_to(C, single(From, Ref, Value), wait));
        {call, From, Ref, recv} -> loop(recv_from(C, single(From, Ref, none), wait));
        {call, From, Ref, close} -> loop(close(C, From, Ref));
        {call, From, Ref, sizes} -> From ! {Ref, {C#chan.length, C#chan.capacity}}, loop(C);
        {call, From, Ref, {give_away, Owner}} ->
            demonitor(C#chan.owner, [flush]),
            From ! {Ref, ok},
            loop(C#chan{owner = case Owner of none -> make_ref(); _ -> monitor(process, Owner) end});
        {offer, Offer, {send, Value}} -> loop(send_to(C, Offer#offer{value = Value}, wait));
        {offer, Offer, {recv, _}} -> loop(recv_from(C, Offer, wait));
        {attempt, Offer, {send, Value}} -> loop(send_to(C, Offer#offer{value = Value}, refuse));
        {attempt, Offer, {recv, _}} -> loop(recv_from(C, Offer, refuse));
        {withdraw, Tag} -> loop(without(C, #offer.tag, Tag));
        {expired, Value} -> loop(shut(send_to(C, single(self(), expired, Value), refuse)));
        {'DOWN', Owner, process, _, _} when Owner =:= C#chan.owner -> ok;
        {'DOWN', Monitor, process, _, _} -> loop(without(C, #offer.monitor, Monitor));
        _ -> loop(C)
    end.

single(From, Ref, Value) -> #offer{from = From, to = From, tag = Ref, serial = 0, state = single, value = Value}.

send_to(#chan{closed = true} = C, Offer, _) -> _ = claim(Offer) andalso answer(Offer, closed), C;
send_to(#chan{receivers = Receivers} = C, Offer, How) ->
    case meet(Offer, Receivers) of
        {met, Receiver, Rest} ->
            answer(Receiver, {ok, Offer#offer.value}),
            answer(Offer, ok),
            C#chan{receivers = Rest};
        {gone, Rest} -> C#chan{receivers = Rest};
        {alone, Rest} when C#chan.length < C#chan.capacity ->
            case claim(Offer) of
                true -> answer(Offer, ok), put_in(Offer#offer.value, C#chan{receivers = Rest});
                false -> C#chan{receivers = Rest}
            end;
        {alone, Rest} when How =:= wait ->
            C#chan{receivers = Rest, senders = queue:in(watched(Offer), C#chan.senders)};
        {alone, Rest} -> answer(Offer, refused), C#chan{receivers = Rest}
    end.

recv_from(#chan{length = 0, senders = Senders} = C, Offer, How) ->
    case meet(Offer, Senders) of
        {met, Sender, Rest} ->
            answer(Offer, {ok, Sender#offer.value}),
            answer(Sender, ok),
            C#chan{senders = Rest};
        {gone, Rest} -> C#chan{senders = Rest};
        {alone, Rest} when How =:= wait ->
            C#chan{senders = Rest, receivers = queue:in(watched(Offer), C#chan.receivers)};
        {alone, Rest} -> answer(Offer, refused), C#chan{senders = Rest}
    end;
recv_from(#chan{buffer = Buffer} = C, Offer, _) ->
    case claim(Offer) of
        true ->
            {{value, Value}, Rest} = queue:out(Buffer),
            answer(Offer, {ok, Value}),
            refill(C#chan{buffer = Rest, length = C#chan.length - 1});
        false -> C
    end.

%% The first sender that waits puts its value into the place that got free.
refill(#chan{senders = Senders} = C) ->
    case queue:out(Senders) of
        {empty, _} -> C;
        {{value, Sender}, Rest} ->
            unwatch(Sender),
            case claim(Sender) of
                true -> answer(Sender, ok), put_in(Sender#offer.value, C#chan{senders = Rest});
                false -> refill(C#chan{senders = Rest})
            end
    end.

put_in(Value, C) -> C#chan{buffer = queue:in(Value, C#chan.buffer), length = C#chan.length + 1}.

close(#chan{closed = true} = C, From, Ref) -> From ! {Ref, closed}, C;
close(C, From, Ref) -> From ! {Ref, ok}, shut(C).

shut(C) ->
    Waiting = queue:to_list(C#chan.receivers) ++ queue:to_list(C#chan.senders),
    lists:foreach(fun(Offer) -> unwatch(Offer), claim(Offer) andalso answer(Offer, closed) end, Waiting),
    C#chan{closed = true, receivers = queue:new(), senders = queue:new()}.

answer(#offer{tag = expired}, _) -> ok;
answer(#offer{to = To, tag = Tag}, Answer) -> To ! {Tag, Answer}, ok.

%% Who is killed while it waits must not be given a value.
watched(#offer{from = From} = Offer) -> Offer#offer{monitor = monitor(process, From)}.

unwatch(#offer{monitor = Monitor}) -> demonitor(Monitor, [flush]).

without(C, Position, Value) ->
    Keep = fun(Offer) ->
               element(Position, Offer) =/= Value orelse begin unwatch(Offer), false end
           end,
    C#chan{senders = queue:filter(Keep, C#chan.senders), receivers = queue:filter(Keep, C#chan.receivers)}.

%% The first in the queue that the offer can be brought together with; both offers are over then. {alone, Queue}: there
%% is none; {gone, Queue}: the offer is over.
meet(Offer, Queue) -> meet(Offer, Queue, []).

meet(Offer, Queue, Own) ->
    case queue:out(Queue) of
        {empty, _} -> {alone, put_back(Own, Queue)};
        {{value, Other}, Rest} when Other#offer.state =:= Offer#offer.state, Other#offer.state =/= single ->
            meet(Offer, Rest, [Other | Own]);  % a select that would meet itself
        {{value, Other}, Rest} ->
            case claim_both(Offer, Other) of
                both -> unwatch(Other), {met, Other, put_back(Own, Rest)};
                first_over -> {gone, put_back(Own, Queue)};
                second_over -> unwatch(Other), meet(Offer, Rest, Own)
            end
    end.

put_back(Own, Queue) -> lists:foldl(fun queue:in_r/2, Queue, Own).

claim(#offer{state = single}) -> true;
claim(#offer{state = State}) -> give_up(State).

claim_both(#offer{state = single}, Other) ->
    case claim(Other) of true -> both; false -> second_over end;
claim_both(Offer, #offer{state = single}) ->
    case claim(Offer) of true -> both; false -> first_over end;
claim_both(#offer{serial = A, state = First}, #offer{serial = B, state = Second}) when A < B ->
    claim_both(First, first_over, Second, second_over);
claim_both(#offer{state = First}, #offer{state = Second}) ->
    claim_both(Second, second_over, First, first_over).

claim_both(Earlier, EarlierOver, Later, LaterOver) ->
    case atomics:compare_exchange(Earlier, 1, ?OPEN, ?CLAIMED) of
        ?OVER -> EarlierOver;
        ?CLAIMED -> erlang:yield(), claim_both(Earlier, EarlierOver, Later, LaterOver);
        ok ->
            case give_up(Later) of
                true -> atomics:put(Earlier, 1, ?OVER), both;
                false -> atomics:put(Earlier, 1, ?OPEN), LaterOver
            end
    end.
