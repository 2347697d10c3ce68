%% A module is deleted and purged while native work that one of its functions called goes on: the process is
%% gone for all others long before, and comes back to where its code was.
%% skip replay: its native work sends messages from another thread
%% skip seeds: the native work waits for what another thread does
-module(dirty_code).
-export([main/1]).

main(_) ->
    [io:format("~p: ~p~n", [Kind, purged_meanwhile(Kind)]) || Kind <- [dirty_io, dirty_cpu]].

purged_meanwhile(Kind) ->
    Name = list_to_atom("works_" ++ atom_to_list(Kind)),
    {module, Name} = code:load_binary(Name, "works.beam", module(Name, Kind)),
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> Name:f(Me) end),
    receive {alive, Pid} -> timer:sleep(50) end,  % now it is at work; nobody can ask
    exit(Pid, kill),
    Down = receive {'DOWN', Ref, process, Pid, Why} -> Why end,
    Deleted = code:delete(Name),
    Purged = code:purge(Name),
    timer:sleep(1500),
    {Down, Deleted, is_boolean(Purged), erlang:check_old_code(Name), is_process_alive(Pid)}.

module(Name, Kind) ->
    Forms = [{attribute, 1, module, Name}, {attribute, 1, export, [{f, 1}]},
             {function, 1, f, 1, [{clause, 1, [{var, 1, 'P'}], [],
                 [{tuple, 1, [{call, 1, {remote, 1, {atom, 1, erts_debug}, {atom, 1, Kind}}, [{atom, 1, alive_waitexiting}, {var, 1, 'P'}]}]}]}]}],
    {ok, Name, Bin} = compile:forms(Forms, []),
    Bin.
