%% Who loads or deletes a module lets others run meanwhile, however urgent it is.
%% skip seeds: spawn_opt's scheduler, one of several
-module(loading_gives_way).
-export([main/1]).
-include("show.hrl").

main(_) ->
    process_flag(scheduler, 1),
    process_flag(priority, high),
    Binary = binary(),
    ?S(ran(fun() -> true end)),
    ?S(ran(fun() -> erlang:load_module(loaded_here, Binary) end)),
    ?S(ran(fun() -> erlang:delete_module(loaded_here) end)),
    ?S(ran(fun() -> erlang:check_old_code(loaded_here) end)),
    ?S(erlang:purge_module(loaded_here)).

binary() ->
    Forms = [{attribute, 1, module, loaded_here}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, ok}]}]}],
    {ok, loaded_here, Binary} = compile:forms(Forms),
    Binary.

%% Does a process of usual priority on the same scheduler have its turn?
ran(F) ->
    Me = self(),
    P = spawn_opt(fun() -> Me ! {self(), here} end, [{scheduler, 1}]),
    Result = F(),
    receive {P, here} -> {Result, others_ran}
    after 0 -> receive {P, here} -> {Result, alone} end
    end.
