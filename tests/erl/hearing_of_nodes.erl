%% process_flag(monitor_nodes, _): how often a process wants to hear of nodes, counted by what it wants to hear.
-module(hearing_of_nodes).
-export([main/1]).

main(_) ->
    [flag(What, On) || On <- [true, true, false, false], What <- wants()],
    [flag(What, true) || What <- wrong()],
    flag(monitor_nodes, 1),
    say(net_kernel, [net_kernel:monitor_nodes(true), net_kernel:monitor_nodes(false), net_kernel:monitor_nodes(true, [nodedown_reason]),
                     net_kernel:monitor_nodes(true, [{node_type, all}, connection_id]), net_kernel:monitor_nodes(true, [x]),
                     net_kernel:monitor_nodes(true, #{node_type => hidden}), net_kernel:monitor_nodes(x)]),
    {ok, Scope} = pg:start_link(),
    ok = pg:join(group, self()),
    say(pg, pg:get_members(group) =:= [self()]),
    unlink(Scope),
    say(missing_directories, [Dir || Dir <- code:get_path(), Dir =/= ".", not filelib:is_dir(Dir)]).

wants() ->
    [monitor_nodes, {monitor_nodes, []}]
        ++ [{monitor_nodes, Map} || Map <- [#{list => true}, #{}, #{node_type => visible}, #{node_type => hidden}, #{node_type => all},
                                            #{list => true, nodedown_reason => true}, #{list => true, nodedown_reason => false},
                                            #{nodedown_reason => true}, #{connection_id => true}, #{connection_id => false}]].

wrong() ->
    [{monitor_nodes, Options} || Options <- [x, [nodedown_reason], [{node_type, all}], #{list => false}, #{list => x}, #{node_type => known},
                                             #{nodedown_reason => x}, #{connection_id => 1}, #{1 => true}, #{other => true}]].

flag(What, On) -> say({What, On}, try process_flag(What, On) catch error:Reason -> Reason end).

say(What, Term) -> io:format("~0p: ~0p~n", [What, Term]).
