# quick
# The command line and the environment.
p='io:format("~p~n", ['
mkdir ebin; echo '-module(m). -export([start/0, start/1, f/1]). start() -> io:format("start~n"). start(A) -> io:format("~p~n", [A]). f(A) -> io:format("f ~p~n", [A]).' > m.erl
erlc -o ebin m.erl
erl -noshell -pa ebin -s m -s m start a b -run m f x y -s init stop
echo '[{kernel, [{from_config, yes}]}, {myapp, [{a, 1}]}].' > my.config
erl -noshell -config my -eval "$p application:get_env(kernel, from_config)]), halt()."
erl -noshell -kernel level_x 5 -eval "$p application:get_env(kernel, level_x)]), halt()."
erl -noshell -env FOO bar -eval "$p os:getenv(\"FOO\")]), halt()."
printf -- '-noshell\n# a comment\n-eval erlang:display(from_file),halt().\n' > args
erl -args_file args
ERL_FLAGS='-x 1' ERL_ZFLAGS='-z 2' erl -noshell -y 3 -eval "$p [lists:keyfind(K, 1, init:get_arguments()) || K <- [x, y, z]]]), halt()."
mkdir -p libs/foo-1.0/ebin; cp ebin/m.beam libs/foo-1.0/ebin
ERL_LIBS=$PWD/libs erl -noshell -eval "$p code:which(m)]), halt()."
erl -noshell -mode embedded -eval "$p code:get_mode()]), halt()."
erl -noshell -boot no_dot_erlang -eval "$p init:script_id()]), halt()."
erl -noshell -boot start_sasl -eval "$p [A || {A, _, _} <- application:which_applications()]]), halt()."
erl -noshell -pz ebin -eval "$p lists:last(code:get_path())]), halt()."
erl +P 5000 +Q 2048 +t 100000 +A 3 -noshell -eval "$p [erlang:system_info(K) || K <- [process_limit, port_limit, atom_limit, thread_pool_size]]]), halt()."
erl +S 2:1 -noshell -eval "$p [erlang:system_info(K) || K <- [schedulers, schedulers_online]]]), halt()."
for f in '+S 2:x' '+S 2x' '+SP 50:x' '+MBsbct 1x' '+MBacul 50x' '+hmax x' '+SDPcpu 50:x'; do erl $f -noshell -eval "$p erlang:system_info(schedulers_online)]), halt()."; done
erl +pc unicode +W i -noshell -eval "$p {io:printable_range(), error_logger:warning_map()}]), halt()."
erl +hms 5000 +hmqd off_heap -noshell -eval "$p [erlang:system_info(K) || K <- [min_heap_size, message_queue_data]]]), halt()."
erl -noshell -eval "$p init:get_plain_arguments()]), halt()." -- a b -extra c d
erl +P foo -noshell 2>&1 | head -1
erl +q -noshell 2>&1 | head -1 | sed 's/.*unknown/unknown/'
erl -boot nosuch -noshell > out 2>&1; echo $?; head -1 out | cut -c 1-60
erl -noshell -pa ebin -eval 'm:start(), halt().' -nosuchflag
echo 'io:format("dot erlang~n").' > "$HOME/.erlang"; erl -noshell -eval 'halt().'; rm "$HOME/.erlang"
erl -version 2>&1
