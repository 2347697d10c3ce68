%% Two versions of a module: old code runs on in those who stay in it, a full call goes to the new;
%% deleting, purging, and who dies of it.
-module(code_versions).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(two_versions()), ?S(old_fun()), ?S(third_version()), ?S(deleted()), ?S(erlang:load_module(hot, <<"no beam">>)), ?S(erlang:load_module(other_name, element(3, version(1)))), ?S(erlang:load_module(x, y)), ?S(on_load_refuses()), ?S(literals_survive()), ?S(funs_wait(soft)), ?S(funs_wait(hard)), [?S(show:quiet(fun() -> erts_internal:purge_module(hot, prepare) end)) || erlang:system_info(otp_release) < "26"].

version(N) ->
    compile(["-module(hot).", "-export([loop/0, v/0, f/0, l/0]).", "v() -> " ++ integer_to_list(N) ++ ".", "f() -> fun(X) -> {X, v()} end.", "l() -> {literal, \"of version " ++ integer_to_list(N) ++ "\", <<\"bytes\">>}.",
             "loop() -> receive {v, F} -> F ! {v, v()}, loop(); switch -> hot:loop() end."]).

compile(Lines) ->
    Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end || L <- Lines],
    compile:forms(Forms, [binary]).

load(N) -> {ok, hot, Beam} = version(N), erlang:load_module(hot, Beam).
ask(P) -> P ! {v, self()}, receive {v, X} -> X after 5000 -> timeout end.

two_versions() ->
    load(1),
    P = spawn(hot, loop, []),
    A = ask(P),
    B = {load(2), ask(P), erlang:check_old_code(hot), erlang:check_process_code(P, hot)},
    P ! switch,
    C = {ask(P), hot:v(), erlang:check_process_code(P, hot)},
    exit(P, kill),
    purge(),
    {A, B, C, erlang:check_old_code(hot)}.

purge() -> erlang:check_old_code(hot) andalso erlang:purge_module(hot).

%% A fun of the old version goes on with the old code's local calls.
old_fun() ->
    load(3), purge(), F = hot:f(), load(4), R = {F(a), (hot:f())(b), erlang:check_process_code(self(), hot)},
    R.

third_version() -> {load(5), purge(), load(5), purge()}.

deleted() -> purge(), A = erlang:delete_module(hot), B = show:quiet(fun() -> hot:v() end), C = {erlang:delete_module(hot_not_there), erlang:check_old_code(hot)}, purge(), {A, B, C}.

on_load_refuses() -> {ok, M, B} = compile(["-module(refuser).", "-export([f/0, init/0]).", "-on_load(init/0).", "init() -> not_ok.", "f() -> 1."]), {erlang:load_module(M, B), show:quiet(fun() -> M:f() end)}.

%% A term that was a literal of a purged module lives on in those who hold it.
literals_survive() ->
    load(6), L = hot:l(), Self = self(), P = spawn(fun() -> M = hot:l(), Self ! ready, receive go -> Self ! {l, M} end end), receive ready -> ok end,
    erlang:delete_module(hot), purge(), erlang:garbage_collect(), P ! go,
    {L, receive {l, M} -> M after 5000 -> dead end}.

%% Whoever calls a fun whose code is being purged is suspended until that is over. (The purger has a
%% slow way for tests.)
funs_wait(How) ->
    purge(),
    load(7), F = hot:f(), User = spawn(hot, loop, []), 7 = ask(User), true = erlang:delete_module(hot),
    Ref = make_ref(),
    purger({test_purge, hot, self(), How =:= hard, Ref}), {started, Ref} = answer(),
    {P, R} = spawn_monitor(fun() -> exit(show:quiet(fun() -> F(x) end)) end),
    Where = wait_for(P, suspended, 1000),
    Known = [erlang:fun_info_mfa(F) | [erlang:fun_info(F, I) || I <- [module, name, arity]]],
    purger({continue, Ref}), {continued, Ref} = answer(),
    purger({complete, Ref}), {test_purge, Purged, Ref} = answer(),
    receive {'DOWN', R, process, P, Reason} -> {Where, Known, Purged, Reason, is_process_alive(User), erlang:check_old_code(hot), erlang:fun_info(F, name)} end.
purger(What) -> erts_code_purger ! What.
answer() -> receive A when element(1, A) =/= 'DOWN' -> A after 5000 -> timeout end.

wait_for(P, Status, N) ->
    case process_info(P, [status, current_function]) of
        [{status, Status}, Where] -> Where;
        _ when N > 0 -> timer:sleep(10), wait_for(P, Status, N - 1);
        Other -> Other
    end.
