#!/bin/bash
# SPDX-License-Identifier: MIT
# Sampling indices under a budget that a few of many fill: those used last stay,
# what left is read from its file and not built again, and draws are those of a
# mount that holds them all.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
budget=$((768 << 10))
mkdir "$tmp/src"
run() { python "$srcdir/tests/e2e/index_budget.py" "$@" || fail "see above"; }
run make "$tmp/src"

mount_volume "$tmp/src"
run draws "$mnt" "$tmp/src" "$tmp/draws"
test "$(stat_value indices_built)" -eq 210 ||
	fail "built $(stat_value indices_built)"
test "$(stat_value index_bytes)" -gt $((8 * budget)) ||
	fail "all take $(stat_value index_bytes)"
umount_volume || fail "umount"

# Ahead: the one that takes more than half is a line, the others are kept.
rc=0
patchfs index --index-dir="$tmp/dir" --index-size=$budget "$tmp/src" \
	>"$tmp/out" 2>"$tmp/err" || rc=$?
test $rc -eq 3 || fail "index: $rc: $(<"$tmp/err")"
test "$(grep -c ': indexed$' "$tmp/out")" -eq 210 || fail "$(<"$tmp/out")"
grep -q 'large.h5: /case/label: .*--index-size' "$tmp/err" ||
	fail "$(<"$tmp/err")"
test "$(wc -l <"$tmp/err")" -eq 2 || fail "$(<"$tmp/err")"
test "$(find "$tmp/dir" -type f | wc -l)" -eq 210 || fail "not all are kept"

expect_log '--index-size|large.h5'
for kept in kept built; do
	dir=
	test $kept = built || dir=--index-dir=$tmp/dir
	mount_volume --index-size=$budget ${dir:+"$dir"} "$tmp/src"
	run budget "$mnt" "$tmp/draws" $budget $kept
	# Readers of what all of them have do not take it from each other.
	readers=()
	for i in 1 2 3 4 5 6 7 8; do
		timeout $((60 * slow)) cat "$mnt/.patchfs/classes.csv" \
			>"$tmp/csv.$i" &
		readers+=($!)
	done
	for i in "${readers[@]}"; do wait "$i" || fail "classes.csv: $?"; done
	n=$(grep -c ',exact$' "$tmp/csv.1") || :
	test $kept = built || test "$n" -ge 210 || fail "classes of $n only"
	umount_volume || fail "umount"
done
test "$(grep -c 'large.h5.*--index-size' "$tmp/log")" -eq 2 ||
	fail "not told once in each mount"
