# quick
erl -noshell -eval 'io:format("hi~n"), halt().'
echo $?
erl -noshell -eval 'io:format("~p~n", [{init:get_plain_arguments(), init:get_argument(x)}]), halt(3).' -x a b -x c -extra 1 -y "2 3"
echo $?
erl -noshell -eval 'io:format("1~n")' -s init stop
echo $?
erl -noshell -eval 'io:format("~ts~n", [[1076, 1086, 1084]]), init:stop(7).'
echo $?
erl -noshell -eval 'io:format(standard_error, "to standard error~n", []), halt().' 2>&1
head -1 /etc/passwd | erl -noshell -eval 'io:format("~p~n", [io:get_line("")]), halt().'
