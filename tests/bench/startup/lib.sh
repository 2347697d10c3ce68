# Sourced by the benchmarks beside it: runs MODULE:FUNCTION/0 on a VM.
# only on demand
on() {  # erl|whitebeam MODULE FUNCTION
  case $1 in
    erl) within erl -noinput -pa build/bench -run "$2" "$3" -s init stop ;;
    whitebeam) within "$WHITEBEAM" run build/bench/"$2".beam "$3" ;;
  esac
}
within() { timeout 60 "$@"; }
