%% What a machine that is not distributed does with pids, ports, references and names of other nodes: links, monitors, exits and
%% messages to them, what is shown of them meanwhile, and which nodes are known. And the same with those that this node had
%% before it was started anew.
-module(other_nodes).
-export([main/1]).

identifier(Tag, Node, Creation, Words) ->
    Name = list_to_binary(Node),
    Length = case Tag of 90 -> <<(length(Words)):16>>; _ -> <<>> end,
    Numbers = << <<W:32>> || W <- Words >>,
    case Tag of
        90 -> binary_to_term(<<131, 90, Length/binary, 119, (byte_size(Name)), Name/binary, Creation:32, Numbers/binary>>);
        _ -> binary_to_term(<<131, Tag, 119, (byte_size(Name)), Name/binary, Numbers/binary, Creation:32>>)
    end.
pid(Node, Creation) -> identifier(88, Node, Creation, [1, 2]).
port(Node, Creation) -> identifier(89, Node, Creation, [1]).
ref(Node, Creation) -> identifier(90, Node, Creation, [3, 5, 7]).

%% Nobody can tell which number a node or process has.
clean(T) when is_pid(T); is_port(T); is_reference(T) ->
    Own = T =:= self() orelse lists:member(T, [group_leader(), get(witness)]) orelse (is_reference(T) andalso node(T) =:= node()),
    case Own of true -> own; false -> {hd([K || {K, F} <- kinds(), F(T)]), node(T)} end;
clean(T) when is_tuple(T) -> list_to_tuple(clean(tuple_to_list(T)));
clean([H | T]) -> [clean(H) | clean(T)];
clean(T) -> T.
kinds() -> [{pid, fun is_pid/1}, {port, fun is_port/1}, {ref, fun is_reference/1}].

messages() -> receive M -> [M | messages()] after 30 -> [] end.
fails(F) -> try F() catch C:R -> {C, R} end.
show(Name, F) -> show(Name, false, F).
show(Name, Traps, F) ->
    {Pid, Ref} = spawn_monitor(fun() ->
        process_flag(trap_exit, Traps),
        Result = fails(F),
        exit({Result, messages()})
    end),
    put(witness, Pid),
    receive {'DOWN', Ref, process, Pid, Reason} -> io:format("~p: ~0p~n", [Name, clean(Reason)]) end.
mine(What) -> process_info(self(), What).

main(_) ->
    catch logger:set_primary_config(level, none),
    P = pid("a@b", 3), Old = pid(atom_to_list(node()), 77), Port = port("a@b", 3), OldPort = port(atom_to_list(node()), 77), Ref = ref("a@b", 3),
    links(P, Old, Port, OldPort),
    monitors(P, Old, Port, OldPort, Ref),
    messages_to(P, Old, Port, OldPort, Ref),
    others(P, Old),
    traces(P, Old),
    nodes_known(),
    compared(P).

links(P, Old, Port, OldPort) ->
    show(link, fun() -> link(P), mine(links) end),
    show(link_trapping, true, fun() -> link(P), link(P), [messages(), mine(links)] end),
    show(link_again, true, fun() -> link(P), A = messages(), link(P), [A, messages()] end),
    show(unlink, true, fun() -> link(P), unlink(P), mine(links) end),
    show(unlink_other, true, fun() -> link(P), unlink(pid("a@b", 4)), messages() end),
    show(link_two, true, fun() -> link(P), link(pid("a@b", 4)), self() ! last, lists:sort(clean(messages())) end),
    show(link_many, true, fun() -> [link(pid("many@b", C)) || C <- lists:seq(1, 100)], {length(messages()), mine(links)} end),
    show(link_old, fun() -> link(Old) end),
    show(link_old_trapping, true, fun() -> {link(Old), mine(links), messages()} end),
    show(link_ports, true, fun() -> [fails(F) || F <- [fun() -> link(Port) end, fun() -> link(OldPort) end, fun() -> unlink(Port) end, fun() -> unlink(OldPort) end]] end),
    show(ends_with_link, fun() -> link(P), exit(ended) end).

monitors(P, Old, Port, OldPort, Ref) ->
    show(monitor, fun() -> M = monitor(process, P), [messages(), mine(monitors), demonitor(M, [info])] end),
    show(demonitor, fun() -> M = monitor(process, P), [demonitor(M, [info]), mine(monitors)] end),
    show(flush, fun() -> [demonitor(monitor(process, X), O) || X <- [P, Old], O <- [[], [info], [flush], [info, flush]]] end),
    show(monitor_old, fun() -> monitor(process, Old), [messages(), mine(monitors)] end),
    show(monitor_names, fun() -> [fails(F) || F <- [fun() -> monitor(process, {foo, 'x@y'}) end, fun() -> monitor(port, {foo, 'x@y'}) end]] end),
    show(monitor_ports, fun() -> [fails(F) || F <- [fun() -> monitor(port, Port) end, fun() -> monitor(port, OldPort) end, fun() -> monitor(process, Port) end]] end),
    show(tagged, fun() -> A = monitor(process, P, [{alias, explicit_unalias}, {tag, {gone, [1]}}]), X = messages(), A ! hi, [X, messages(), unalias(A)] end),
    show(alias, fun() -> A = monitor(process, P, [{alias, demonitor}]), A ! before, X = messages(), A ! later, [X, messages()] end),
    show(reply_alias, fun() -> A = monitor(process, P, [{alias, reply_demonitor}]), A ! hi, A ! ho, messages() end),
    show(monitor_many, fun() -> [monitor(process, pid("many@b", C rem 7)) || C <- lists:seq(1, 500)], length(messages()) end),
    show(ends_with_monitor, fun() -> monitor(process, P), exit(ended) end),
    show(wrong_references, fun() -> [fails(F) || F <- [fun() -> demonitor(Ref) end, fun() -> demonitor(Ref, [flush]) end, fun() -> unalias(Ref) end]] end).

