# OTP's suites: where their sources are, and how they are compiled. For `run` and `variants/run`, which
# set $here (the checkout) and $out (where beams and logs go).
. tests/packages.bash

fetch_sources() {
  local dir=$here/build/otp-src apt code
  mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
  code=$(. /etc/os-release; echo "$VERSION_CODENAME")
  printf 'deb-src http://deb.debian.org/debian %s main\ndeb-src http://deb.debian.org/debian-security %s-security main\n' \
    "$code" "$code" >"$dir/apt/sources.list"
  apt=(apt-get -q -o "Dir::Etc::SourceList=$dir/apt/sources.list" -o Dir::Etc::SourceParts=/nonexistent
    -o "Dir::State::Lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache")
  "${apt[@]}" update >&2
  (cd "$dir" && "${apt[@]}" source --download-only erlang >&2 && tar xf erlang_*.orig.tar.*)
  patch_sources "$dir"
}

# The packages are built of patched sources: their records have other fields, and suites include those.
patch_sources() {
  local p
  cd "$1"/otp-OTP-*/
  tar xf ../erlang_*.debian.tar.*
  sed 's/ *#.*//; /^$/d' debian/patches/series | while read -r p _; do patch -p1 -s -f <"debian/patches/$p" >&2; done
  cd "$here"
}

# common_test, and the applications that Debian's installation may lack, unpacked beside the sources.
fetch_common_test() {
  local libs=$OTP_SRC/../libs p
  [ ! -f "$libs/.fetched" ] || return 0
  mkdir -p "$libs"
  for p in common-test syntax-tools xmerl observer reltool os-mon et snmp debugger eunit tools ssh; do
    unpack_package "erlang-$p" "$libs" "$libs" || { cat "$libs/fetch.log" >&2; exit 2; }
  done
  # Links to scripts of packages that are not here, and that nobody's browser will run.
  find "$libs" -xtype l -name '*.js' | while read -r p; do rm "$p" && touch "$p"; done
  touch "$libs/.fetched"
}

sources_or_fail() {  # sets OTP_SRC
  if [ -z "${OTP_SRC:-}" ]; then
    ls -d build/otp-src/otp-OTP-* >/dev/null 2>&1 || fetch_sources
    OTP_SRC=$(realpath build/otp-src/otp-OTP-* | tail -1)
  fi
  [ -d "$OTP_SRC/erts/emulator/test" ] || { echo "tests/otp: no OTP sources in $OTP_SRC" >&2; exit 2; }
}

compile_tools() {  # compile_tools DIR FILE.erl...
  local to=$1 f
  shift
  mkdir -p "$to"
  for f in "$@"; do
    [ "$to/$(basename "$f" .erl).beam" -nt "$f" ] || erlc +debug_info -o "$to" "$f"
  done
}

end_nodes() {  # end_nodes PORT: kills those that have this port of epmd in their environment
  local p
  for p in $(grep -lsxz "ERL_EPMD_PORT=$1" /proc/[0-9]*/environ | cut -d/ -f3); do
    [ "$p" = $$ ] || [ "$p" = $BASHPID ] || kill -9 "$p" 2>/dev/null || true
  done
}

tests_of() { case $1 in emulator) echo "$OTP_SRC/erts/emulator/test" ;; *) echo "$OTP_SRC/lib/$1/test" ;; esac; }

# The options of a variant (variants/flags.tsv) as OTP's makefile for $2 has them, if it makes that variant.
variant_options() {  # variant_options VARIANT APPLICATION
  awk -F'\t' -v name="$1" -v app="$2" '$1 == name && (n++ == 0 || $2 == app) { o = $3 }
    END { k = split(o, a, " "); for (i = 1; i <= k; i++) print "+" a[i] }' tests/otp/variants/flags.tsv
}

source_of() {  # source_of SUITE APPLICATION...: sets source and app
  local a e
  for a in "${@:2}"; do
    for e in erl core; do
      source=$(tests_of "$a")/$1.$e app=$a
      [ ! -f "$source" ] || return 0
    done
  done
  return 1
}

