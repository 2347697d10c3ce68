# Work that splits well: its time on two schedulers in hundredths of that on one (50 would be ideal,
# 52.6 is a speed-up of 1.9). The shortest of many runs each, so that what else the machine does counts
# little, nor what the VM itself does beside one scheduler: its compiler has another core then.
set -euo pipefail

on() {  # erl|whitebeam SCHEDULERS MODULE
  case $1 in
    erl) timeout 100 erl +S "$2" -noinput -pa build/bench -run bench_driver main "$3" 12 -s init stop ;;
    whitebeam) timeout 100 "$WHITEBEAM" run --schedulers "$2" build/bench/bench_driver.beam main "$3" 12 ;;
  esac
}
shortest() { awk '$2 == "ms" && (!best || $3 < best) { best = $3 } END { print best }' "$@"; }

for name in fib gauss; do
  one=$(for _ in 1 2; do on "$1" 1 scaling_$name; done | shortest)
  two=$(for _ in 1 2; do on "$1" 2 scaling_$name; done | shortest)
  awk -v label="$name" -v one="$one" -v two="$two" 'BEGIN { print label, "%", 100 * two / one }'
done
