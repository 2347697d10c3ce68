%% A process for each test, and values shown without what differs from run to run: anonymous/1 is the program's.
-define(IP, {127, 0, 0, 1}).

test(Name, Fun) ->
    io:format("~p~n", [Name]),
    {Pid, Ref} = spawn_monitor(Fun),
    receive {'DOWN', Ref, _, Pid, Reason} -> io:format("  ~p~n", [Reason]) end.

show(What, Value) -> io:format("  ~p: ~p~n", [What, anonymous(Value)]).
