#!/bin/bash
# SPDX-License-Identifier: MIT
# Label arrays that are not found: which there are, what was passed over and
# why, and how the slash of a path is written; and in the log of a mount why
# --view is not listed.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
mkdir "$tmp/src"
python - "$tmp/src" <<'END'
import sys
import h5py
import numpy as np
a = np.arange(6 * 8 * 9).reshape(6, 8, 9)
for case in "ab":
    with h5py.File("%s/%s.h5" % (sys.argv[1], case), "w") as f:
        f["image"] = a.astype("f4")
        f["organs"] = (a % 3).astype("u1")
        f["deep/bones"] = (a % 2).astype("i2")
        f["deep/image"] = a.astype("f4")
        f["deep/mask"] = (a % 2).astype("u1")
        f["twice"] = f["deep/twice"] = (a % 2).astype("u1")
        f["seg"] = (a % 3).astype("f4")            # no integers
        f["Labels"] = (a[:5] % 3).astype("u1")     # another shape
        f["short"] = (a[:5] % 3).astype("u1")
with h5py.File("%s/many.h5" % sys.argv[1], "w") as f:
    f["image"] = a.astype("f4")
    for i in range(40):
        f["part%02d" % i] = (a % 2).astype("u1")
END
cp "$srcdir/tests/data/medh5/blocks_archive.medh5" "$tmp/src"

# says VIEW WORDS...: ls, cat and info of the view say that, in one line.
says() {
	local view=$1 cmd rc word
	shift
	for cmd in ls cat info; do
		rc=0
		patchfs $cmd "$tmp/src" "$view" >"$tmp/out" 2>"$tmp/err" || rc=$?
		test $rc -eq 1 || fail "$cmd $view: status $rc"
		test "$(wc -l <"$tmp/err")" -eq 1 || fail "$view: $(<"$tmp/err")"
		for word; do
			grep -qF -- "$word" "$tmp/err" ||
				fail "$cmd $view: not '$word': $(<"$tmp/err")"
		done
	done
}
fg=foreground+size-4x4x4
says a/image/$fg 'no label array beside it' \
	'; the extents of Labels are not those of the array' \
	'; seg is no array of integers or bools' \
	'; name one with labels-A; there are bones, mask, deep%2Ftwice, organs, twice'
! grep -q short "$tmp/err" || fail "$(<"$tmp/err")"
says a/image/$fg+labels-organ 'no label array "organ"; there are organs, '
says a/image/$fg+labels-nothing 'there are bones, mask, deep%2Ftwice, organs, twice'
says a/image/$fg+labels-seg ': seg is no array of integers or bools'
# The default has a name too. All are names that the key takes.
says a/deep/image/$fg+labels-maks \
	'; there are mask, bones, twice, organs, ..%2Ftwice'
for name in mask bones twice organs ..%2Ftwice; do
	patchfs ls "$tmp/src" a/deep/image/$fg+labels-$name >"$tmp/out" ||
		fail "$name, which was named"
done
# A path is cut at its slash.
for end in / /b/organs; do
	says a/image/$fg+labels-..$end \
		'no label array "..", which is a directory' \
		'a / in a path is written %2F, as in labels-..%2FNAME'
done
says a/image/$fg+labels-deep/bones 'no label array "deep", which is a directory'
patchfs ls "$tmp/src" a/image/$fg+labels-..%2Fb%2Forgans >"$tmp/out" ||
	fail "another file"
says many/image/$fg+labels-x 'there are part00, part01, part02, part03, part04, ...'
says many/image/$fg+labels-part039 'there are part03, part00, '
# Of a medh5 sample the annotations, not what they are made of, nor images.
ct=blocks_archive/images/CT
says $ct/foreground+size-4x4x4+labels-organ 'no label array "organ"; there are organs'
test "$(sed 's/.*there are //' "$tmp/err")" = organs || fail "$(<"$tmp/err")"

# --view that an array cannot show: why, once for each at level info; a class
# that nobody knows once for a view, at any level.
test -w /dev/fuse || exit 0
expect_log 'is not listed|no view'
views="--view=$fg+class-livr --view=$fg+labels-organs --view=slices+axis-2"
list_all() {
	for _ in 1 2; do
		find "$mnt" -mindepth 1 -maxdepth 4 >"$tmp/find" || fail "find"
	done
}
# shellcheck disable=SC2086  # options
mount_volume $views "$tmp/src"
list_all
test "$(grep -c ' is not listed: ' "$tmp/log")" -eq 1 || fail "$(<"$tmp/log")"
grep -q 'class-livr is not listed: no class "livr"; ' "$tmp/log" ||
	fail "$(<"$tmp/log")"
umount_volume || fail "umount"
# shellcheck disable=SC2086
mount_volume --log-level=info $views "$tmp/src"
list_all
for line in "a.h5: /image: --view=$fg+class-livr is not listed: no label array" \
	"many.h5: /image: --view=$fg+labels-organs is not listed: no label array" \
	"medh5: /images/CT: --view=$fg+class-livr is not listed: no class"; do
	test "$(grep -cF "$line" "$tmp/log")" -eq 1 || fail "not one '$line': \
$(grep listed "$tmp/log")"
done
! grep 'axis-2 is not listed' "$tmp/log" || fail "of a view that fits"