messages_to(P, Old, Port, OldPort, Ref) ->
    show(exit, fun() -> [fails(fun() -> exit(To, kill) end) || To <- [P, Old, Port, OldPort]] end),
    show(send, fun() -> [fails(fun() -> To ! x end) || To <- [P, Old, Port, OldPort, Ref, {foo, 'x@y'}, {foo, 1}, {1, 'x@y'}, {foo, node()}]] end),
    show(send_3, fun() -> [fails(fun() -> erlang:send(To, x, Options) end) || To <- [P, Old, Port, Ref, {foo, 'x@y'}, {foo, node()}], Options <- [[], [noconnect], [nosuspend], [noconnect, nosuspend], [other]]] end),
    show(send_nosuspend, fun() -> [fails(fun() -> erlang:send_nosuspend(To, x, Options) end) || To <- [P, {foo, 'x@y'}], Options <- [[], [noconnect]]] end),
    show(timers, fun() -> [fails(fun() -> erlang:send_after(1, To, x) end) || To <- [P, Old, {foo, 'x@y'}]] end).

others(P, Old) ->
    show(group_leader, fun() -> {fails(fun() -> group_leader(P, self()) end), group_leader() =:= P} end),
    show(asking, fun() -> [fails(fun() -> F(X) end) || X <- [P, Old], F <- [fun is_process_alive/1, fun erlang:process_info/1, fun(Y) -> process_info(Y, links) end, fun erlang:suspend_process/1, fun erlang:resume_process/1, fun erlang:garbage_collect/1]] end).

traces(P, Old) ->
    show(traced, fun() ->
        {Traced, _} = spawn_monitor(fun() -> receive go -> ok end, process_flag(trap_exit, true), acts(P, Old) end),
        erlang:trace(Traced, true, [procs, send, 'receive']),
        Traced ! go,
        [setelement(2, T, traced) || T <- messages(), element(1, T) =:= trace]
    end),
    show(sequential, fun() -> seq_trace:set_system_tracer(self()), seq_trace:set_token(send, true), P ! x, {f, 'x@y'} ! y, exit(P, z), seq_trace:set_token([]), messages() end).
acts(P, Old) ->
    link(P), receive {'EXIT', _, _} -> ok end, unlink(P),
    link(Old), receive {'EXIT', _, _} -> ok end,
    exit(P, x), demonitor(monitor(process, P)), P ! m, {f, 'x@y'} ! m,
    monitor(process, P), receive {'DOWN', _, _, _, _} -> ok end.

nodes_known() ->
    known(now),
    {bar, 'n1@y'} ! x, erlang:send({bar, 'n2@y'}, x, [noconnect]), catch monitor(process, {foo, 'n3@y'}),
    known(named),
    _ = pid("n4@y", 9), garbage_collect(),
    known(forgotten),
    io:format("~p~n", [length([N || N <- [pid("n5@y", 1), pid("n5@y", 2)], lists:member(node(N), nodes(known))])]),
    known(twice).
known(When) -> io:format("~p: ~p~n", [When, lists:sort(nodes(known))]).

compared(P) ->
    Sorted = [pid("b@b", 1), pid("a@b", 2), pid("a@b", 1)],
    io:format("~p~n", [[P =:= pid("a@b", 3), P =:= pid("a@b", 4), P < pid("a@b", 4), lists:sort(Sorted) =:= lists:reverse(Sorted),
                        lists:usort([P, pid("a@b", 3)]) =:= [P], maps:get(pid("a@b", 3), #{P => found})]]),
    T = ets:new(t, [compressed]),
    ets:insert(T, {P, [pid("c@b", 1), ref("c@b", 2), port("c@b", 3)]}),
    garbage_collect(),
    [{Q, Kept}] = ets:lookup(T, pid("a@b", 3)),
    ets:delete(T),
    io:format("~p~n", [[Q =:= P, Kept =:= [pid("c@b", 1), ref("c@b", 2), port("c@b", 3)],
                        [node(X) || X <- Kept], [{1} =:= {X} || X <- Kept], binary_to_term(term_to_binary(Kept)) =:= Kept,
                        ets:match_spec_run([{P, Kept}], ets:match_spec_compile([{{P, '$1'}, [], [{{{node, P}, '$1'}}]}])) =:= [{'a@b', Kept}]]]).
