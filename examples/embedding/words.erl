%% The logic of words_server.cc: counts words for all connections. A gen_server calls its module by name
%% for each request, so the next one after an upgrade is answered by the new version, with the counts of
%% the old one. Compiled with -DUPGRADED this is that version: it also knows `top`.
-module(words).
-behaviour(gen_server).
-export([start/0, request/1, init/1, handle_call/3, handle_cast/2]).

start() -> {ok, Pid} = gen_server:start({local, words}, ?MODULE, [], []), Pid.

%% Called for each line of a connection. Binary in, binary out.
request(Line) -> gen_server:call(words, {request, string:lexemes(Line, " \r\n")}).

init([]) -> {ok, #{}}.

handle_call({request, [<<"count">>, Word]}, _From, Counts) ->
    {reply, integer_to_binary(maps:get(Word, Counts, 0)), Counts};
handle_call({request, [<<"add">> | Words]}, _From, Counts) ->
    New = lists:foldl(fun(W, C) -> maps:update_with(W, fun(N) -> N + 1 end, 1, C) end, Counts, Words),
    {reply, <<"added ", (integer_to_binary(length(Words)))/binary>>, New};
handle_call({request, Other}, _From, Counts) ->
    {reply, other(Other, Counts), Counts}.

-ifdef(UPGRADED).
other([<<"top">>], Counts) ->
    case lists:reverse(lists:keysort(2, maps:to_list(Counts))) of
        [{Word, N} | _] -> <<Word/binary, " ", (integer_to_binary(N))/binary>>;
        [] -> <<"none">>
    end;
other(_, _) -> <<"what?">>.
-else.
other(_, _) -> <<"what?">>.
-endif.

handle_cast(_, Counts) -> {noreply, Counts}.
