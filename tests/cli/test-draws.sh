#!/bin/bash
# SPDX-License-Identifier: MIT
# Corners of random views against NumPy's Philox: the manual's table, and many
# seeds, numbers, shapes and sizes made up here.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py numpy

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
python - "$seed" >"$tmp/lines" <<'EOF'
import random, sys
r = random.Random(int(sys.argv[1]))
for _ in range(1500):
    rank = r.randint(1, 8)
    shape = [r.choice((1, r.randint(1, 20), r.randint(1, 10**r.randint(1, 7))))
             for _ in range(rank)]
    kept = r.randint(1, rank)
    size = ["all" if r.random() < 0.2 else r.randint(1, d)
            for d in shape[rank - kept:]]
    print(r.choice((0, r.randint(0, 99), r.randrange(2**64))),
          r.choice((r.randint(0, 99), 2**32 + r.randint(-2, 2),
                    r.randrange(2**36), 2**36 - 1)),
          "x".join(map(str, shape)), "x".join(map(str, size)))
EOF

# Lines of the manual: SEED DRAW SHAPE SIZE (CORNER), verbatim.
manual=$srcdir/man/patchfs-views.pod
pattern='^[[:space:]]+[0-9]+ +[0-9]+ +[0-9x]+ +[0-9alx]+ +\([0-9,]+\)$'
: >"$tmp/manual"
if test -e "$manual"; then
	grep -E "$pattern" "$manual" | tr -s ' \t' ' ' | sed 's/^ //' \
		>"$tmp/manual" || fail "no known answers in $manual"
	test "$(wc -l <"$tmp/manual")" -ge 10 || fail "too few known answers"
	sed 's/ ([^)]*)$//' "$tmp/manual" >>"$tmp/lines"
fi

python "$srcdir/tests/cli/draws.py" <"$tmp/lines" >"$tmp/numpy"
"$builddir/run" "$builddir/tests/cli/answers" draws <"$tmp/lines" >"$tmp/ours"
test -s "$tmp/ours" || fail "no answers"
diff "$tmp/numpy" "$tmp/ours" || fail "NumPy (<) and we (>) differ"
tail -n "$(wc -l <"$tmp/manual")" "$tmp/ours" | diff "$tmp/manual" - ||
	fail "the manual (<) and we (>) differ"
