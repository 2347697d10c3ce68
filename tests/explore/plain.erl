%% How often a program goes wrong in plain runs: `erl -noshell -s plain run 10000 NAME...`, in the directory of the
%% .beam files. A run goes wrong if main/1 or a process it has started ends with an error, if it has not returned
%% after five seconds, or if it leaves a process behind. Runs follow each other; a run starts with nothing of the one
%% before it.
-module(plain).
-export([run/1]).

run([Runs | Names]) ->
    logger:set_primary_config(level, none),
    N = list_to_integer(atom_to_list(Runs)),
    [begin
         {Us, Bad} = timer:tc(fun() -> count(Name, N, 0) end),
         io:format("~-24s ~8w of ~w, ~.1f s~n", [Name, Bad, N, Us / 1.0e6])
     end || Name <- Names],
    halt().

count(_, 0, Bad) -> Bad;
count(Name, N, Bad) ->
    Before = processes(),
    {Pid, Ref} = spawn_monitor(Name, main, [[]]),
    Wrong = receive
                {'DOWN', Ref, process, Pid, normal} -> false;
                {'DOWN', Ref, process, Pid, _} -> true
            after 5000 -> true
            end,
    Left = left(Before, 3),
    [exit(P, kill) || P <- Left],
    _ = [receive {'DOWN', R, process, _, _} -> ok end || R <- [monitor(process, P) || P <- Left]],
    count(Name, N - 1, Bad + case Wrong orelse Left =/= [] of true -> 1; false -> 0 end).

%% Whoever is about to end has three milliseconds.
left(Before, Tries) ->
    case processes() -- Before of
        [] -> [];
        Left when Tries =:= 0 -> Left;
        _ -> timer:sleep(1), left(Before, Tries - 1)
    end.
