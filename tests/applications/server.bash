# What the scripts of servers/ share: their options, what they need, a directory and ports of their own, and an end that
# leaves nobody behind. Sourced by a script with its arguments; `options` names those it has besides --vm and --keep, which
# are variables with that name. Sets vm, home and root (build/applications), work, port and failed, and installs an OTP that runs on vm.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/packages.bash
vm=build/release/bin/whitebeam keep=0
while [ $# -gt 0 ]; do
  case " --vm --keep ${options:-} " in
    *" $1 "*) ;;
    *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  if [ "$1" = --keep ]; then keep=1; shift; else declare "${1#--}=$2"; shift 2; fi
done
home=$PWD/build/applications
root=$home/root

skip() { echo "skipped: $1"; exit 77; }
vm=$(realpath "$vm")
[ -x "$vm" ] || skip "no $vm"
needs() { local p; for p in "$@"; do command -v "$p" >/dev/null || skip "no $p"; done; }  # needs PROGRAM...
packages() { local p; for p in "$@"; do unpack_package "$p" "$home" "$root" || skip "$p cannot be had"; done; }
needs erl epmd

failed=0 work=$(mktemp -d) port=$((20000 + RANDOM % 20000))
export HOME=$work ERL_EPMD_PORT=$((port + 90))  # by which those who are left are known
end_all() {
  local p
  for p in $(grep -lsxz "ERL_EPMD_PORT=$ERL_EPMD_PORT" /proc/[0-9]*/environ | cut -d/ -f3); do
    [ "$p" = $$ ] || [ "$p" = $BASHPID ] || kill -9 "$p"
  done 2>/dev/null
  [ $keep = 1 ] && echo "kept: $work" || rm -rf "$work"
}
trap end_all EXIT
"$vm" install "$work/otp" >/dev/null || exit 1
check() {  # check WHAT COMMAND...: what it says, it writes to $work/said
  if "${@:2}"; then echo "ok       $1"; return; fi
  echo "FAILED   $1"; failed=1
  [ ! -f "$work/said" ] || tail -c 1000 "$work/said"
}
self_signed() {  # self_signed KEY CERTIFICATE [OPTION...]: of localhost
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "${@:3}" -keyout "$1" -out "$2" 2>/dev/null
}
