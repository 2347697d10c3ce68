%% The Erlang half of embedding (vm/embed/): processes through which a program outside calls functions,
%% and processes that its threads are. A ticket is the way to whoever waits there: when it is gone with
%% the process that holds it, the one who waits learns that. Key tells the program's own requests from
%% messages of others.
-module(whitebeam_host).
-export([call/5, thread/2, load/3]).

%% Kinds of letters, as vm/embed/mailbox.h has them.
-define(MESSAGE, 0).
-define(REPLY, 1).
-define(EXITED, 2).

%% The function runs in a process of its own, whatever it links itself to; this one says how it ended.
call(Ticket, Key, Module, Function, Arguments) ->
    {Pid, Monitor} = spawn_monitor(fun() -> whitebeam_embed:deliver(Ticket, ?REPLY, result(Module, Function, Arguments)) end),
    receive
        {'DOWN', Monitor, _, _, normal} -> ok;
        {'DOWN', Monitor, _, _, Reason} -> whitebeam_embed:deliver(Ticket, ?REPLY, {exit, Reason, []});
        {Key, cancel} -> exit(Pid, kill)
    end.

result(Module, Function, Arguments) ->
    try {ok, apply(Module, Function, Arguments)}
    catch Class:Reason:Trace -> {Class, Reason, Trace}
    end.

thread(Ticket, Key) ->
    process_flag(trap_exit, true),
    thread(Ticket, Key, true).

%% It always traps exits itself, so that the reason gets to the thread, too.
thread(Ticket, Key, Traps) ->
    receive
        {Key, {send, To, Message}} -> catch To ! Message, thread(Ticket, Key, Traps);
        {Key, {apply, Function, Arguments}} ->
            whitebeam_embed:deliver(Ticket, ?REPLY, result(erlang, Function, Arguments)),
            thread(Ticket, Key, Traps);
        {Key, {trap_exit, New}} ->
            whitebeam_embed:deliver(Ticket, ?REPLY, {ok, Traps}),
            thread(Ticket, Key, New);
        {Key, {exit, Reason}} -> exit(Reason);
        {'EXIT', From, normal} when not Traps, From =/= self() -> thread(Ticket, Key, Traps);
        {'EXIT', _, Reason} when not Traps ->
            whitebeam_embed:deliver(Ticket, ?EXITED, Reason),
            exit(Reason);
        Message ->
            whitebeam_embed:deliver(Ticket, ?MESSAGE, Message),
            thread(Ticket, Key, Traps)
    end.

load(Module, File, Bytes) -> code:load_binary(Module, File, Bytes).
