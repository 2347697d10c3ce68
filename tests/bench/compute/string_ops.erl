%% Strings as lists: splitting, case, reversing, searching, formatting.
-module(string_ops).
-export([run/0]).

run() -> erlang:phash2([work(N) || N <- lists:seq(1, 1200)]).

work(N) ->
    Line = "The quick brown fox jumps over the lazy dog " ++ integer_to_list(N),
    Words = string:lexemes(Line, " "),
    Upper = [upper(W) || W <- Words],
    Text = lists:flatten(lists:join("-", Upper)),
    {string:str(Text, "LAZY"), lists:reverse(Text), string:trim("  " ++ Text ++ "  "),
     lists:flatten(io_lib:format("~s ~b ~p ~w", [Text, N, {N, Words}, [N | abc]])),
     palindrome(Text ++ lists:reverse(Text)), lists:prefix("THE", Text)}.

upper(W) -> [if C >= $a, C =< $z -> C - 32; true -> C end || C <- W].

palindrome(S) -> S =:= lists:reverse(S).
