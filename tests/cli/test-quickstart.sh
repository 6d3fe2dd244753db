#!/bin/bash
# SPDX-License-Identifier: MIT
# ./quickstart where packages are missing and nobody may install them: it
# says which, and what to type; a step that fails is the last.
. "$srcdir/tests/lib.sh"

mkdir "$tmp/bin" "$tmp/tree"
cp "$srcdir/quickstart" "$tmp/tree"
for p in sh dirname cat grep mkdir tail tr; do
	ln -s "$(command -v $p)" "$tmp/bin/$p"
done
stub() { # NAME COMMAND
	printf '#!/bin/sh\n%s\n' "$2" >"$3/$1"
	chmod +x "$3/$1"
}
stub id 'echo 1000' "$tmp/bin"
# shellcheck disable=SC2016 # for the stub to expand
stub dpkg-query 'for p; do :; done; test $p = libjansson-dev || echo ii' \
	"$tmp/bin"
stub make "touch '$tmp/made'" "$tmp/bin"
stub configure 'echo "configure: error: no jansson"; exit 1' "$tmp/tree"

# quick ANSWER ARGUMENT...: its exit status in $rc, what it says in $tmp/out.
quick() {
	local answer=$1
	shift
	rc=0
	printf '%s' "$answer" |
		env -i PATH="$tmp/bin" "$tmp/tree/quickstart" "$@" \
			>"$tmp/out" 2>&1 || rc=$?
	test $rc -eq 1 || fail "quickstart $* <<<'$answer': $rc: $(<"$tmp/out")"
}
says() { grep -qF -- "$1" "$tmp/out" || fail "not '$1': $(<"$tmp/out")"; }

for answer in '' $'n\n' $'y\n'; do
	quick "$answer"
	says 'apt-get install libjansson-dev'
	says './quickstart --no-install'
done
quick '' --yes
says 'no sudo'
says 'apt-get install libjansson-dev'
test ! -e "$tmp/made" || fail "built without the packages"

quick '' --no-install
says 'configure: error: no jansson'
says 'missing packages: libjansson-dev'
test ! -e "$tmp/made" || fail "went on after configure had failed"
