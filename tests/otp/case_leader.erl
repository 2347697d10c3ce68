%% The group leader of the cases: passes everything on to the leader it was started under, and keeps
%% what is printed while a case captures it (ct:capture_start/0).
-module(case_leader).
-export([start/0, reset/1, capture/1]).

start() ->
    Above = group_leader(),
    spawn_link(fun() -> loop(Above, off) end).

reset(Leader) -> Leader ! {capture, off}.

%% capture(start | stop | get), in a process whose leader this is.
capture(What) ->
    Leader = group_leader(),
    Ref = monitor(process, Leader),
    Leader ! {capture, What, self(), Ref},
    receive
        {Ref, Answer} -> demonitor(Ref, [flush]), Answer;
        {'DOWN', Ref, _, _, Reason} -> exit(Reason)
    end.

loop(Above, Captured) ->
    receive
        {io_request, _, _, Request} = Message ->
            Above ! Message,
            loop(Above, keep(Request, Captured));
        {capture, off} ->
            loop(Above, off);
        {capture, start, From, Ref} ->
            From ! {Ref, ok},
            loop(Above, {on, []});
        {capture, stop, From, Ref} ->
            From ! {Ref, ok},
            loop(Above, case Captured of {on, Texts} -> {stopped, Texts}; _ -> Captured end);
        {capture, get, From, Ref} ->
            {State, Texts} = case Captured of off -> {off, []}; _ -> Captured end,
            From ! {Ref, lists:reverse(Texts)},
            loop(Above, case State of off -> off; _ -> {State, []} end);
        _ ->
            loop(Above, Captured)
    end.

keep(Request, {on, Texts}) -> {on, texts(Request, Texts)};
keep(_, Captured) -> Captured.

texts({put_chars, Encoding, Chars}, Texts) -> [text(Encoding, Chars) | Texts];
texts({put_chars, Encoding, M, F, A}, Texts) -> [text(Encoding, catch apply(M, F, A)) | Texts];
texts({requests, Requests}, Texts) -> lists:foldl(fun texts/2, Texts, Requests);
texts(_, Texts) -> Texts.

text(Encoding, Chars) ->
    case catch unicode:characters_to_list(Chars, Encoding) of
        Text when is_list(Text) -> Text;
        _ -> ""
    end.
