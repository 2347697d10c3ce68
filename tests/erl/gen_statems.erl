%% gen_statem: both callback modes, timeouts of all kinds, postpone, next_event, enter calls.
-module(gen_statems).
-behaviour(gen_statem).
-export([main/1, init/1, callback_mode/0, locked/3, open/3, terminate/3]).
-include("show.hrl").

main(_Args) ->
    {ok, D} = gen_statem:start(?MODULE, "1234", []),
    ?S(gen_statem:call(D, state)), ?S([gen_statem:call(D, {button, B}) || B <- "12"]), ?S([gen_statem:call(D, {button, B}) || B <- "1234"]), ?S(gen_statem:call(D, state)),
    ?S(gen_statem:cast(D, {button, $9})), ?S(gen_statem:call(D, wait_locked)), ?S(gen_statem:call(D, log)), ?S(open_again(D)), ?S(gen_statem:call(D, unknown)), ?S(gen_statem:call(D, internal)), ?S(gen_statem:call(D, log)),
    ?S(timeouts(D)), ?S(sys:get_state(D)), ?S(gen_statem:stop(D)), ?S(is_process_alive(D)), ?S(element(1, element(2, {catch1, show:quiet(fun() -> gen_statem:call(D, state) end)}))), ?S(gen_statem:start(?MODULE, refuse, [])), ?S(crash()).

callback_mode() -> [state_functions, state_enter].

init(refuse) -> {stop, refused};
init(Code) -> {ok, locked, #{code => Code, left => Code, log => []}}.

locked(enter, Old, Data) -> {keep_state, log({enter_locked, Old}, Data#{left := maps:get(code, Data)})};
locked({call, From}, {button, B}, #{left := [B]} = Data) -> {next_state, open, Data, [{reply, From, opened}, {state_timeout, 300, lock}]};
locked({call, From}, {button, B}, #{left := [B | Left]} = Data) -> {keep_state, Data#{left := Left}, {reply, From, {left, length(Left)}}};
locked({call, From}, {button, _}, #{code := Code} = Data) -> {keep_state, Data#{left := Code}, {reply, From, wrong}};
locked({call, From}, wait_locked, _) -> {keep_state_and_data, {reply, From, now_locked}};
locked(T, E, D) -> common(T, E, locked, D).

open(enter, Old, Data) -> {keep_state, log({enter_open, Old}, Data)};
open(state_timeout, lock, Data) -> {next_state, locked, Data};
open({call, _}, wait_locked, _) -> {keep_state_and_data, postpone};
open(cast, {button, _}, Data) -> {keep_state, log(ignored_button, Data)};
open(T, E, D) -> common(T, E, open, D).

common({call, From}, state, State, _) -> {keep_state_and_data, {reply, From, State}};
common({call, From}, log, _, #{log := L} = D) -> {keep_state, D#{log := []}, {reply, From, lists:reverse(L)}};
common({call, From}, internal, _, D) -> {keep_state, D, [{next_event, internal, {first, From}}, {next_event, internal, second}]};
common(internal, {first, From}, _, D) -> {keep_state, log(first, D), {reply, From, did_first}};
common(internal, second, _, D) -> {keep_state, log(second, D)};
common({call, From}, {timers, To}, _, D) -> {keep_state, D, [{reply, From, ok}, {{timeout, a}, 300, To}, {{timeout, b}, 5, To}, {{timeout, c}, 200, To}]};
common({call, From}, cancel, _, D) -> {keep_state, D, [{reply, From, ok}, {{timeout, c}, cancel}]};
common({timeout, Name}, To, _, _) -> To ! {fired, Name}, keep_state_and_data;
common({call, _}, crash, _, _) -> error(statem_crash);
common({call, From}, _, _, _) -> {keep_state_and_data, {reply, From, {error, unknown}}};
common(_, _, _, _) -> keep_state_and_data.

log(X, #{log := L} = D) -> D#{log := [X | L]}.
terminate(_, _, _) -> ok.

open_again(D) -> [gen_statem:call(D, {button, B}) || B <- "1234"], R = gen_statem:call(D, state), gen_statem:call(D, wait_locked), R.
timeouts(D) -> ok = gen_statem:call(D, {timers, self()}), ok = gen_statem:call(D, cancel), [receive {fired, N} -> N after 5000 -> timeout end || _ <- [1, 2]] ++ [receive {fired, c} -> c after 20 -> cancelled end].
crash() -> {ok, P} = gen_statem:start(?MODULE, "1", []), M = monitor(process, P), catch gen_statem:call(P, crash), receive {'DOWN', M, _, _, {R, _}} -> R end.
