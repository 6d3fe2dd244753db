#!/bin/bash
# SPDX-License-Identifier: MIT
# Signals that reach a scanner from outside: a batch system's, which are meant
# for others, change nothing, and one that is killed (memory runs out) does not
# cost its container for the rest of the mount.
. "$srcdir/tests/lib.sh"
requires_faults
make_data stack
mkdir "$tmp/src/a" "$tmp/src/b"
for dir in a b; do
	cp "$tmp/src/stack-default.h5" "$tmp/src/$dir/$dir.h5"
done
export PATCHFS_FAULT=$tmp/fault
expect_log 'killed by signal 9'

scanners() {
	awk -v n="$daemon" '$2 == "(patchfs-scan)" && $4 == n { print $1 }' \
		/proc/[0-9]*/stat 2>/dev/null
}
# read_with SIGNAL... DIR: a first read, its scanner getting these; the status.
read_with() {
	local dir=${*: -1} pid i rc=0 waiting
	waiting=$(scanners) || true
	# The first look at the file comes before the scanner: no "block".
	echo "*/$dir.h5 delay $((1000 * slow))" >"$tmp/fault-new"
	mv "$tmp/fault-new" "$tmp/fault"
	cat "$mnt/$dir/$dir/image/slices/000003.npy" >"$tmp/out" 2>"$tmp/err" &
	local reader=$!
	for ((i = 0; ; i++)); do
		pid=$(scanners | grep -vxF "${waiting:-none}") || true
		test -z "$pid" || break
		test $i -lt $((400 * slow)) || fail "$dir: no scanner"
		sleep 0.05
	done
	# Ignoring them is among the first things it does.
	until grep -q '^Seccomp:.*2$' "/proc/$pid/status" 2>/dev/null; do
		test $((i++)) -lt $((400 * slow)) || fail "$dir: no sandbox"
		sleep 0.05
	done
	while test $# -gt 1; do
		kill "-$1" "$pid"
		shift
	done
	: >"$tmp/fault-new"
	mv "$tmp/fault-new" "$tmp/fault"
	wait "$reader" || rc=$?
	return $rc
}

: >"$tmp/fault"
mount_volume "$tmp/src"
cat "$mnt/stack-default/image/slices/000003.npy" >"$tmp/want"
read_with TERM INT HUP USR1 USR2 a || fail "a: $(cat "$tmp/err")"
cmp "$tmp/want" "$tmp/out"
! read_with KILL b || fail "a scanner was killed and nobody knows"
grep -q 'Input/output error' "$tmp/err" || fail "not EIO: $(cat "$tmp/err")"
grep -q 'b/b.h5: .* killed by signal 9' "$mnt/.patchfs/problems" ||
	fail "no word: $(cat "$mnt/.patchfs/problems")"
for ((i = 0; ; i++)); do
	! cmp "$tmp/want" "$mnt/b/b/image/slices/000003.npy" 2>"$tmp/err" ||
		break
	test $i -lt $((400 * slow)) || fail "b is lost: $(cat "$tmp/err")"
	sleep 0.05
done
umount_volume
