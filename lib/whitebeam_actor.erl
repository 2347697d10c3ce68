%% Behaviours that are composed, and requests that know who asked: the actors of Scala for Erlang's processes.
%%
%% A behaviour is a fun of one argument that answers `pass` for a message that it does not take; its last clause is
%% usually `(_) -> pass`. So it is a value: or_else/2 asks the second where the first passes, and_then/2 goes on with
%% what the first made of a message, only/2 takes fewer.
%%
%% receive_with/1,2 wait for a message that the behaviour takes and return what it made of it. react/1 never returns: it
%% throws the stack away and hibernates, so that a process that waits is as small as can be; what goes on is said by
%% the behaviour. Messages that are not taken are kept, in their order, and offered to the next behaviour first, as
%% `receive` does it. They are kept in the process dictionary, because a fun cannot be a pattern of `receive`: a process
%% that waits both ways finds with a plain `receive` only what came since.
%%
%% Requests: ask/2 sends a message with its sender and waits, async/2 and await/1 do it in two steps, reply/1 answers the
%% message that is being handled, forward/2 has another process answer it.
-module(whitebeam_actor).
-export([or_else/2, and_then/2, only/2, applies/2]).
-export([receive_with/1, receive_with/2, react/1, loop/1, become/1, stop/0]).
-export([send/2, ask/2, ask/3, async/2, await/1, await/2, reply/1, forward/2, sender/0]).
-export([wake/1, wake_loop/1]).
-export_type([behaviour/0, future/0]).

-type behaviour() :: fun((term()) -> pass | term()).
-opaque future() :: {whitebeam_future, reference()}.

-define(KEPT, '$whitebeam_actor_kept').
-define(SENDER, '$whitebeam_actor_sender').
-define(REQUEST, '$whitebeam_request').

%% --- behaviours --------------------------------------------------------------------------------------
-spec or_else(behaviour(), behaviour()) -> behaviour().
or_else(First, Second) when is_function(First, 1), is_function(Second, 1) ->
    fun(Message) ->
        case First(Message) of
            pass -> Second(Message);
            Result -> Result
        end
    end.

-spec and_then(behaviour(), fun((term()) -> term())) -> behaviour().
and_then(First, Next) when is_function(First, 1), is_function(Next, 1) ->
    fun(Message) ->
        case First(Message) of
            pass -> pass;
            Result -> Next(Result)
        end
    end.

%% Takes a message only if the predicate is true of it.
-spec only(fun((term()) -> boolean()), behaviour()) -> behaviour().
only(Predicate, Behaviour) when is_function(Predicate, 1), is_function(Behaviour, 1) ->
    fun(Message) ->
        case Predicate(Message) of
            true -> Behaviour(Message);
            false -> pass
        end
    end.

%% What it makes of the message: {ok, Result}, or pass.
-spec applies(behaviour(), term()) -> {ok, term()} | pass.
applies(Behaviour, Message) ->
    case Behaviour(Message) of
        pass -> pass;
        Result -> {ok, Result}
    end.

%% --- waiting -----------------------------------------------------------------------------------------
-spec receive_with(behaviour()) -> term().
receive_with(Behaviour) -> receive_with(Behaviour, infinity).

%% `timeout`: no message was taken in that time.
-spec receive_with(behaviour(), timeout()) -> term() | timeout.
receive_with(Behaviour, infinity) -> wait(Behaviour, infinity);
receive_with(Behaviour, Milliseconds) when is_integer(Milliseconds), Milliseconds >= 0 ->
    wait(Behaviour, erlang:monotonic_time(millisecond) + Milliseconds);
receive_with(Behaviour, Milliseconds) -> erlang:error(badarg, [Behaviour, Milliseconds]).

wait(Behaviour, Deadline) ->
    case from_kept(Behaviour) of
        {ok, Result} -> Result;
        pass -> wait_for_new(Behaviour, Deadline)
    end.

wait_for_new(Behaviour, Deadline) ->
    Left = case Deadline of
               infinity -> infinity;
               _ -> max(0, Deadline - erlang:monotonic_time(millisecond))
           end,
    receive
        Message ->
            case handle(Behaviour, Message) of
                {ok, Result} -> Result;
                pass -> keep(Message), wait_for_new(Behaviour, Deadline)
            end
    after Left -> timeout
    end.

%% Waits without a stack; what the behaviour returns is the end of the process.
-spec react(behaviour()) -> no_return().
react(Behaviour) when is_function(Behaviour, 1) ->
    case from_kept(Behaviour) of
        {ok, _} -> exit(normal);
        pass -> erlang:hibernate(?MODULE, wake, [Behaviour])
    end.

-spec wake(behaviour()) -> no_return().
wake(Behaviour) ->
    receive
        Message ->
            case handle(Behaviour, Message) of
                {ok, _} -> exit(normal);
                pass -> keep(Message), wake(Behaviour)
            end
    after 0 -> erlang:hibernate(?MODULE, wake, [Behaviour])
    end.

