#!/bin/bash
# SPDX-License-Identifier: MIT
# Every option of --help is in the manual, and every option there exists.
. "$srcdir/tests/lib.sh"

compare() { # NAME POD ARGUMENT...
	local name=$1 pod=$2
	shift 2
	patchfs "$@" --help |
		sed -nE 's/^  (-[a-zA-Z], )?(--[a-z0-9-]+).*/\2/p' |
		sort >"$tmp/help"
	sed -nE 's/^=item .*B<(--[a-z0-9-]+)>.*/\1/p' "$pod" | sort >"$tmp/pod"
	test -s "$tmp/help" || fail "$name: no options in --help"
	diff "$tmp/help" "$tmp/pod" ||
		fail "$name --help (<) and $pod (>) differ"
}
compare patchfs "$srcdir/man/patchfs.pod"
for cmd in $(patchfs --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'); do
	compare "$cmd" "$srcdir/man/patchfs-$cmd.pod" "$cmd"
done
if command -v podchecker >/dev/null; then
	podchecker -warnings "$srcdir"/man/*.pod || fail "see above"
fi
