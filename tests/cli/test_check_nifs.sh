#!/bin/bash
# --check-nifs names the rule of erl_nif.h that a library breaks (tests/nif/nif_breaks.c breaks each), and says nothing of
# libraries that keep them.
. "$(dirname "$0")/check.sh"
ulimit -c 0
nifs=$(dirname "$WHITEBEAM")/../nif
[ -f "$nifs/nif_breaks.so" ] || { echo "skipped: no $nifs/nif_breaks.so"; exit 77; }
nifs=$(realpath "$nifs")
export WB_NIFS=$nifs

program nif_breaks <<'P'
-module(nif_breaks).
-compile(export_all). -compile(nowarn_export_all).
main([Library | Calls]) ->
    ok = erlang:load_nif(Library, 0),
    [io:format("~s: ~p~n", [C, call(list_to_atom(C))]) || C <- Calls],
    io:format("went on~n").

%% Terms that are in the process' heap, not literals; a collection as any program has them.
call(gc) -> erlang:garbage_collect();
call(keep) -> keep({list_to_binary(lists:duplicate(100, $a)), self()});
call(wait) -> receive destructed -> waited after 30000 -> too_long end;
call(F) ->
    Arguments = case erlang:function_exported(?MODULE, F, 1) of true -> [{self(), make_ref()}]; false -> [] end,
    try apply(?MODULE, F, Arguments) catch error:E -> E end.

keep(_) -> none.
cleared(_) -> none.
sent(_) -> none.
of_another(_) -> none.
P
for f in keep_exception make_of_kept return_kept read_kept env_over env_freed env_of_thread freed_twice freed_of_call \
         released_twice copy_released term_released binary_used view_used resource_released resource_used mutex_held \
         rwlock_held raised scheduled exception_returned exception_used raised_outside raised_in_destructor; do
  echo "$f() -> none."
done >>"$scratch/nif_breaks.erl"
(cd "$scratch" && erlc nif_breaks.erl) || exit 1
library=$nifs/nif_breaks

# breaks AFTER RULE WHAT CALL...: the calls print the line, once, and the program goes on, or ends with a line of its own.
breaks() {
  local after=$1 rule=$2 what=$3 last=${*: -1} output code=0 lines
  shift 3
  output=$(timeout 60 "$WHITEBEAM" run --check-nifs "$scratch/nif_breaks.beam" main "$library" "$@" 2>&1 </dev/null) || code=$?
  lines=$(grep '^NIF rule' <<<"$output")
  local right=0
  [[ $lines == "NIF rule $rule: "*"$what"*", $library.so"* && $lines != *$'\n'* ]] || right=1
  case $after in
    goes_on) [[ $code = 0 && $output == *'went on'* ]] || right=1 ;;
    ends) [[ $code = 134 && $output == *'the machine cannot go on after this NIF rule was broken'* && $output != *'went on'* ]] || right=1 ;;
  esac
  if [ $right != 0 ]; then
    echo "FAILED: $last: exit code $code, wanted $rule ($what), after which it $after"
    head -c 2000 <<<"$output" | sed 's/^/  | /'
    failures=$((failures + 1))
  fi
}

breaks ends term_kept 'enif_make_tuple is given a term that no environment has: nif_breaks:make_of_kept/0' keep make_of_kept
breaks ends term_kept 'by return, is given a term that no environment has: nif_breaks:return_kept/0' keep gc return_kept
breaks ends term_kept 'enif_get_tuple is given a term that no environment has: nif_breaks:read_kept/0' keep gc read_kept
breaks ends term_kept 'enif_make_copy is given a term that no environment has: nif_breaks:cleared/1' cleared
breaks ends term_kept 'enif_make_copy is given a term that no environment has: nif_breaks:sent/1' sent
breaks ends term_of_another 'enif_make_list is given a term of another environment: nif_breaks:of_another/1' of_another
breaks ends environment_over 'enif_make_ref is given the environment of a call that is over (nif_breaks:keep/1' keep env_over
breaks ends environment_over 'enif_make_ref is given an environment that was freed: nif_breaks:env_freed/0' env_freed
breaks ends environment_of_thread "enif_make_ref is given the environment of another thread's call (nif_breaks:env_of_thread/0" env_of_thread
breaks goes_on environment_freed 'enif_free_env is given an environment that was freed: nif_breaks:freed_twice/0' freed_twice
breaks goes_on environment_freed 'enif_free_env is given an environment that is none of enif_alloc_env: nif_breaks:freed_of_call/0' freed_of_call
for f in released_twice copy_released term_released; do
  breaks goes_on binary_released "enif_release_binary is given a binary that was released or made a term before: nif_breaks:$f/0" $f