%% The same behaviour for each message, or the one that it becomes; until it answers stop/0. Hibernates while there is no
%% message that it takes.
-spec loop(behaviour()) -> no_return().
loop(Behaviour) when is_function(Behaviour, 1) ->
    case from_kept(Behaviour) of
        {ok, Result} -> looped(Result, Behaviour);
        pass -> wake_loop(Behaviour)
    end.

-spec wake_loop(behaviour()) -> no_return().
wake_loop(Behaviour) ->
    receive
        Message ->
            case handle(Behaviour, Message) of
                {ok, Result} -> looped(Result, Behaviour);
                pass -> keep(Message), wake_loop(Behaviour)
            end
    after 0 -> erlang:hibernate(?MODULE, wake_loop, [Behaviour])
    end.

looped({?MODULE, stop}, _) -> exit(normal);
looped({?MODULE, become, Next}, _) -> loop(Next);
looped(_, Behaviour) -> loop(Behaviour).

%% What a behaviour of loop/1 answers to go on as another one, or to end.
become(Behaviour) when is_function(Behaviour, 1) -> {?MODULE, become, Behaviour}.
stop() -> {?MODULE, stop}.

%% The kept messages, newest first.
keep(Message) -> put(?KEPT, [Message | kept()]), ok.

kept() ->
    case get(?KEPT) of
        undefined -> [];
        Messages -> Messages
    end.

%% While a behaviour handles a kept message, that is no longer kept: it may wait itself.
from_kept(Behaviour) ->
    case kept() of
        [] -> pass;
        Messages -> from_kept(Behaviour, lists:reverse(Messages), [])
    end.

from_kept(_, [], _) -> pass;
from_kept(Behaviour, [Message | Newer], Older) ->
    put(?KEPT, lists:reverse(Newer, Older)),
    case handle(Behaviour, Message) of
        pass ->
            put(?KEPT, lists:reverse(Newer, [Message | Older])),
            from_kept(Behaviour, Newer, [Message | Older]);
        Taken -> Taken
    end.

%% --- requests ----------------------------------------------------------------------------------------
handle(Behaviour, {?REQUEST, Sender, Message}) ->
    Before = put(?SENDER, Sender),
    try applies(Behaviour, Message)
    after restore(Before)
    end;
handle(Behaviour, Message) -> applies(Behaviour, Message).

restore(undefined) -> erase(?SENDER), ok;
restore(Sender) -> put(?SENDER, Sender), ok.

%% A message whose handler knows the sender.
-spec send(pid() | atom(), term()) -> ok.
send(To, Message) -> To ! {?REQUEST, self(), Message}, ok.

-spec ask(pid() | atom(), term()) -> term().
ask(To, Message) -> ask(To, Message, infinity).

%% As gen_server:call/3: exits with `timeout`, with `noproc`, or with the reason of the other's end.
-spec ask(pid() | atom(), term(), timeout()) -> term().
ask(To, Message, Patience) ->
    case await(async(To, Message), Patience) of
        {ok, Answer} -> Answer;
        timeout -> exit({timeout, {?MODULE, ask, [To, Message, Patience]}});
        {error, Reason} -> exit({Reason, {?MODULE, ask, [To, Message, Patience]}})
    end.

-spec async(pid() | atom(), term()) -> future().
async(To, Message) ->
    Ref = monitor(process, To, [{alias, reply_demonitor}]),
    try To ! {?REQUEST, {?REQUEST, Ref}, Message}
    catch error:badarg -> ok  % no such name: the monitor says so
    end,
    {whitebeam_future, Ref}.

-spec await(future()) -> {ok, term()} | {error, term()}.
await(Future) -> await(Future, infinity).

%% After a time-out the answer is not delivered any more.
-spec await(future(), timeout()) -> {ok, term()} | {error, term()} | timeout.
await({whitebeam_future, Ref}, Patience) ->
    receive
        {Ref, Answer} -> {ok, Answer};
        {'DOWN', Ref, process, _, Reason} -> {error, Reason}
    after Patience ->
        demonitor(Ref, [flush]),
        receive {Ref, Answer} -> {ok, Answer} after 0 -> timeout end
    end.

%% Who sent the message that is being handled; `undefined` for one that was sent with `!`.
sender() ->
    case get(?SENDER) of
        Pid when is_pid(Pid) -> Pid;
        {?REQUEST, Ref} -> Ref;
        undefined -> undefined
    end.

-spec reply(term()) -> ok.
reply(Answer) ->
    case get(?SENDER) of
        {?REQUEST, Ref} -> Ref ! {Ref, Answer}, ok;
        Pid when is_pid(Pid) -> send(Pid, Answer);
        undefined -> erlang:error(nobody_asked, [Answer])
    end.

%% Another process gets a message as if from who sent the one that is being handled, whom its reply/1 answers.
-spec forward(pid() | atom(), term()) -> ok.
forward(To, Message) -> To ! {?REQUEST, get(?SENDER), Message}, ok.
