# Code in .ez archives; -args_file; erl_prim_loader; observer_backend, reltool.
mkdir -p lib/z-1.0/ebin lib/z-1.0/priv
printf -- '-module(z).\n-export([f/0]).\nf() -> {here, code:which(?MODULE)}.\n' > z.erl; erlc -o lib/z-1.0/ebin z.erl
echo '{application, z, [{description, "z"}, {vsn, "1.0"}, {modules, [z]}, {registered, []}, {applications, [kernel, stdlib]}]}.' > lib/z-1.0/ebin/z.app
echo data > lib/z-1.0/priv/data
(cd lib; erl -noshell -eval 'io:format("~p~n", [zip:create("z-1.0.ez", ["z-1.0"])]), halt().'; rm -r z-1.0)
show='io:format("~p~n", [[z:f(), application:load(z), application:get_key(z, vsn), code:lib_dir(z), code:priv_dir(z), erl_prim_loader:get_file(filename:join(code:priv_dir(z), "data")), erl_prim_loader:list_dir(code:lib_dir(z)), file:read_file_info(code:which(z)), element(1, code:get_object_code(z))]]), halt().'
ERL_LIBS=$PWD/lib erl -noshell -eval "$show"
erl -noshell -pa lib/z-1.0.ez/z-1.0/ebin -eval "$show"
erl -noshell -mode embedded -pa lib/z-1.0.ez/z-1.0/ebin -eval 'io:format("~p~n", [catch z:f()]), halt().'
erl -noshell -code_path_choice strict -pa lib/z-1.0.ez/z-1.0/ebin -eval 'io:format("~p~n", [catch z:f()]), halt().'
head -c 300 lib/z-1.0.ez > lib/y-1.0.ez; erl -noshell -pa lib/y-1.0.ez/y-1.0/ebin -eval 'io:format("~p~n", [catch y:f()]), halt().'
