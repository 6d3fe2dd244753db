#!/bin/bash
# SPDX-License-Identifier: MIT
# "patchfs ls -R" prints the very names that a walk of the mount finds, and
# "patchfs cat" writes the very bytes.
. "$srcdir/tests/lib.sh"
make_data staged links names attributes pairs refused
views="--view patches+size-4x4 --view random+size-3+count-5"
expect_log '.' # some of these are refused; that is another test's matter
# shellcheck disable=SC2086  # options
mount_volume $views "$tmp/src"
python - "$mnt" >"$tmp/walk" <<'END'
import os, sys
out = sys.stdout.buffer
def walk(d, path):
    for e in os.scandir(d):
        name = path + e.name
        if e.is_symlink():
            out.write(name + b" -> " + os.readlink(e.path) + b"\n")
        elif e.is_dir():
            out.write(name + b"/\n")
            walk(e.path, name + b"/")
        else:
            out.write(name + b"\n")
walk(os.fsencode(sys.argv[1]), b"")
END
rc=0
# shellcheck disable=SC2086
patchfs ls -R $views "$tmp/src" >"$tmp/ls" || rc=$?
test $rc -eq 3 || fail "ls -R over files that are no containers: status $rc"
diff -a "$tmp/walk" "$tmp/ls" >"$tmp/diff" ||
	fail "walk (<) and ls -R (>): $(head -n 20 "$tmp/diff")"
test "$(wc -l <"$tmp/ls")" -gt 300 || fail "ls -R: too few names"

# A sample of all files, by both ways.
n=0
while IFS= read -r path; do
	test -f "$mnt/$path" || continue
	rc1=0 rc2=0
	cat "$mnt/$path" >"$tmp/a" 2>/dev/null || rc1=1
	# shellcheck disable=SC2086
	patchfs cat $views "$tmp/src" "$path" >"$tmp/b" 2>/dev/null || rc2=1
	test $rc1 = $rc2 || fail "$path: the mount says $rc1, cat says $rc2"
	test $rc1 = 1 || cmp "$tmp/a" "$tmp/b" || fail "$path"
	n=$((n + 1))
done < <(grep -av -e '/$' -e ' -> ' "$tmp/ls" | awk 'NR % 29 == 1')
test $n -gt 20 || fail "compared $n files only"
