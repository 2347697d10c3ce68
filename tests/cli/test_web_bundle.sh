#!/bin/bash
# The observer's page as it is in the repository was made of the sources beside it, is small, and
# fetches nothing. Needs no npm.
. "$(dirname "$0")/check.sh"
web=tools/observer/web
complain() { echo "FAILED: $*"; failures=$((failures + 1)); }
made_of=$(sed -n 's/^<!-- sources \([0-9a-f]*\)$/\1/p' $web/bundle.html)
[ "$made_of" = "$($web/sources_hash)" ] ||
  complain "$web/bundle.html is not made of these sources: cd $web && npm ci && npm run build"
size=$(stat -c %s $web/bundle.html)
[ "$size" -lt 204800 ] || complain "$size bytes are too many (200 KB)"
grep -oE '(src|href)="?https?://[^" ]*' $web/bundle.html && complain "the page fetches something"
grep -q "default-src 'none'" $web/bundle.html || complain "no policy"
if [ -d $web/node_modules/esbuild ] && command -v node >/dev/null; then  # who can make it gets the same
  cp $web/bundle.html "$scratch/before"
  (cd $web && node build.mjs >/dev/null) || complain "it cannot be made"
  cmp $web/bundle.html "$scratch/before" || complain "made again, it is another one"
  cp "$scratch/before" $web/bundle.html
fi
finish
