#!/bin/bash
# SPDX-License-Identifier: MIT
# Scanners that crash, hang, lie and flood, on a whole patchfs: each fails its
# container alone, with a reason, and leaves no process and no descriptor. The
# file says what its scanner does: tests/unit/false_scanner.c.
set -eu # without the library nothing below is safe
. "$srcdir/tests/lib.sh"
requires pgrep
mkdir "$tmp/libexec" "$tmp/src"
ln -s "$builddir/tests/unit/false_scanner" "$tmp/libexec/patchfs-scan"
export PATCHFS_LIBEXECDIR=$tmp/libexec

le32() { printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' \
	$(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"; }
# script NAME COMMANDS [PAYLOAD]: a container; the payload lies at 1024.
script() {
	{
		printf '\211HDF\r\n\032\n'
		head -c 504 /dev/zero
		printf '%b' "$2"
	} >"$tmp/src/$1.h5"
	truncate -s 1024 "$tmp/src/$1.h5"
	test $# -lt 3 || cat "$3" >>"$tmp/src/$1.h5"
}
# The page of records of a fuzzer's seed, as a whole answer.
answer() {
	local page=$srcdir/tests/fuzz/corpus/catalog/$1 n
	n=$(stat -c %s "$page")
	{
		le32 2 && le32 "$n" && cat "$page"
		le32 4 && le32 40
		le32 "$2" && le32 0 && le32 "$3" && le32 0
		head -c 24 /dev/zero
	} >"$tmp/answer"
	script "${4:-$1}" "send 1024 $((n + 56))\n" "$tmp/answer"
}

answer everything 8 12 good
answer root 2 0 few
answer bad-target 1 1 lie
script crash 'signal 11\n'
script status 'exit 7\n'
script gone 'close\nexit 0\n'
script spin 'spin\n'
script hang 'hang\n'
script greedy 'read 4194304 0\n'
cp "$srcdir/tests/fuzz/corpus/catalog/root" "$tmp/roots" # 16 bytes
for _ in {1..12}; do
	cat "$tmp/roots" "$tmp/roots" >"$tmp/twice"
	mv "$tmp/twice" "$tmp/roots"
done
{ le32 2 && le32 65536 && cat "$tmp/roots"; } >"$tmp/flood"
script flood 'repeat 1024 65544\n' "$tmp/flood"
reason() {
	case $1 in
	few) echo 'records are missing' ;;
	lie) echo 'no such object' ;;
	crash) echo 'killed by signal 11' ;;
	status) echo 'ended with status 7' ;;
	gone) echo 'ended with status 0' ;;
	spin) echo 'CPU time' ;;
	greedy) echo 'read more than' ;;
	flood) echo 'of memory' ;;
	esac
}
bad='few lie crash status gone spin greedy flood'

# By itself a container that cannot be read is 3, with the reason.
for b in few lie crash status gone; do
	rc=0
	patchfs ls "$tmp/src/$b.h5" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq 3 || fail "ls $b.h5: $rc"
	grep -q "$(reason "$b")" "$tmp/err" || fail "$b: $(cat "$tmp/err")"
done

# What an honest scanner may find in an odd file: listed, described, and read
# or refused; nobody falls over the numbers.
for seed in "$srcdir"/tests/fuzz/corpus/catalog/array-*; do
	b=$(basename "$seed")
	answer "$b" 2 1
	patchfs cat "$tmp/src/$b.h5" a/info.json >"$tmp/out" 2>"$tmp/err" ||
		fail "$b: info.json: $(cat "$tmp/err")"
	for p in a/array.npy a/slices/000000.npy 'a/patches+size-2x2x2/0.json' \
		a/random+size-2x2x2/0.npy a/chunks.json; do
		rc=0
		patchfs cat "$tmp/src/$b.h5" "$p" >"$tmp/out" 2>"$tmp/err" ||
			rc=$?
		test $rc -le 3 || fail "$b: $p: $rc, $(cat "$tmp/err")"
	done
	rm "$tmp/src/$b.h5"
done

expect_log 'HDF5 scanner|of memory|: not shown:|good.h5: (c: its data lie|again: something)'
# --core: its descriptors can be counted by any user.
mount_volume --core --cache-size=64M "$tmp/src"
fds() { find "/proc/$daemon/fd" -type l | wc -l; }
ls "$mnt/good" >"$tmp/list"
grep -qx group "$tmp/list" || fail "good: $(cat "$tmp/list")"
for b in $bad; do
	test "$(ls "$mnt/$b")" = info.json || fail "$b: $(ls "$mnt/$b")"
	grep -q "$(reason "$b")" "$mnt/$b/info.json" ||
		fail "$b: $(cat "$mnt/$b/info.json")"
done
# One that waits for nothing may do so because the machine is slow.
rc=0
ls "$mnt/hang" >"$tmp/out" 2>"$tmp/err" || rc=$?
test $rc -ne 0 || fail "hang: $(cat "$tmp/out")"
grep -q 'Input/output error' "$tmp/err" || fail "hang: $(cat "$tmp/err")"
grep -q 'hang.h5: the HDF5 scanner gave no result within 10 s' "$tmp/log" ||
	fail "hang: no line in the log"
no_scanner_is_left
before=$(fds)
for b in $bad; do
	test "$(ls "$mnt/$b")" = info.json || fail "$b: $(ls "$mnt/$b")"
	cmp "$mnt/$b.h5" "$tmp/src/$b.h5" || fail "$b.h5 does not pass through"
done
test "$(fds)" -le "$before" || fail "descriptors: $before, then $(fds)"
test "$(stat_value scans_failed)" -ge 9 || fail "scans_failed"
umount_volume

# A server that is killed leaves no process that computes for nobody.
mount_volume "$tmp/src"
cat "$mnt/spin/x" >"$tmp/out" 2>&1 &
reader=$!
# It has the name of its program until it has loaded it.
for ((i = 0; ; i++)); do
	forks=$(pgrep -x -P "$daemon" patchfs-forks) &&
		scan=$(pgrep -x -P "$daemon" patchfs-scan) && break
	test $i -lt $((400 * slow)) || fail "no scanner"
	sleep 0.05
done
kill -KILL "$daemon"
ends "$scan" $((3 * slow)) || fail "a scanner outlives its server"
ends "$forks" $((3 * slow)) || fail "patchfs-forks outlives its server"
wait $reader || :
wait "$daemon" || :
daemon=
fusermount3 -u "$mnt"
