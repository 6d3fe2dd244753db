#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs list: what it prints is what the manual says, computed with NumPy;
# shares are equally long and make the whole; epochs bring what is new; what
# cannot be read is skipped with a line.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
src=$tmp/src
mkdir "$src"
python "$srcdir/tests/cli/list.py" "$src" make "$seed"
cases=$(find "$src" -name '*.h5' | wc -l)

# list [OPTION]...: to $tmp/out; what it says is fatal.
list() {
	patchfs list "$@" "$src" >"$tmp/out" 2>"$tmp/err" ||
		fail "list $*: status $?: $(<"$tmp/err")"
	test ! -s "$tmp/err" || fail "list $*: $(<"$tmp/err")"
}
# same VIEW ARRAY K EPOCH SEED I N REST: as computed from the manual's text.
same() {
	list --view="$1" --array="$2" --per-case="$3" --epoch="$4" \
		--seed="$5" --shard="$6/$7" --rest="$8"
	python "$srcdir/tests/cli/list.py" "$src" "$@" >"$tmp/want"
	diff "$tmp/want" "$tmp/out" >"$tmp/diff" ||
		fail "$*: $(head -n 5 "$tmp/diff")"
}
same random+size-1x4x4 image 1 0 0 0 1 repeat
same random+size-1x4x4 g/image 3 7 18446744073709551615 0 1 repeat
same slices image 1 0 0 0 1 repeat
same slices image 31 2 5 0 1 repeat # more than any case has
rests=(repeat drop keep)
for _ in $(seq 12); do
	n=$((1 + RANDOM % 30))
	view=slices
	test $((RANDOM % 2)) -eq 0 || view=random+size-1x3x3+seed-9
	same $view image $((1 + RANDOM % 9)) $((RANDOM % 40)) "$RANDOM" \
		$((RANDOM % n)) $n "${rests[RANDOM % 3]}"
done

# Shares: equally long, one after the other the whole epoch.
common=(--view=random+size-1x4x4 --array=image --per-case=3 --epoch=5)
list "${common[@]}"
cp "$tmp/out" "$tmp/whole"
total=$(wc -l <"$tmp/whole")
test "$total" -eq $((3 * cases)) || fail "$total lines of $cases cases"
for n in 2 3 7 $((total + 5)); do
	for rest in repeat drop keep; do
		: >"$tmp/all"
		: >"$tmp/counts"
		shares=$(seq 0 $((n - 1)))
		test $n -lt 10 || shares="0 1 $((n - 1))"
		for i in $shares; do
			list "${common[@]}" --shard="$i/$n" --rest=$rest
			cat "$tmp/out" >>"$tmp/all"
			wc -l <"$tmp/out" >>"$tmp/counts"
		done
		test $rest = keep ||
			test "$(sort -u "$tmp/counts" | wc -l)" -eq 1 ||
			fail "$rest: shares of $n differ: $(xargs <"$tmp/counts")"
		test $n -lt 10 || continue
		case $rest in
		keep) diff "$tmp/whole" "$tmp/all" ;;
		repeat) head -n "$total" "$tmp/all" | diff "$tmp/whole" - ;;
		drop) head -n "$(wc -l <"$tmp/all")" "$tmp/whole" |
			diff - "$tmp/all" ;;
		esac >"$tmp/diff" || fail "$rest: $n shares: $(<"$tmp/diff")"
	done
done
SLURM_PROCID=2 SLURM_NTASKS=4 list "${common[@]}" --shard=slurm
cp "$tmp/out" "$tmp/slurm"
list "${common[@]}" --shard=2/4
cmp -s "$tmp/out" "$tmp/slurm" || fail "--shard=slurm"

# The items of a case stand together.
test "$(cut -d/ -f 1- "$tmp/whole" | sed 's,/image/.*,,' | uniq | wc -l)" \
	-eq "$cases" || fail "cases are torn apart"

# Epochs: no draw comes again, and the cases come in another order.
: >"$tmp/all"
for e in 0 1 2 3; do
	list "${common[@]}" --epoch=$e
	cat "$tmp/out" >>"$tmp/all"
	sed 's,/image/.*,,' "$tmp/out" | uniq | tr '\n' ' ' >>"$tmp/orders"
	echo >>"$tmp/orders"
