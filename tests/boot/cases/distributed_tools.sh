# erl_call, -detached, run_erl and to_erl, heart, peer, etop: machines that are started and spoken to from outside.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)); n=tools$$
trap 'epmd -kill > /dev/null 2>&1' EXIT
hide() { sed -E "s/$n/NAME/g; s/@[-a-z0-9]*/@HOST/g; s/<[0-9]+\.[0-9]+\.[0-9]+>/PID/g"; }
echo "== erl_call"
erl_call -s -sname $n -c cook -a 'erlang length [[a,b]]'; echo " $?"
erl_call -sname $n -c cook -a 'lists reverse [[1,2,"x",{a,3.5}]]'; echo " $?"
erl_call -sname $n -c cook -e <<< 'X = 1 + 1, {X, node(), init:get_argument(noshell)}.' | hide; echo " $?"
erl_call -sname $n -c cook -a 'erlang error [foo]' 2>&1 | hide; echo " ${PIPESTATUS[0]}"
printf -- '-module(sent).\n-export([f/0]).\nf() -> was_sent.\n' | erl_call -sname $n -c cook -m 2>&1; echo " $?"
erl_call -sname $n -c cook -a 'sent f'; echo " $?"
erl_call -sname $n -c cook -fetch_stdout -a 'io format ["hello~n"]' 2>&1; echo " $?"
erl_call -sname $n -c wrong -a 'erlang node' 2>&1 | hide; echo " ${PIPESTATUS[0]}"
erl_call -sname $n -c cook -q; echo " $?"
sleep 0.5; erl_call -sname $n -c cook -a 'erlang node' 2>&1 | hide; echo " ${PIPESTATUS[0]}"
echo "== detached"
erl -detached -sname $n -setcookie cook -eval 'register(me, self())' 2>&1; echo $?
for _ in {1..100}; do erl_call -sname $n -c cook -a 'erlang is_alive' > /dev/null 2>&1 && break; sleep 0.1; done
erl_call -sname $n -c cook -e <<< '{init:get_argument(detached), init:get_argument(noinput), erlang:process_info(group_leader(), registered_name), is_pid(whereis(me)), os:cmd("ps -o tty= -p " ++ os:getpid())}.'; echo
pid=$(erl_call -sname $n -c cook -a 'os getpid' | tr -d '"')
kill -TERM "$pid"; for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done; kill -0 "$pid" 2>/dev/null; echo $?
echo "== run_erl"
mkdir pipe log
run_erl -daemon pipe/ log "exec erl -sname $n -setcookie cook"; echo $?
for _ in {1..100}; do erl_call -sname $n -c cook -a 'erlang is_alive' > /dev/null 2>&1 && break; sleep 0.1; done
mkfifo keys; to_erl pipe/ < keys > shown 2>&1 & exec 8> keys
shown() { for _ in {1..200}; do grep -aq "$1" shown && break; sleep 0.1; done; }
shown Attaching; sleep 1; printf '1 + 41.\n' >&8; shown '^42'; printf 'io:columns().\n' >&8; shown '^{ok,'; printf '\004' >&8; wait $!; exec 8>&-
tr -d '\r' < shown | grep -ao '^42\|^{ok,[0-9]*}\|^Attaching.*'
erl_call -sname $n -c cook -q
for _ in {1..50}; do [ -e pipe/erlang.pipe.1.r ] || break; sleep 0.1; done; ls pipe log; grep -c '^42' log/erlang.log.1
echo "== heart"
cat > restart.sh <<F
#!/bin/sh
echo restarted >> $PWD/restarts
exec erl -detached -sname $n -setcookie cook
F
chmod +x restart.sh
HEART_COMMAND=$PWD/restart.sh erl -heart -detached -sname $n -setcookie cook
await() { for _ in {1..200}; do erl_call -sname $n -c cook -a 'erlang is_alive' > /dev/null 2>&1 && return; sleep 0.1; done; echo "no node"; }
await; erl_call -sname $n -c cook -e <<< '{heart:get_cmd(), heart:get_options(), heart:get_callback(), is_pid(whereis(heart)), init:get_argument(heart)}.'; echo
erl_call -sname $n -c cook -e <<< '{heart:set_cmd("x"), heart:get_cmd(), heart:clear_cmd(), heart:set_options([check_schedulers]), heart:get_options(), catch heart:set_callback(m, no), catch heart:set_cmd(5)}.'; echo
pid=$(erl_call -sname $n -c cook -a 'os getpid' | tr -d '"'); kill -KILL "$pid"
for _ in {1..200}; do [ -s restarts ] && break; sleep 0.1; done; cat restarts
await; new=$(erl_call -sname $n -c cook -a 'os getpid' | tr -d '"'); [ "$new" != "$pid" ] && echo another
erl_call -sname $n -c cook -q
echo "== peer"
cat > pe.erl <<'F'
-module(pe).
-export([start/0]).
start() ->
    [try {ok, P, N} = peer:start(O), io:format("~p~n", [{maps:get(connection, O), is_atom(N), peer:call(P, lists, reverse, [[1, 2]]), (catch peer:call(P, erlang, error, [x])), peer:get_state(P)}]),
       peer:cast(P, erlang, display, [x]), peer:send(P, init, hello), peer:call(P, io, format, ["from the peer~n"]), io:format("~p~n", [peer:stop(P)])
     catch C:R -> io:format("~p~n", [{C, R}]) end
     || O <- [#{connection => standard_io}, #{connection => 0}, #{connection => {{127,0,0,1}, 0}}, #{connection => standard_io, args => ["+S", "1", "-env", "A", "b"], env => [{"X", "y"}]}]],
    {ok, P, _} = peer:start_link(#{connection => standard_io, exec => {os:find_executable("erl"), ["-hidden"]}, detached => false}),
    process_flag(trap_exit, true),
    io:format("~p~n", [peer:call(P, init, get_argument, [hidden])]), catch peer:call(P, erlang, halt, [3]),
    receive {'EXIT', P, Why} -> io:format("~p~n", [Why]) after 10000 -> io:format("no exit~n") end,
    io:format("~p~n", [catch peer:start(#{connection => standard_io, exec => "/no/such"})]),
    halt().
F
erlc pe.erl; erl -noshell -s pe 2>&1 | hide
echo "== etop"
erl -noinput -sname $n -setcookie cook -detached; await
erl -noinput -hidden -sname o$n -setcookie cook -eval "spawn(fun() -> timer:sleep(4000), halt() end), etop:start([{node, list_to_atom(\"$n@\" ++ tl(string:find(atom_to_list(node()), \"@\")))}, {output, text}, {interval, 1}, {lines, 3}, {accumulate, true}])." 2>&1 | hide | sed -E 's/[0-9]+/N/g; s/ +/ /g' | grep -E 'Load|procs|Binary|Pid|===' | sort -u
erl_call -sname $n -c cook -q
