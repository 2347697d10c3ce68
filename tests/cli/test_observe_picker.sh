#!/bin/bash
# Where several machines run, the terminal shows them side by side: one is opened, left, another one; one that ends is marked so.
. "$(dirname "$0")/check.sh"
observed
. tests/cli/terminal.sh

two_machines
open_screen 140 30
shows "both, and what is wrong with one" 'several machines run' "^sick +$sick +[0-9]+ % +[0-9.]+ MiB +[0-9]+ +1 +([0-9.]+ s|[0-9]+m[0-9]+s) +scanning receive: clerk: its receive" \
  "^stall +$stall +[0-9]+ % +[0-9.]+ MiB +[0-9]+ +[0-9.]+ "
keys Home Enter
first=$((sick < stall ? sick : stall)) second=$((sick < stall ? stall : sick))
shows "the first is opened" '1 Home' "(sick|stall) \($first\)"
keys q
shows "q returns to the list" 'several machines run' "$sick" "$stall"
keys Down Enter
shows "the other is opened" '1 Home' "(sick|stall) \($second\)"
keys q
shows "the list again" 'several machines run'
kill -STOP "$sick"
shows "it does not answer; the other does" "^sick +$sick .*no answer [0-9]+ s" "^stall +$stall +[0-9]+ % .* ([0-9.]+ s|[0-9]+m[0-9]+s)"
kill -CONT "$sick"
shows "it answers again" "^sick +$sick .* 1 +([0-9.]+ s|[0-9]+m[0-9]+s)"
kill -9 "$sick"
shows "it has ended" "^sick +$sick .* ended"
keys Home
[ $sick = $first ] || keys Down
keys Enter
shows "what has ended is not opened" 'sick has ended'
keys q
shows "q ends it" 'ended with 0'
open_screen 80 24
shows "one alone is shown at once" '1 ?Home' "stall \($stall\)"
finish
