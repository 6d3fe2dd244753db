#!/bin/bash
# SPDX-License-Identifier: MIT
# Foreground draws, from coin to window, against NumPy's Philox: seeds, numbers,
# fractions, weights, borders and sizes made up here.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py numpy

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
python - "$seed" >"$tmp/lines" <<'EOF'
import random, sys
r = random.Random(int(sys.argv[1]))
for _ in range(1500):
    shape = (12, 16, 20)
    kept = r.randint(1, 3)
    size = [r.choice((n, r.randint(1, n))) for n in shape[3 - kept:]]
    ids = sorted(r.sample((1, 2, 3), r.randint(1, 3)))
    given = ",".join("%d@%r" % (c, r.choice((0.0, 1.0, r.random(),
                                             r.random() * 1e-9)))
                     for c in ids)
    print(r.choice((0, r.randint(0, 99), r.randrange(2**64))),
          r.choice((r.randint(0, 99), r.randrange(2**36), 2**36 - 1)),
          repr(r.choice((1.0, 0.0, 0.5, r.random()))),
          r.choice(("uniform", "frequency", "inverse", given)),
          r.choice(("clamp", "inside", "pad")), "x".join(map(str, size)))
EOF
# Draws that were promised once: neither we nor NumPy may ever say otherwise.
cat >"$tmp/known" <<'EOF'
0 0 1 uniform clamp 4x5x6 1 (8,12,9) (6,10,6)
0 17 1 frequency clamp 8x8x8 1 (8,0,6) (4,0,2)
3 4 1 inverse clamp 5x7x9 3 (4,0,10) (2,0,6)
7 4294967301 1 1@0.5,3@2 inside 6x6x6 1 (6,12,13) (3,9,10)
42 5 1 uniform inside 12x15x20 - (6,8,10) (0,1,0)
1 1000001 0.5 uniform clamp 4x4x4 - (3,9,16) (1,7,14)
1 1000002 0.5 uniform clamp 4x4x4 2 (5,12,18) (3,10,16)
18446744073709551615 68719476735 1 frequency pad 12x16x20 2 (8,14,7) (2,6,-3)
5 9 1 inverse pad 7x8 3 (4,14,2) (4,11,-2)
5 10 0.25 2@1 clamp 16x10 2 (8,0,8) (8,0,3)
EOF
cut -d' ' -f1-6 "$tmp/known" >>"$tmp/lines"
python "$srcdir/tests/cli/foreground.py" <"$tmp/lines" >"$tmp/numpy"
"$builddir/run" "$builddir/tests/cli/answers" foreground <"$tmp/lines" \
	>"$tmp/ours"
test -s "$tmp/ours" || fail "no answers"
for border in clamp inside pad; do
	for class in - 1 2 3; do
		grep -Eq " $border [0-9x]+ $class " "$tmp/ours" ||
			fail "no draw of class $class with $border"
	done
done
diff "$tmp/numpy" "$tmp/ours" || fail "NumPy (<) and we (>) differ"
tail -n 10 "$tmp/ours" | diff "$tmp/known" - ||
	fail "what is promised (<) and what we say (>) differ"
