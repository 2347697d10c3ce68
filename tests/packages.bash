# Debian's packages, unpacked for a test: nothing is installed. To be sourced.

# unpack_package PACKAGE HOME ROOT: fetched into HOME/debs and unpacked below ROOT, once; HOME/fetch.log has what apt said.
unpack_package() {
  [ ! -e "$2/debs/$1.done" ] || return 0
  mkdir -p "$2/debs" "$3"
  ( cd "$2/debs" && apt-get -q download "$1" && dpkg -x "$(ls -t "$1"_*.deb | head -1)" "$3" ) >>"$2/fetch.log" 2>&1 &&
    touch "$2/debs/$1.done"
}
