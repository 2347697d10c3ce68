# A release with its own erts, run in another directory, and upgraded there; a release handler's and systools' answers.
mkdir one two rel
cat > one/a.app <<'F'
{application, a, [{description, "a"}, {vsn, "1"}, {modules, [a, a_sup]}, {registered, [a]}, {applications, [kernel, stdlib, sasl]}, {mod, {a, []}}]}.
F
sed 's/{vsn, "1"}/{vsn, "2"}/' one/a.app > two/a.app
cat > one/a.erl <<'F'
-module(a).
-behaviour(application).
-behaviour(gen_server).
-vsn(1).
-export([start/2, stop/1, init/1, handle_call/3, handle_cast/2, code_change/3, answer/0]).
start(_, _) -> a_sup:start_link().
stop(_) -> ok.
init(_) -> {ok, 1}.
answer() -> gen_server:call(a, answer).
handle_call(answer, _, S) -> {reply, {one, S}, S}.
handle_cast(_, S) -> {noreply, S}.
code_change(From, S, _) -> {ok, {From, S}}.
F
sed 's/{one, S}/{two, S}/; s/-vsn(1)/-vsn(2)/' one/a.erl > two/a.erl
echo '{"2", [{"1", [{update, a, {advanced, x}}]}], [{"1", [{update, a, {advanced, x}}]}]}.' > two/a.appup
cat > one/a_sup.erl <<'F'
-module(a_sup).
-behaviour(supervisor).
-export([start_link/0, init/1]).
start_link() -> supervisor:start_link({local, a_sup}, a_sup, []).
init(_) -> {ok, {#{}, [#{id => a, start => {gen_server, start_link, [{local, a}, a, [], []]}, modules => [a]}]}}.
F
cp one/a_sup.erl two; erlc -o one one/a_sup.erl; erlc -o two two/a_sup.erl
erlc -o one one/a.erl; erlc -o two two/a.erl
libs=$(erl -noshell -eval '[application:load(A) || A <- [sasl]], [io:format("{~p, ~p}, ", [A, V]) || {A, _, V} <- application:loaded_applications()], halt().')
echo "{release, {\"r\", \"1\"}, {erts, \"13.1.5\"}, [$libs {a, \"1\"}]}." > r1.rel
echo "{release, {\"r\", \"2\"}, {erts, \"13.1.5\"}, [$libs {a, \"2\"}]}." > r2.rel
echo '[].' > sys.config
cat > make.erl <<'F'
-module(make).
-export([start/0]).
start() ->
    One = [{path, ["one"]}], Two = [{path, ["two"]}],
    io:format("~p~n", [{systools:make_script("r1", One), systools:make_tar("r1", [{erts, code:root_dir()} | One])}]),
    io:format("~p~n", [{systools:make_script("r2", Two), systools:make_relup("r2", ["r1"], ["r1"], [{path, ["one", "two"]}])}]),
    io:format("~p~n", [systools:make_tar("r2", Two)]),
    halt().
F
cat > upgrade.erl <<'F'
-module(upgrade).
-export([start/0]).
start() ->
    Root = code:root_dir(),
    io:format("~p~n", [{a:answer(), release_handler:create_RELEASES(Root, Root ++ "/releases", "releases/r1.rel", [])}]),
    Show = fun(R) -> io:format("~p~n", [R]) end,
    Show(release_handler:set_removed("9")),
    Show([{N, V, S} || {N, V, _, S} <- release_handler:which_releases()]),
    Show(release_handler:unpack_release("r2")),
    Show(release_handler:check_install_release("2")),
    Show(release_handler:install_release("2")),
    Show(a:answer()),
    Show([{N, V, S} || {N, V, _, S} <- release_handler:which_releases()]),
    Show(release_handler:install_release("1")),
    Show(a:answer()),
    Show(release_handler:install_release("3")),
    halt().
F
erlc make.erl; erlc upgrade.erl
erl -noshell -s make
tar xzf r1.tar.gz -C rel; mv rel moved; cp r2.tar.gz moved/releases; cp r1.rel moved/releases; cp sys.config moved/releases/1
ls moved; ls moved/releases
cd moved; export ROOTDIR=$PWD BINDIR=$PWD/erts-13.1.5/bin EMU=beam PROGNAME=erl RELDIR=$PWD/releases
"$BINDIR/erlexec" -noshell -boot "$ROOTDIR/releases/1/start" -config "$ROOTDIR/releases/1/sys" -pa .. -eval 'io:format("~p~n", [{a:answer(), code:root_dir() =:= element(2, file:get_cwd())}]), halt().'
"$BINDIR/erlexec" -noshell -boot "$ROOTDIR/releases/1/start" -config "$ROOTDIR/releases/1/sys" -sasl releases_dir '"releases"' -pa .. -s upgrade 2>&1 | sed '/NOTICE\|REPORT/d' | head -60
