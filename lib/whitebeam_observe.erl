%% What only a process can do for the observer: asks a server for its state, as sys:get_state does
%% (vm/observe/state.cc).
-module(whitebeam_observe).
-export([ask_state/3]).

%% In a process of its own; whoever waits for Ticket is told.
ask_state(Pid, Ticket, Patience) ->
    Ref = monitor(process, Pid),
    Pid ! {system, {self(), Ref}, get_state},
    {How, What} =
        receive
            {Ref, {error, Refusal}} -> {refused, Refusal};
            {Ref, State} -> {state, State};
            {'DOWN', Ref, process, _, Reason} -> {gone, Reason}
        after Patience -> {late, Patience}
        end,
    whitebeam:observed_state(Ticket, How, What).
