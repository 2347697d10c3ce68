# quick
cat > foo.erl <<'F'
-module(foo).
-export([f/1]).
f(X) -> Y = 1, g(X).
F
erlc foo.erl 2>&1; echo $?
cat > bar.erl <<'F'
-module(bar).
-export([f/1]).
-record(r, {a, b = 2}).
f(X) -> #r{a = X}.
F
erlc bar.erl; echo $?
erlc +deterministic bar.erl && md5sum bar.beam
erlc -S bar.erl && md5sum bar.S
echo 'Nonterminals e. Terminals a. Rootsymbol e. e -> a : ok.' > p.yrl; erlc p.yrl && ls p.erl
echo 'Definitions. Rules. a : {token, a}. Erlang code.' | sed 's/\. /.\n/g' > l.xrl; erlc l.xrl && ls l.erl
ls
