%% Reactors: processes with several typed channels, each with its stream of events (Prokopec, Odersky: Isolates, channels,
%% and event streams for composable distributed programming).
%%
%% A reactor is a process whose mailbox is taken apart: an event says for which of its channels it is, and is put into the
%% queue of that channel. The reactor serves the channels that have events in turn, at most ?BATCH of one before the
%% next has its turn. So a channel that is flooded delays an event in another by one round, however long its own queue
%% is. Events of one channel come in the order of the mailbox, one at a time, and all of a reactor's code runs in its
%% process: there is nothing to lock. Any other message (`Pid ! Message`) is an event of the channel `main`, which each
%% reactor has from the start.
%%
%% A stream is a number in the reactor. What others observe of it (functions of {event, Value} or `done`) stands in the
%% process dictionary under ?OBSERVERS(Number), the state of one derived from it (fold, take, zip) under
%% ?STATE(Number): a stream is a value that functions hand on, its state is not. These keys are integers, because a key
%% is looked up several times an event, and nothing is hashed faster; nobody else uses integers of that size. A
%% stream is good in its own reactor only; a channel may be sent to anybody.
%%
%% A reactor ends when all of its channels are sealed. An exception in a handler is one of the process.
%%
%% A protocol is a value: how a channel is served, and how one that was given such a channel uses it. It can be handed on,
%% and made from others (mapped/3).
%%
%% Rejected: selective receive by channel (each receive would pass over all events of the others: the time of an event
%% would grow with the number of streams); a process for each channel (no order between their handlers).
-module(whitebeam_reactor).
-compile({no_auto_import, [spawn/1, spawn_link/1, spawn_monitor/1]}).
-export([spawn/1, spawn_link/1, spawn_monitor/1, main/0, open/0, open/1, seal/1, channel/1, stream/1, send/2]).
-export([on_event/2, on_done/2, map/2, filter/2, fold/3, union/2, zip/2, take/2, changes/1, to_channel/2, never/0]).
-export([request_reply/1, two_way/1, mapped/3, accept/2, connect/4, router/1, broadcast/1]).
-export_type([channel/0, connector/0, stream/0, type/0, protocol/0]).

-opaque channel() :: {whitebeam_channel, pid(), non_neg_integer(), type()}.
-opaque stream() :: {whitebeam_stream, pid(), non_neg_integer()}.
-type connector() :: {channel(), stream()}.
-type type() :: any | integer | float | number | atom | boolean | binary | list | tuple | map | pid | channel
              | {list, type()} | {tuple, [type()]} | {value, term()} | {one_of, [type()]} | fun((term()) -> boolean()).
-opaque protocol() :: {whitebeam_protocol, fun((term()) -> channel()),
                       fun((channel(), term(), fun((term()) -> term())) -> ok)}.

-define(BATCH, 50).    % events of one channel in its turn
-define(INTAKE, 256).  % messages taken from the mailbox between two turns
-define(EVENT, '$whitebeam_event').
-define(MAIN, 0).

