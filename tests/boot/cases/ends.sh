# Standard descriptors that are closed; allocators' flags, and others' whose value is optional or checked.
erl -noshell -eval 'io:format("x~n"), halt(3).' <&-; echo $?
erl -noshell -eval 'io:format("x~n"), halt(3).' <&- >&- 2>&-; echo $?
for f in '+MBas aobf' '+MMscs 5' '+Mzz 5' '+c true' '+c' '+rg 65' '+T 20' '+SDcpu x'; do
  echo "$f"; erl $f -noshell -eval 'erlang:display(ok), halt().' 2>&1 </dev/null | head -1
done
