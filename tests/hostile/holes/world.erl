%% What the modules here need around them: messages, collections, memory that was used before.
-module(world).
-compile([nowarn_unused_term]).
-export([show_trace/1, collected_with_messages/1, messages/1, messages_of_another/1, use_message/1, show_kept/1, churn/0,
         show_bytes/1, ones/0, send_and_end/0, use/1, break_later/1]).

%% Sends N messages to itself, and has somebody collect it all the time.
collected_with_messages(N) ->
    P = self(),
    messages(N),
    spawn(fun() -> collect(P, 200000) end),
    deep(300),
    ok.
collect(_, 0) -> ok;
collect(P, N) -> erlang:garbage_collect(P), noise(), collect(P, N - 1).
noise() -> byte_size(<< <<I:8>> || I <- lists:seq(1, 200) >>).
deep(0) -> [];
deep(N) -> [{N, [N]}, N | deep(N - 1)].

messages(N) ->
    P = self(),
    _ = [P ! {msg, I, [I]} || I <- lists:seq(1, N)],
    ok.

%% The same from another process: each lies in a fragment.
messages_of_another(N) ->
    P = self(),
    spawn(fun() -> [P ! {msg, I, [I, {I, lists:seq(1, 50)}]} || I <- lists:seq(1, N)] end),
    receive after 100 -> ok end,
    ok.

%% Keeps what should not have been kept, lets go the message it is part of, and collects.
use_message(X) ->
    nothing_matches(),
    put(kept, {X}),
    collect_young(5), flush(), collect_young(2),
    true = length([{A, [A]} || A <- lists:seq(1, 1000)]) > 0,
    collect_young(2).
nothing_matches() -> receive nothing -> ok after 0 -> ok end.
flush() -> receive _ -> flush() after 0 -> ok end.
collect_young(0) -> ok;
collect_young(N) ->
    L = [{A, [A]} || A <- lists:seq(1, 200)],
    erlang:garbage_collect(self(), [{type, minor}]),
    true = length(L) > 0,
    collect_young(N - 1).
show_kept(_) ->
    nothing_matches(),
    L = lists:duplicate(500, zzz),
    erlang:display(get(kept)),
    length(L).

%% Fills memory and lets it go.
churn() ->
    _ = [binary:copy(<<"secret">>, N) || N <- lists:seq(400, 600)],
    erlang:garbage_collect(),
    ok.
show_bytes(B) -> erlang:display({byte_size(B), length([X || <<X>> <= B, X =/= 0])}).

%% Many bytes of ones; ends the machine when asked for the 300th time.
ones() ->
    case get(asked) of
        undefined -> put(asked, 1);
        300 -> erlang:halt(0);
        N -> put(asked, N + 1)
    end,
    binary:copy(<<255>>, 4000 * 8).

%% A message soon, and the end of the machine later.
send_and_end() ->
    P = self(),
    spawn(fun() -> receive after 100 -> P ! hello end, receive after 1500 -> erlang:halt(7) end end),
    ok.
show_trace([{_, _, Arguments, _} | _]) -> erlang:display(Arguments).
use(X) -> erlang:phash2(X), ok.

%% Has a debugger wait for calls of a function, and sends a message then.
break_later(MFA) ->
    P = self(),
    spawn(fun() ->
                  receive after 100 -> ok end,
                  erlang:garbage_collect(P),
                  true = erts_debug:breakpoint(MFA, true) > 0,
                  P ! {msg, 1, [here]}
          end),
    ok.
