# dialyzer and typer: a PLT of a part of stdlib, warnings, exit codes.
export XDG_CACHE_HOME=$PWD
typer() { "$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')"/erts-*/bin/typer "$@"; }  # Debian has it nowhere else
ebin=$(erl -noshell -eval 'io:put_chars(code:lib_dir(stdlib, ebin)), halt().')
mods=''; for m in lists orddict ordsets gb_trees proplists; do mods="$mods $ebin/$m.beam"; done
cat > d.erl <<'F'
-module(d).
-export([f/1, g/0, h/1, k/0, l/1, n/1]).
f(X) when is_atom(X) -> X + 1;
f(X) -> lists:reverse(atom_to_list(X)).
g() -> f({a, b}).
-spec h(integer()) -> atom().
h(X) -> X * 2.
k() -> lists:keyfind(1, x, []), unused(), no_such:call(1).
unused() -> case 1 of 2 -> two; _ -> other end.
-spec l([T]) -> T when T :: term().
l([H | _]) -> H; l(_) -> lists:nth(zero, [a]).
n(X) -> case orddict:is_key(X, []) of maybe -> true; true -> 1 end.
F
erlc +debug_info d.erl
dialyzer --build_plt --output_plt p.plt $mods | sed -E 's/in [0-9]+m[0-9.]+s/in T/'; echo "${PIPESTATUS[0]}"
dialyzer --plt p.plt d.beam | sed -E 's/in [0-9]+m[0-9.]+s/in T/'; echo "${PIPESTATUS[0]}"
dialyzer --plt p.plt -Wunmatched_returns -Woverspecs -Wmissing_return --fullpath d.beam | sed -E 's/in [0-9]+m[0-9.]+s/in T/'; echo "${PIPESTATUS[0]}"
dialyzer --plt_info --plt p.plt; echo $?
dialyzer --check_plt --plt p.plt | sed -E 's/in [0-9]+m[0-9.]+s/in T/'; echo "${PIPESTATUS[0]}"
dialyzer --add_to_plt --plt p.plt --output_plt q.plt "$ebin/sets.beam" | sed -E 's/in [0-9]+m[0-9.]+s/in T/'
dialyzer --remove_from_plt --plt q.plt "$ebin/sets.beam" | sed -E 's/in [0-9]+m[0-9.]+s/in T/'
dialyzer --plt nosuch d.beam 2>&1; echo $?
dialyzer --nosuch 2>&1; echo $?
sed -i "/^-spec h/d" d.erl
typer --plt p.plt d.erl 2>&1; echo $?
typer --plt p.plt --annotate d.erl 2>&1; echo $?; cat typer_ann/d.ann.erl
typer --plt p.plt --show-exported d.erl 2>&1; echo $?
dialyzer --version | head -1; typer --version
