%% Request, reply and forward: a desk answers what it knows and forwards the rest to who knows it (*Scala Actors*).
%%
%%     whitebeam run examples/request_reply.erl
%%
%% Look at desk/1: `forward` hands the request on with who asked, so the archive's answer goes straight to the client, past
%% the desk; and at main/1: several questions are under way before the first answer is waited for.
-module(request_reply).
-export([main/1]).
-import(whitebeam_actor, [loop/1, or_else/2, reply/1, forward/2, stop/0, ask/2, async/2, await/1]).

main(_) ->
    Archive = spawn_link(fun() -> loop(archive()) end),
    Desk = spawn_link(fun() -> loop(or_else(desk(Archive), closing(Archive))) end),
    io:format("~p~n", [ask(Desk, {year, "today"})]),
    Answers = [{Title, async(Desk, {year, Title})} || Title <- ["Scala Actors", "Reactors", "Composing Actors"]],
    [io:format("~s: ~p~n", [Title, await(Answer)]) || {Title, Answer} <- Answers],
    io:format("the desk handled ~p questions and waited for no answer~n", [ask(Desk, close)]).

desk(Archive) ->
    fun({year, "today"}) -> counted(), reply({known, "at the desk"});
       ({year, _} = Question) -> counted(), forward(Archive, Question);
       (_) -> pass
    end.

closing(Archive) ->
    fun(close) -> Archive ! close, reply(get(questions)), stop() end.

archive() ->
    fun({year, Title}) -> reply({archived, maps:get(Title, #{"Scala Actors" => 2009, "Reactors" => 2015}, unknown)});
       (close) -> stop()
    end.

counted() ->
    put(questions, case get(questions) of undefined -> 1; N -> N + 1 end).
