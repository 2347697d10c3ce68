# quick
for call in 'halt()' 'halt(1)' 'halt(300)' 'halt(2, [{flush, false}])' 'init:stop()' 'init:stop(9)' 'erlang:halt(4, [])'; do
  erl -noshell -eval "$call."
  echo "$call $?"
done
erl -noshell -eval 'io:put_chars(lists:duplicate(300000, $x)), halt().' | wc -c
erl -noshell -eval 'io:put_chars(lists:duplicate(300000, $x)), init:stop().' | wc -c
erl -noshell -eval 'exit(foo)' -s init stop > out 2>&1
echo $?; head -3 out | cut -c 1-60
erl -noshell -eval 'syntax error here' > out 2>&1; echo $?
erl -noshell -s no_such_module > out 2>&1; echo $?; head -1 out | cut -c 1-60
cat > atoms.erl <<'END'
-module(atoms).
-export([fill/0]).
fill() -> [list_to_atom("x" ++ integer_to_list(I)) || I <- lists:seq(1, 20000)].
END
erlc atoms.erl
ERL_CRASH_DUMP=$PWD/full erl +t 10000 -noshell -s atoms fill > out 2>&1
echo "atoms $?"; grep -a 'atom_tab' out; sed -n 3p full
ERL_CRASH_DUMP=$PWD/slogan erl -noshell -eval 'erlang:halt([339, 338, 254, 12507]).' 2>&1 | head -1; sed -n 3p slogan
ERL_CRASH_DUMP=$PWD/long erl -noshell -eval 'erlang:halt(lists:duplicate(2000, 12507)).' 2>&1 | head -1 | wc -c
erl -noshell -eval 'io:format("~p~n", [[catch erlang:halt(L) || L <- [[-1], [55296], [1114112], [a], <<"a">>]]]), halt().' | grep -c badarg
