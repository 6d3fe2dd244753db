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
# What the manual promises: neither we nor NumPy may ever say otherwise.
sed -n '/^=head2 Foreground draws/,/^=head1/s/^    \([0-9].*([-0-9,]*)\)$/\1/p' \
	"$srcdir/man/patchfs-views.pod" >"$tmp/known"
test "$(wc -l <"$tmp/known")" -ge 10 || fail "too few answers in the manual"
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
tail -n "$(wc -l <"$tmp/known")" "$tmp/ours" | diff "$tmp/known" - ||
	fail "what is promised (<) and what we say (>) differ"