-define(KEYS, 16#2_7765_7000_0000_00).
-define(OBSERVERS(Stream), (?KEYS + 4 * (Stream))).
-define(STATE(Stream), (?KEYS + 4 * (Stream) + 1)).
-define(QUEUE(Channel), (?KEYS + 4 * (Channel) + 2)).
-define(OPEN, (?KEYS + 3)).
-define(NEXT, (?KEYS + 7)).

%% --- reactors ----------------------------------------------------------------------------------------
%% The fun gets the connector of `main`, and sets up what is observed.
-spec spawn(fun((connector()) -> term())) -> channel().
spawn(F) when is_function(F, 1) -> main_of(erlang:spawn(fun() -> run(F) end)).

-spec spawn_link(fun((connector()) -> term())) -> channel().
spawn_link(F) when is_function(F, 1) -> main_of(erlang:spawn_link(fun() -> run(F) end)).

-spec spawn_monitor(fun((connector()) -> term())) -> {channel(), reference()}.
spawn_monitor(F) when is_function(F, 1) ->
    {Pid, Monitor} = erlang:spawn_monitor(fun() -> run(F) end),
    {main_of(Pid), Monitor}.

main_of(Pid) -> {whitebeam_channel, Pid, ?MAIN, any}.

run(F) ->
    put(?NEXT, 1),
    put(?OPEN, #{}),
    Main = opened(?MAIN, any),
    F(Main),
    turn(queue:new()).

%% The connector of the reactor that calls this.
-spec main() -> connector().
main() ->
    #{?MAIN := Number} = channels(),
    {main_of(self()), {whitebeam_stream, self(), Number}}.

-spec open() -> connector().
open() -> open(any).

%% One more channel of this reactor. What is sent to it must be of that type.
-spec open(type()) -> connector().
open(Type) ->
    is_type(Type) orelse erlang:error(badarg, [Type]),
    _ = channels(),
    opened(new_number(), Type).

opened(Id, Type) ->
    {_, _, Number} = Stream = new_stream(),
    put(?OPEN, (get(?OPEN))#{Id => Number}),
    {{whitebeam_channel, self(), Id, Type}, Stream}.

channels() ->
    case get(?OPEN) of
        undefined -> erlang:error(not_a_reactor);
        Open -> Open
    end.

-spec channel(connector()) -> channel().
channel({Channel, _}) -> Channel.

-spec stream(connector()) -> stream().
stream({_, Stream}) -> Stream.

%% No event comes any more, also none that was sent already; its stream is done.
-spec seal(channel() | connector()) -> ok.
seal({{whitebeam_channel, _, _, _} = Channel, _}) -> seal(Channel);
seal({whitebeam_channel, Pid, Id, _} = Channel) ->
    Pid =:= self() orelse erlang:error(badarg, [Channel]),
    case maps:take(Id, channels()) of
        {Number, Open} ->
            put(?OPEN, Open),
            erase(?QUEUE(Id)),
            emit(Number, done);
        error -> ok
    end.

%% From anywhere. What is sent to a sealed channel is dropped. Error: the event is not of the channel's type.
-spec send(channel(), term()) -> ok.
send({whitebeam_channel, Pid, ?MAIN, any}, Event) ->
    Pid ! {?EVENT, ?MAIN, Event},
    ok;
send({whitebeam_channel, Pid, Id, Type}, Event) ->
    has_type(Type, Event) orelse erlang:error({type, Type}, [{whitebeam_channel, Pid, Id, Type}, Event]),
    Pid ! {?EVENT, Id, Event},
    ok;
send(Channel, Event) -> erlang:error(badarg, [Channel, Event]).

%% `Ready`: the channels that have events, in the order of their turns.
turn(Ready) ->
    case get(?OPEN) of
        Open when map_size(Open) =:= 0 -> ok;
        _ ->
            Some = case queue:is_empty(Ready) of
                       true -> receive Message -> take_in(Message, Ready) end;
                       false -> Ready
                   end,
            More = take_in_all(?INTAKE, Some),
            case queue:out(More) of
                {{value, Id}, Others} -> turn(serve(?BATCH, Id, Others));
                {empty, _} -> turn(More)
            end
    end.

take_in_all(0, Ready) -> Ready;
take_in_all(N, Ready) -> receive Message -> take_in_all(N - 1, take_in(Message, Ready)) after 0 -> Ready end.

take_in({?EVENT, Id, Event}, Ready) -> take_in(Id, Event, Ready);
take_in(Message, Ready) -> take_in(?MAIN, Message, Ready).

take_in(Id, Event, Ready) ->
    case get(?QUEUE(Id)) of
        undefined ->
            case get(?OPEN) of
                #{Id := _} -> put(?QUEUE(Id), {[Event], []}), queue:in(Id, Ready);
                _ -> Ready
            end;
        {In, Out} -> put(?QUEUE(Id), {[Event | In], Out}), Ready
    end.

%% A handler may seal the channel meanwhile, which takes its queue away.
serve(N, Id, Ready) ->
    case get(?QUEUE(Id)) of
        undefined -> Ready;
        {[], []} -> erase(?QUEUE(Id)), Ready;
        {In, []} -> put(?QUEUE(Id), {[], lists:reverse(In)}), serve(N, Id, Ready);
        _ when N =:= 0 -> queue:in(Id, Ready);
        {In, [Event | Out]} ->
            put(?QUEUE(Id), {In, Out}),
            #{Id := Number} = get(?OPEN),
            emit(Number, {event, Event}),
            serve(N - 1, Id, Ready)
    end.

%% --- types -------------------------------------------------------------------------------------------
is_type(Type) when is_function(Type, 1) -> true;
is_type({list, Type}) -> is_type(Type);
is_type({tuple, Types}) when is_list(Types) -> lists:all(fun is_type/1, Types);
is_type({one_of, Types}) when is_list(Types) -> lists:all(fun is_type/1, Types);
is_type({value, _}) -> true;
is_type(Type) ->
    lists:member(Type, [any, integer, float, number, atom, boolean, binary, list, tuple, map, pid, channel]).

has_type(any, _) -> true;
has_type(integer, X) -> is_integer(X);
has_type(float, X) -> is_float(X);
has_type(number, X) -> is_number(X);
has_type(atom, X) -> is_atom(X);
has_type(boolean, X) -> is_boolean(X);
has_type(binary, X) -> is_binary(X);
has_type(list, X) -> is_list(X);
has_type(tuple, X) -> is_tuple(X);
has_type(map, X) -> is_map(X);
has_type(pid, X) -> is_pid(X);
has_type(channel, {whitebeam_channel, _, _, _}) -> true;
has_type(channel, _) -> false;
has_type({list, Type}, X) -> is_list(X) andalso lists:all(fun(E) -> has_type(Type, E) end, X);
has_type({tuple, Types}, X) ->
    is_tuple(X) andalso tuple_size(X) =:= length(Types)
        andalso lists:all(fun({T, E}) -> has_type(T, E) end, lists:zip(Types, tuple_to_list(X)));
has_type({value, V}, X) -> V =:= X;
has_type({one_of, Types}, X) -> lists:any(fun(T) -> has_type(T, X) end, Types);
has_type(Type, X) when is_function(Type, 1) -> Type(X) =:= true.

%% --- streams -----------------------------------------------------------------------------------------
new_number() ->
    Number = get(?NEXT),
    put(?NEXT, Number + 1),
    Number.

new_stream() ->
    Number = new_number(),
    put(?OBSERVERS(Number), []),
    {whitebeam_stream, self(), Number}.

%% After `done` nobody is told anything.
emit(Number, What) ->
    case get(?OBSERVERS(Number)) of
        undefined -> ok;
        Observers ->
            What =:= done andalso begin erase(?OBSERVERS(Number)), erase(?STATE(Number)) end,
            tell(Observers, What)
    end.

tell([], _) -> ok;
tell([Observer | Others], What) -> Observer(What), tell(Others, What).

%% Observers are told in the order in which they came.
observe({whitebeam_stream, Pid, Number}, Observer) when Pid =:= self() ->
    case get(?OBSERVERS(Number)) of
        undefined -> Observer(done), ok;
        Observers -> put(?OBSERVERS(Number), Observers ++ [Observer]), ok
    end;
observe(Stream, _) -> erlang:error(badarg, [Stream]).

%% A stream of what `Step` makes of what is observed: {Emitted, State}, Emitted being a list that may end with `done`.
derived(Streams, State, Step) ->
    {_, _, Number} = New = new_stream(),
    put(?STATE(Number), State),
    lists:foreach(fun({I, Stream}) ->
                      observe(Stream, fun(What) ->
                          case get(?OBSERVERS(Number)) of
                              undefined -> ok;
                              _ ->
                                  {Emitted, Next} = Step(I, What, get(?STATE(Number))),
                                  put(?STATE(Number), Next),
                                  lists:foreach(fun(Each) -> emit(Number, Each) end, Emitted)
                          end
                      end)
                  end, lists:zip(lists:seq(1, length(Streams)), Streams)),
    New.

-spec on_event(stream(), fun((term()) -> term())) -> ok.
on_event(Stream, F) when is_function(F, 1) -> observe(Stream, fun({event, Event}) -> F(Event); (done) -> ok end).

-spec on_done(stream(), fun(() -> term())) -> ok.
on_done(Stream, F) when is_function(F, 0) -> observe(Stream, fun(done) -> F(); (_) -> ok end).

-spec map(stream(), fun((term()) -> term())) -> stream().
map(Stream, F) ->
    derived([Stream], none, fun(_, {event, Event}, S) -> {[{event, F(Event)}], S}; (_, done, S) -> {[done], S} end).

-spec filter(stream(), fun((term()) -> boolean())) -> stream().
filter(Stream, F) ->
    derived([Stream], none, fun(_, {event, Event} = What, S) ->
                                    case F(Event) of true -> {[What], S}; false -> {[], S} end;
                               (_, done, S) -> {[done], S}
                            end).

%% After each event what has been made of all so far.
-spec fold(stream(), State, fun((term(), State) -> State)) -> stream().
fold(Stream, State, F) ->
    derived([Stream], State, fun(_, {event, Event}, S) -> Next = F(Event, S), {[{event, Next}], Next};
                                (_, done, S) -> {[done], S}
                             end).

%% Events of both; done when both are.
-spec union(stream(), stream()) -> stream().
union(A, B) ->
    derived([A, B], 2, fun(_, {event, _} = What, Open) -> {[What], Open};
                          (_, done, 1) -> {[done], 0};
                          (_, done, 2) -> {[], 1}
                       end).

%% Pairs of their first, second ... events; done when there can be no more.
-spec zip(stream(), stream()) -> stream().
zip(A, B) -> derived([A, B], {[], [], open}, fun zipped/3).

zipped(1, {event, X}, {As, [Y | Bs], How}) -> {[{event, {X, Y}} | [done || How =:= last, Bs =:= []]], {As, Bs, How}};
zipped(1, {event, X}, {As, [], How}) -> {[], {As ++ [X], [], How}};
zipped(2, {event, Y}, {[X | As], Bs, How}) -> {[{event, {X, Y}} | [done || How =:= last, As =:= []]], {As, Bs, How}};
zipped(2, {event, Y}, {[], Bs, How}) -> {[], {[], Bs ++ [Y], How}};
zipped(1, done, {[], Bs, _}) -> {[done], {[], Bs, last}};
zipped(2, done, {As, [], _}) -> {[done], {As, [], last}};
zipped(_, done, {As, Bs, open}) -> {[], {As, Bs, last}};
zipped(_, done, State) -> {[done], State}.

%% The first so many.
-spec take(stream(), non_neg_integer()) -> stream().
take(Stream, N) when is_integer(N), N >= 0 ->
    {_, _, Number} = New = derived([Stream], N, fun(_, {event, _} = What, 1) -> {[What, done], 0};
                                                   (_, {event, _} = What, Left) -> {[What], Left - 1};
                                                   (_, done, Left) -> {[done], Left}
                                                end),
    N =:= 0 andalso emit(Number, done),
    New.

%% Without events that equal the one before.
-spec changes(stream()) -> stream().
changes(Stream) ->
    derived([Stream], none, fun(_, {event, Event}, {last, Event} = S) -> {[], S};
                               (_, {event, Event} = What, _) -> {[What], {last, Event}};
                               (_, done, S) -> {[done], S}
                            end).

%% Sends all events there.
-spec to_channel(stream(), channel()) -> ok.
to_channel(Stream, Channel) -> on_event(Stream, fun(Event) -> send(Channel, Event) end).

-spec never() -> stream().
never() -> new_stream().

%% --- protocols ---------------------------------------------------------------------------------------
%% accept(Protocol, Handler): a channel of this reactor where Handler serves the protocol.
-spec accept(protocol(), term()) -> channel().
accept({whitebeam_protocol, Accept, _}, Handler) -> Accept(Handler).

%% In another reactor: uses such a channel. The fun is called with what the other side gives.
-spec connect(protocol(), channel(), term(), fun((term()) -> term())) -> ok.
connect({whitebeam_protocol, _, Connect}, Channel, Argument, F) when is_function(F, 1) -> Connect(Channel, Argument, F).

%% A request is answered once. The handler is a fun of the request; the argument of connect/4 is the request, what the
%% other side gives is the reply.
-spec request_reply({type(), type()}) -> protocol().
request_reply({RequestType, ReplyType}) ->
    {whitebeam_protocol,
     fun(Handler) ->
         {Channel, Requests} = open({tuple, [RequestType, channel]}),
         on_event(Requests, fun({Request, Reply}) -> send(Reply, Handler(Request)) end),
         Channel
     end,
     fun(Channel, Request, F) ->
         {Reply, Replies} = open(ReplyType),
         on_event(Replies, fun(Answer) -> seal(Reply), F(Answer) end),
         send(Channel, {Request, Reply})
     end}.

%% Both sides get {Out, In}: a channel to the other side, and the stream of what it sends. The handler is a fun of
%% {Argument, Out, In}, that of connect/4 one of {Out, In}.
-spec two_way({type(), type()}) -> protocol().
two_way({ToServer, ToClient}) ->
    {whitebeam_protocol,
     fun(Handler) ->
         {Channel, Clients} = open({tuple, [any, channel, channel]}),
         on_event(Clients, fun({Argument, Out, Answer}) ->
                               {Mine, In} = open(ToServer),
                               send(Answer, Mine),
                               Handler({Argument, Out, {Mine, In}})
                           end),
         Channel
     end,
     fun(Channel, Argument, F) ->
         {Mine, In} = open(ToClient),
         {Answer, Answers} = open(channel),
         on_event(Answers, fun(Out) -> seal(Answer), F({Out, {Mine, In}}) end),
         send(Channel, {Argument, Mine, Answer})
     end}.

%% The same protocol, whose argument is changed on the way to it and whose gift on the way back.
-spec mapped(protocol(), fun((term()) -> term()), fun((term()) -> term())) -> protocol().
mapped({whitebeam_protocol, Accept, Connect}, There, Back) ->
    {whitebeam_protocol, Accept, fun(Channel, Argument, F) -> Connect(Channel, There(Argument), fun(X) -> F(Back(X)) end) end}.

%% A channel whose events go to these in turn.
-spec router([channel(), ...]) -> channel().
router([_ | _] = Channels) ->
    {Channel, Events} = open(),
    put({?MODULE, router, Channel}, {Channels, []}),
    on_event(Events, fun(Event) ->
                         {[Next | Others], Used} = case get({?MODULE, router, Channel}) of
                                                       {[], All} -> {lists:reverse(All), []};
                                                       Turns -> Turns
                                                   end,
                         put({?MODULE, router, Channel}, {Others, [Next | Used]}),
                         send(Next, Event)
                     end),
    on_done(Events, fun() -> erase({?MODULE, router, Channel}) end),
    Channel.

%% A channel whose events go to all of these.
-spec broadcast([channel()]) -> channel().
broadcast(Channels) ->
    {Channel, Events} = open(),
    on_event(Events, fun(Event) -> [send(C, Event) || C <- Channels], ok end),
    Channel.
