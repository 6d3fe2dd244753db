#!/bin/bash
# SPDX-License-Identifier: MIT
# Headers of .npy files are the very bytes that NumPy writes.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py numpy

cat >"$tmp/npy.py" <<'EOF'
import io, math, random, sys
import numpy as np

types = "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1".split()
shapes = [(), (0,), (5,), (0, 3), (1,) * 8, (0,) * 8, (7,) * 8,
          (512, 736), (130, 512, 512), (2304, 736, 1000), (10**18,),
          (10**3, 10**3, 10**2, 10**2, 10**2, 10**2, 10, 1)]
r = random.Random(5)
for rank in range(9):
    for _ in range(20):
        shapes.append(tuple(r.choice((0, 1, r.randint(1, 9), r.randint(1, 200)))
                            for _ in range(rank)))
shapes = [s for s in shapes if math.prod(x or 1 for x in s) * 8 < 2**63 - 128]

for t in types:
    for shape in shapes:
        dtype = np.dtype("bool" if t == "b1" else "<" + t)
        if sys.argv[1] == "lines":
            print(t[0], t[1], *shape)
            continue
        f = io.BytesIO()
        # What numpy.save writes first; the values need not exist for it.
        d = np.lib.format.header_data_from_array_1_0(np.empty(0, dtype))
        d["shape"] = shape
        np.lib.format.write_array_header_1_0(f, d)
        print(f.getvalue().hex(),
              len(f.getvalue()) + math.prod(shape) * dtype.itemsize)
        # And it reads back as what it was.
        f.seek(0)
        np.lib.format.read_magic(f)
        assert np.lib.format.read_array_header_1_0(f) == (shape, False, dtype)
EOF
python "$tmp/npy.py" lines >"$tmp/lines"
python "$tmp/npy.py" headers >"$tmp/numpy"
"$builddir/run" "$builddir/tests/cli/answers" headers <"$tmp/lines" \
	>"$tmp/ours"
test -s "$tmp/ours" || fail "no answers"
diff "$tmp/numpy" "$tmp/ours" || fail "NumPy (<) and we (>) differ"
