# Work that splits well: its time on two schedulers in hundredths of that on one (50 would be ideal,
# 52.6 is a speed-up of 1.9). Medians of 24 runs each, in two VMs by turns.
set -euo pipefail

on() {  # erl|whitebeam SCHEDULERS MODULE
  case $1 in
    erl) timeout 100 erl +S "$2" -noinput -pa build/bench -run bench_driver main "$3" 12 -s erlang halt ;;
    whitebeam) timeout 100 "$WHITEBEAM" run --schedulers "$2" build/bench/bench_driver.beam main "$3" 12 ;;
  esac
}
median() { awk '$2 == "ms" { print $3 }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in fib gauss; do
  for _ in 1 2; do
    for schedulers in 1 2; do on "$1" $schedulers scaling_$name >>"$work/$name$schedulers"; done
  done
  awk -v label="$name" -v one="$(median "$work/${name}1")" -v two="$(median "$work/${name}2")" \
    'BEGIN { print label, "%", 100 * two / one }'
done
echo "result $(awk '$1 == "result" { print $2 }' "$work"/* | sort -u | xargs)"