find_suite() {  # sets app, suite, source, data, name, and options where it is a variant
  suite=${1##*/} base=$suite options=()
  local apps=(emulator stdlib kernel compiler) v
  case $1 in */*) apps=("${1%/*}") ;; esac
  if ! source_of "$suite" "${apps[@]}"; then
    for v in $(sed -n 's/^\([a-z0-9_]*\)\t.*/\1/p' tests/otp/variants/flags.tsv); do
      base=${suite%_"$v"_SUITE}_SUITE
      [ "$base" != "${suite}_SUITE" ] && source_of "$base" "${apps[@]}" || continue
      mapfile -t options < <(variant_options "$v" "$app")
      break
    done
  fi
  [ -f "$source" ] || { echo "tests/otp: no suite $1 in ${apps[*]}" >&2; exit 2; }
  data=${source%.*}_data name=${1//\//-} erl_flags=()
  ! grep -q '^-feature(' "$source" || erl_flags=(-enable-feature all)  # else erl does not load it
}

merl() {  # suites are written with merl, which may not be installed: OTP's own, from the sources
  local to=$out/ebin/syntax_tools from=$OTP_SRC/lib/syntax_tools
  [ ! -f "$to/merl_transform.beam" ] || return 0
  mkdir -p "$to"
  erlc -W0 -o "$to" "$from"/src/erl_{prettypr,recomment,syntax,syntax_lib,comment_scan}.erl "$from"/src/prettypr.erl \
    "$from/src/merl.erl" >>"$out/erlc.log" 2>&1
  erlc -W0 -DMERL_NO_TRANSFORM -I "$from/include" -pa "$to" -o "$to" "$from/src/merl_transform.erl" >>"$out/erlc.log" 2>&1
}

installed() { ls -d "${ERL_ROOT:-/usr/lib/erlang}/lib/$1"-* 2>/dev/null | tail -1; }  # the application as erl has it

includes_of() {  # of the suites of an application, for erlc; what OTP's build makes there is in the installed one
  echo -I "$(tests_of "$1")" -I "$(installed "$1")/include" -I "$(installed public_key)/include" -I "$OTP_SRC/lib" -I "$OTP_SRC/lib/$1/src" -I "$OTP_SRC/lib/kernel/src" -I "$OTP_SRC/lib/stdlib/src"
}

beside_suites() {  # beside_suites APPLICATION: the modules that are there beside the suites
  local app=$1 ebin=$out/ebin/$1 h
  mkdir -p "$ebin"
  # To the machines this directory is the application's: with what suites look for in it.
  [ ! -d "$OTP_SRC/lib/$app/examples" ] || ln -sfn "$OTP_SRC/lib/$app/examples" "$ebin/examples"
  [ ! -d "$(installed "$app")/priv" ] || ln -sfn "$(installed "$app")/priv" "$ebin/priv"
  merl
  [ ! -f "$ebin/.helpers" ] || return 0
  for h in $(ls "$(tests_of "$app")"/*.erl | grep -v '_SUITE\.erl$'); do
    erlc -W0 +debug_info $(includes_of "$app") -pa "$ebin" -pa "$out/ebin/syntax_tools" -o "$ebin" "$h" >>"$out/erlc.log" 2>&1 || true
  done
  touch "$ebin/.helpers"
}

compile() {  # the suite, and once the modules beside the suites; false when that fails
  local ebin=$out/ebin/$app file=$source flags
  flags=(-W0 +debug_info $(includes_of "$app") -pa "$ebin" -pa "$out/ebin/syntax_tools" -o "$ebin")
  beside_suites "$app"
  [ "$ebin/$suite.beam" -nt "$source" ] && [ "$ebin/$suite.beam" -nt tests/otp/variants/flags.tsv ] && return
  if [ "$base" != "$suite" ]; then
    file=$ebin/$suite.erl
    sed "s/-module($base)/-module($suite)/" "$source" >"$file"
  elif [[ $source == *.core ]]; then
    flags+=(+from_core)
  fi
  erlc "${flags[@]}" ${options[@]+"${options[@]}"} "$file" >"$out/$name.erlc.log" 2>&1
}