done
breaks ends binary_used 'enif_make_binary is given a binary that was released or made a term: nif_breaks:binary_used/0' binary_used
breaks ends binary_used 'enif_make_binary is given a binary that was inspected in a call that is over: nif_breaks:view_used/0' keep view_used
breaks goes_on resource_released 'more often than the library has shares: nif_breaks:resource_released/0' resource_released gc
breaks ends resource_used 'enif_make_resource is given a resource that is gone: nif_breaks:resource_used/0' resource_used
breaks goes_on lock_held 'the mutex "m of the tests" is still held on return: nif_breaks:mutex_held/0' mutex_held
breaks goes_on lock_held 'the read-write lock "l of the tests" is still held on return: nif_breaks:rwlock_held/0' rwlock_held
breaks goes_on exception_raised 'an exception was raised, but another term is returned: nif_breaks:raised/0' raised
breaks goes_on exception_raised 'a function was scheduled, but another term is returned: nif_breaks:scheduled/0' scheduled
breaks goes_on exception_returned "an exception's term is returned, but none was raised: nif_breaks:exception_returned/0" \
  keep_exception exception_returned
breaks goes_on exception_used "enif_make_tuple is given an exception's term: nif_breaks:exception_used/0" exception_used
breaks goes_on raised_outside "enif_raise_exception in an environment that is not a function's: nif_breaks:raised_outside/0" raised_outside
breaks goes_on raised_outside "enif_make_badarg in an environment that is not a function's: destructor of nif_breaks" raised_in_destructor wait

# =abort ends at what it would go on after; without the flag nothing is said.
expect 134 '^whitebeam: --check-nifs=abort ends the machine here' \
  "$WHITEBEAM" run --check-nifs=abort "$scratch/nif_breaks.beam" main "$library" mutex_held
expect 0 '^went on' "$WHITEBEAM" run "$scratch/nif_breaks.beam" main "$library" raised mutex_held
said=$("$WHITEBEAM" run "$scratch/nif_breaks.beam" main "$library" raised mutex_held 2>&1)
[[ $said != *'NIF rule'* ]] || { echo "FAILED: said without the flag: $said"; failures=$((failures + 1)); }
expect 2 'not in|IsMember|check-nifs' "$WHITEBEAM" run --check-nifs=sometimes "$scratch/nif_breaks.beam" main "$library"

# Libraries that keep the rules; nif_terms has one function that returns a term after it has raised.
for module in nif_terms nif_things; do
  cp "tests/erl/$module.erl" "$scratch/" && (cd "$scratch" && erlc "$module.erl") || exit 1
  "$WHITEBEAM" run "$scratch/$module.beam" >"$scratch/usual" 2>/dev/null
  for options in --check-nifs '--check-nifs --gc-stress' '--check-nifs --jit baseline-eager'; do
    # shellcheck disable=SC2086
    timeout 120 "$WHITEBEAM" run $options "$scratch/$module.beam" >"$scratch/checked" 2>"$scratch/lines"
    grep '^NIF rule' "$scratch/lines" | grep -v '^NIF rule exception_raised: .*nif_terms:raise_and_return/1' >"$scratch/wrong"
    if [ -s "$scratch/wrong" ] || ! cmp -s "$scratch/usual" "$scratch/checked"; then
      echo "FAILED: $module $options"
      head -5 "$scratch/wrong"
      diff "$scratch/usual" "$scratch/checked" | head -10
      failures=$((failures + 1))
    fi
  done
done

# A booted machine, and a library that nobody here wrote.
erl=$(dirname "$WHITEBEAM")/../otp/bin/erl
crypto='case code:ensure_loaded(crypto) of
          {module, _} -> [crypto:hash(sha256, crypto:strong_rand_bytes(N)) || N <- lists:seq(1, 100)],
                         {ok, _} = application:ensure_all_started(crypto), io:format("done ~p~n", [length(crypto:supports())]);
          _ -> io:format("done~n") end, halt().'
if [ -x "$erl" ]; then
  expect 0 '^done' env WHITEBEAM_FLAGS=--check-nifs "$erl" -noshell -eval "$crypto"
  said=$(WHITEBEAM_FLAGS=--check-nifs "$erl" -noshell -eval "$crypto" 2>&1)
  [[ $said != *'NIF rule'* ]] || { echo "FAILED: crypto: $said"; failures=$((failures + 1)); }
fi
finish
