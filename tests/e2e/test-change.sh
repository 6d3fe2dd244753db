#!/bin/bash
# SPDX-License-Identifier: MIT
# Sources that change under load: replaced by rename, linked, chmod, appended
# to, truncated, rewritten in place. No file ever mixes two versions.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
expect_log 'changed|replaced|stale|ESTALE|[a-f]\.h5|plain.bin'
cat >"$tmp/make.py" <<'END'
import sys
import h5py, numpy as np
for path in sys.argv[2:]:
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=np.full((64, 40, 50), int(sys.argv[1]), "<i4"),
                         chunks=(2, 20, 50), compression="gzip")
END
mkdir "$tmp/src" "$tmp/new"
python "$tmp/make.py" 1 "$tmp"/src/{a,b,c,d,e,f}.h5
python "$tmp/make.py" 2 "$tmp"/new/{a,f}.h5
touch -d '1 hour ago' "$tmp"/src/*.h5
head -c 2M /dev/zero >"$tmp/src/plain.bin"
mount_volume --cache-size=300K "$tmp/src"

cat >"$tmp/reader.py" <<'END'
import errno, os, random, sys, time
mnt, stop, seed = sys.argv[1:4]
rng, reads, stale = random.Random(seed), 0, {}
while not os.path.exists(stop) or reads < 500:
    f = rng.choice("abcdef")
    view = rng.choice(("slices/%06d" % rng.randrange(64),
                       "slices+axis-1/%06d" % rng.randrange(40),
                       "random+size-3x30x30/%06d" % rng.randrange(1000)))
    try:
        with open("%s/%s/x/%s.npy" % (mnt, f, view), "rb") as g:
            data = g.read()[128:]
    except OSError as e:
        # ENOENT and ESTALE at a lookup, ESTALE or EIO at a read.
        assert f in "def" and e.errno in (
            errno.ESTALE, errno.EIO), (f, view, e)
        stale[f] = stale.get(f, 0) + 1
        continue
    reads += 1
    versions = set(memoryview(data).cast("i"))
    assert versions == {1}, "%s/%s holds %r" % (f, view, versions)
assert set(stale) <= set("def"), stale
print("reader %s: %d reads, %r" % (seed, reads, stale))
END
readers=()
for i in 1 2 3; do
	python "$tmp/reader.py" "$mnt" "$tmp/stop" $i &
	readers+=($!)
done
wait_reads() { # until the readers have read more
	local before now
	before=$(stat_value requests_read)
	while now=$(stat_value requests_read); test "$now" -lt $((before + 150)); do
		for p in "${readers[@]}"; do kill -0 "$p" 2>/dev/null || return 0; done
	done
}
wait_reads
head -c 4096 "$mnt/plain.bin" | cmp -n 4096 - "$tmp/src/plain.bin" || fail "plain"
mv "$tmp/new/a.h5" "$tmp/src/a.h5"    # served on from the descriptor
ln "$tmp/src/b.h5" "$tmp/b-link"      # nothing
chmod 600 "$tmp/src/c.h5"             # nothing
wait_reads
echo more >>"$tmp/src/d.h5"
echo more >>"$tmp/src/plain.bin"
truncate -s -1000 "$tmp/src/e.h5"
cat "$tmp/new/f.h5" >"$tmp/src/f.h5"
wait_reads
touch "$tmp/stop"
for p in "${readers[@]}"; do wait "$p" || fail "a reader failed"; done

# Nothing new of a changed file; all of the others.
python - "$mnt" <<'END' || fail "see above"
import errno, sys
import numpy as np
mnt = sys.argv[1]
for f in "abcdef":
    try:
        a = np.load("%s/%s/x/random+size-7x7x7+seed-99/000123.npy" % (mnt, f))
    except OSError as e:
        assert f in "def" and e.errno in (errno.ESTALE, errno.EIO), (f, e)
    else:
        assert f in "abc" and (a == 1).all(), f
END
! tail -c 4096 "$mnt/plain.bin" >"$tmp/tail" 2>&1 ||
	fail "the end of a file that has changed is read"
grep -q '^plain.bin: changed' "$mnt/.patchfs/problems" || fail "plain.bin is no problem"
grep -q 'd\.h5' "$mnt/.patchfs/problems" || fail "d.h5 is no problem"
test "$(stat_value sources_changed)" -ge 3 || fail "sources_changed"