done
test "$(sort "$tmp/all" | uniq -d | wc -l)" -eq 0 || fail "a draw came again"
test "$(sort -u "$tmp/orders" | wc -l)" -eq 4 || fail "one order for all epochs"
# Slices: none comes again before it must; here after n epochs of one.
n=$(python -c 'import json, sys
print(json.load(open(sys.argv[1]))["a"])' "$src/shapes.json")
for e in $(seq 0 $((n - 1))); do
	list --view=slices --array=image --epoch="$e"
	grep '^a/' "$tmp/out"
done | sort -u >"$tmp/a"
test "$(wc -l <"$tmp/a")" -eq "$n" || fail "slices of a: $(wc -l <"$tmp/a")"

# Every line is the name of an item, spelled as in the mount.
list --view=random+seed-0+size-1x3x4+count-0 --per-case=2
test "$(wc -l <"$tmp/out")" -eq $((4 * cases)) || fail "two arrays a case"
! grep -v '/random+size-1x3x4/00000[01].npy$' "$tmp/out" || fail "no canonical name"
while read -r path; do
	size=$(patchfs cat "$src" "$path" | wc -c)
	test "$size" -eq $((128 + 1 * 3 * 4)) || fail "$path: $size bytes"
done < <(head -n 4 "$tmp/out")
list --view=slices --array='*/image'
test "$(wc -l <"$tmp/out")" -eq "$cases" || fail "a pattern with a slash"
# Several patterns: what any of them is like, once.
for array in image z; do
	list --view=slices --array=$array
	cat "$tmp/out"
done | sed 's,/slices/.*,,' | sort >"$tmp/want"
list --view=slices --array=image --array=z --array='imag?'
sed 's,/slices/.*,,' "$tmp/out" | sort | diff "$tmp/want" - >"$tmp/diff" ||
	fail "two patterns: $(<"$tmp/diff")"
patchfs list --view=slices "$src/a.h5" >"$tmp/out"
test "$(sed 's,/slices/.*,,' "$tmp/out" | sort | xargs)" = "g/image image z" ||
	fail "a single container: $(<"$tmp/out")"

# What cannot be read: a line each, and the others.
head -c 3000 "$src/a.h5" >"$src/cut.h5"
echo text >"$src/text.h5"
rc=0
patchfs list --view=slices --array=image "$src" >"$tmp/out" 2>"$tmp/err" || rc=$?
test $rc -eq 3 || fail "status $rc with two that cannot be read"
test "$(wc -l <"$tmp/out")" -eq "$cases" || fail "the others: $(<"$tmp/out")"
test "$(wc -l <"$tmp/err")" -eq 2 || fail "$(<"$tmp/err")"
grep -q 'cut.h5: truncated' "$tmp/err" || fail "$(<"$tmp/err")"
rm "$src/cut.h5" "$src/text.h5"
# No scanner: each container is named once.
rc=0
PATCHFS_LIBEXECDIR=$tmp/none "$builddir/patchfs" list --view=slices \
	--array=image "$src" >"$tmp/out" 2>"$tmp/err" || rc=$?
test $rc -eq 3 || fail "status $rc without a scanner"
test "$(grep -c 'cannot be started' "$tmp/err")" -eq "$cases" ||
	fail "without a scanner: $(<"$tmp/err")"
test "$(wc -l <"$tmp/err")" -eq $((cases + 1)) || fail "$(<"$tmp/err")"
grep -q 'no array image of SRC' "$tmp/err" || fail "$(<"$tmp/err")"
# Without a pattern an array that has no such view is nobody's fault.
list --view=slices+axis-1
test -s "$tmp/out" || fail "no slices along axis 1"
rc=0
patchfs list --view=slices+axis-1 --array='[iz]*' "$src" >"$tmp/out" \
	2>"$tmp/err" || rc=$?
test $rc -eq 3 || fail "status $rc with arrays without the view"
test "$(wc -l <"$tmp/out")" -eq "$cases" || fail "the others: $(<"$tmp/out")"
test "$(wc -l <"$tmp/err")" -eq "$cases" || fail "$(<"$tmp/err")"
grep -q '/z: no view slices+axis-1: ' "$tmp/err" || fail "$(<"$tmp/err")"

# Arguments: one line, nothing on stdout.
refuses() { # STATUS WORDS ARGUMENT...
	local want=$1 words=$2 rc=0
	shift 2
	patchfs list "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq "$want" || fail "$*: status $rc, not $want"
	test ! -s "$tmp/out" || fail "$*: $(<"$tmp/out")"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$*: $(<"$tmp/err")"
	grep -qF -- "$words" "$tmp/err" || fail "$*: $(<"$tmp/err")"
}
view=--view=random+size-1x4x4
refuses 2 'which --view?' "$src"
refuses 2 'which SRC?' $view
refuses 2 'one SRC' $view "$src" "$src"
refuses 2 'named by their corner' --view=crops+size-4x4x4 "$src"
refuses 2 'not the name of a view: views begin with slices, ' --view=nonsense "$src"
refuses 2 'no size' --view=random "$src"
refuses 2 --per-case $view --per-case=0 "$src"
refuses 2 --epoch $view --epoch=-1 "$src"
refuses 2 --seed $view --seed=18446744073709551616 "$src"
refuses 2 --rest $view --rest=some "$src"
for shard in 2/2 1 1/ /2 0/0 -1/2 a/b 1/2/3; do
	refuses 2 "$shard" $view --shard=$shard "$src"
done
(
	unset SLURM_PROCID SLURM_NTASKS
	refuses 2 'SLURM_PROCID is not set' $view --shard=slurm "$src"
	export SLURM_PROCID=4 SLURM_NTASKS=4
	refuses 2 'SLURM_NTASKS 4' $view --shard=slurm "$src"
)
refuses 2 'draws are below 68719476736' $view --epoch=68719476736 "$src"
refuses 2 'too large' $view --epoch=18446744073709551615 --per-case=2 "$src"
refuses 1 'no array nothing' $view --array=nothing "$src"
refuses 1 'no array nothing or none of SRC' $view --array=nothing \
	--array=none "$src"
refuses 1 'no array' --view=random+size-400x4x4 "$src"
