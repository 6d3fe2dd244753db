#!/bin/bash
# SPDX-License-Identifier: MIT
# Each fuzz target survives its corpus; each has one, and nothing else does.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"

corpus=$srcdir/tests/fuzz/corpus
n=0
for dir in "$corpus"/*/; do
	t=$(basename "$dir")
	program=$builddir/tests/fuzz/fuzz_$t
	test -x "$program" || fail "no program for the corpus of $t"
	"$builddir/run" "$program" "$dir"* >"$tmp/out" 2>&1 ||
		fail "$t: $(cat "$tmp/out")"
	n=$((n + 1))
done
test $n -gt 0 || fail "no corpus in $corpus"
for program in "$builddir"/tests/fuzz/fuzz_*; do
	case $program in
	*.[a-z]*) continue ;; # objects
	esac
	t=${program##*/fuzz_}
	test -d "$corpus/$t" || fail "no corpus for the program of $t"
done
