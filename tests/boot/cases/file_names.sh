# quick
# Names of files and of the environment: by the locale, and as +fn says. What is reported of them comes when it comes, and is
# counted by itself.
cat > names.erl <<'END'
-module(names).
-export([go/0]).
go() ->
    Bad = <<"some/a", 16#e5, "b">>,
    io:format("~p ~p~n", [file:native_name_encoding(), os:getenv("STRANGE")]),
    [io:format("~p ~0p~n", [F, catch file:F("some")]) || F <- [list_dir, list_dir_all]],
    [io:format("~p ~0p~n", [F, catch file:F("some/link")]) || F <- [read_link, read_link_all]],
    io:format("~0p~n", [[catch file:read_file(N) || N <- [Bad, "some/a" ++ [16#e5] ++ "b", "some/" ++ [1234]]]]),
    io:format("~0p~n", [[prim_file:is_translatable(N) || N <- [Bad, <<"ab">>]]]),
    halt().
END
erlc names.erl
mkdir some; printf x > some/ab; printf y > $'some/a\xe5b'; ln -s $'a\xe5b' some/link
export STRANGE=$'a\xc3\xa5'
for flag in +fnu +fnue +fnui +fnuw +fnl +fna; do
  echo "$flag"; erl "$flag" -noshell -s names go 2>&1 | grep -avE 'REPORT|^Non-unicode|^$'
done
for locale in C C.UTF-8 xx_YY.ISO-8859-1; do
  echo "$locale"; LC_ALL=$locale erl -noshell -s names go 2>&1 | grep -avE 'REPORT|^Non-unicode|^$'
done
for flag in +fnuw +fnui; do
  erl "$flag" -noshell -eval 'file:list_dir("some"), timer:sleep(1000), halt().' 2>&1 | grep -ac '^Non-unicode'
done
