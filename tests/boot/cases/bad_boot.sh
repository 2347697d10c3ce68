# A boot that cannot go as it should: scripts, configurations and argument files that are broken or not there, paths
# that are files, damaged modules, no home, no terminal type, standard descriptors that are closed.
export PATH ERL_CRASH_DUMP=/dev/null
program=(erl -noshell -eval 'io:format("up~n"), halt(3).')
# Not the lines of erlang:display: erl writes two at once, letter by letter.
ends() { # ends NAME COMMAND...: what was printed, without what names times, sizes and the machine; how it ended
  echo "== $1"; shift
  timeout -k 1 30 "$@" < /dev/null > out 2>&1; local code=$?
  grep -aE '^(up|init terminating|could not start|File|Failed|\[)' out | cut -c1-150
  echo "exit $code"
}
root=$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')
boot=$root/bin/start_clean.boot

echo "= boot scripts"
head -c 100 "$boot" > cut.boot; : > empty.boot; mkdir dir.boot
erl -noshell -eval '
  Write = fun(F, T) -> file:write_file(F ++ ".boot", term_to_binary(T)) end,
  Write("term", hello), Write("command", {script, {"a", "b"}, [{progress, x}, {frobnicate, 1}]}),
  Write("module", {script, {"a", "b"}, [{preLoaded, []}, {path, ["."]}, {primLoad, [nosuchmodule]}]}),
  Write("apply", {script, {"a", "b"}, [{apply, {erlang, error, [gone]}}]}), halt().'
for name in cut empty dir none term command module apply; do ends $name "${program[@]}" -boot ./$name; done
ends variable erl -boot_var

echo "= configurations"
echo garbage > bad.config; echo '[{kernel, [{a' > cut.config; : > empty.config; echo '{a,b}.' > tuple.config
echo '[{kernel, [{a, 1}]}]. [x].' > two.config; printf '[{kernel,[{a,"\xff\xfe"}]}].\n' > encoding.config
echo '[kernel].' > application.config; echo '[{kernel, x}].' > parameters.config; echo '["nofile"].' > file.config
{ echo '[{kernel, [{a, "'; head -c 2000000 /dev/zero | tr '\0' x; echo '"}]}].'; } > huge.config
for name in bad cut empty tuple two encoding application parameters file none huge; do
  ends $name "${program[@]}" -config ./$name
done
ends "no name" erl -noshell -config

echo "= files of arguments"
echo '-extra "one' > cut.args; : > empty.args; mkdir dir.args; echo +Zzz > flag.args; echo "-extra 'a b' c\\ d # no more" > quoted.args
{ echo -extra; yes a | head -20000; } > long.args
shown=(erl -noshell -eval 'io:format("[~p ~P]~n", [length(init:get_plain_arguments()), init:get_plain_arguments(), 4]), halt(3).')
for name in cut empty dir none flag quoted long; do ends $name "${shown[@]}" -args_file $name.args; done
ends "no name" erl -args_file

echo "= paths"
: > file; echo x > bad.ez; mkdir -p one/ebin
ends "a file" erl -noshell -pa file none one/ebin -pz file -eval \
  'io:format("~p~n", [[P || P <- code:get_path(), lists:member(P, ["file", "none", "one/ebin"])]]), halt(3).'
ends "a bad archive" "${program[@]}" -pa bad.ez/bad/ebin

echo "= damaged modules of the boot"
mkdir -p broken/{kernel,stdlib}; cp "$root"/lib/kernel-*/ebin/* broken/kernel; cp "$root"/lib/stdlib-*/ebin/* broken/stdlib
erl -noshell -eval '
  {ok, B} = file:read_file("'"$boot"'"), {script, Id, Commands} = binary_to_term(B),
  Path = fun(P) -> case lists:member("kernel", string:tokens(P, "/-")) of true -> "broken/kernel"; false -> "broken/stdlib" end end,
  file:write_file("broken.boot", term_to_binary({script, Id, [case C of {path, L} -> {path, lists:map(Path, L)}; _ -> C end || C <- Commands]})), halt().'
ends whole "${program[@]}" -boot ./broken
for module in kernel/gen_server-none kernel/application_controller stdlib/gen_server stdlib/lists; do
  file=broken/$module.beam
  [ -f "$file" ] || continue
  cp "$file" whole.beam
  head -c 300 whole.beam > "$file"; ends "$module cut" "${program[@]}" -boot ./broken
  : > "$file"; ends "$module empty" "${program[@]}" -boot ./broken
  echo "this is no module at all" > "$file"; ends "$module noise" "${program[@]}" -boot ./broken
  rm "$file"; ends "$module gone" "${program[@]}" -boot ./broken
  cp whole.beam "$file"
done

echo "= home, terminal type"
: > file; mkdir readonly; chmod 555 readonly
ends "no HOME" env -u HOME "${program[@]}"
for home in /proc/nonexistent/x "$PWD/file" "$PWD/readonly" ''; do ends "HOME=${home##*/}" env HOME="$home" "${program[@]}"; done
ends "no TERM" env -u TERM "${program[@]}"
for term in '' nosuch dumb; do ends "TERM=$term" env TERM=$term "${program[@]}"; done

echo "= closed"
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
  echo "$closed"; eval "timeout -k 1 30 \"\${program[@]}\" $closed"; echo "exit $?"
done
for closed in '<&-' '>&-'; do echo "shell $closed"; eval "timeout -k 1 30 erl $closed" > out; echo "exit $?"; done < <(echo 'halt(4).')
