# Sourced by the benchmarks beside it: runs MODULE:main/0 on a VM, which ends at once when main has returned.
# only on demand
on() {  # erl|whitebeam MODULE
  case $1 in
    erl) exec erl -noinput -pa build/bench -run "$2" main -s erlang halt ;;
    whitebeam) exec "$WHITEBEAM" run build/bench/"$2".beam main ;;
  esac
}
