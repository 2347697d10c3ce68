%% Text as UTF-8: decoded, upper-cased, counted, encoded.
-module(utf8_text).
-export([run/0]).

run() ->
    Text = binary:copy(<<"Zwölf Boxkämpfer jagen Viktor quer über den Sylter Deich – ελληνικά 日本 ✓ "/utf8>>, 250),
    [R | _] = [{count(Text, 0), erlang:md5(upper(Text, <<>>)), length(unicode:characters_to_list(Text))}
               || _ <- lists:seq(1, 45)],
    R.

count(<<_/utf8, R/binary>>, N) -> count(R, N + 1);
count(<<>>, N) -> N.

upper(<<C/utf8, R/binary>>, Acc) when C >= $a, C =< $z -> upper(R, <<Acc/binary, (C - 32)/utf8>>);
upper(<<C/utf8, R/binary>>, Acc) -> upper(R, <<Acc/binary, C/utf8>>);
upper(<<>>, Acc) -> Acc.
