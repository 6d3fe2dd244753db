#!/bin/bash
# SPDX-License-Identifier: MIT
# Odd names and odd files, and the tools that walk: find, du, tar, rsync, cp,
# glob end well; find and du decode nothing.
. "$srcdir/tests/lib.sh"
make_data names pairs
expect_log 'empty|text|secret|loop|dangling|odd|up:|no view|no item'
mount_volume "$tmp/src"
n=$mnt/names

# The tools first, while nothing is decoded.
find "$mnt" -ls >"$tmp/find" || fail "find"
du -s "$mnt" >/dev/null || fail "du"
test "$(stat_value units_decoded)" -eq 0 || fail "find or du decoded"
# Reads of containers that cannot be read, and of files that cannot, fail.
tar -C "$mnt" -cf "$tmp/t.tar" pairs names/odd || fail "tar"
rm "$tmp/t.tar"
if command -v rsync >/dev/null; then
	rsync -an "$mnt/" "$tmp/nowhere" || fail "rsync"
fi
mkdir "$tmp/copy"
cp -r "$n/odd" "$mnt/pairs" "$tmp/copy" || fail "cp -r"
diff -r "$n/odd" "$tmp/copy/odd" >/dev/null || fail "cp -r: differs"
chmod -R u+w "$tmp/copy" # as read-only as the mount: not to be removed

python - "$srcdir" "$tmp/src/names" "$n" <<'END' || fail "see above"
import glob, os, stat, sys
sys.path.insert(0, sys.argv[1] + "/tests/data")
import h5py, numpy as np
from names import encode
src, mnt = os.fsencode(sys.argv[2]), os.fsencode(sys.argv[3])

names = glob.glob(os.fsdecode(mnt) + "/**", recursive=True)
assert len(names) == len(set(names)) > 50, len(names)

# Inside a container: every member under its encoded name, and right.
with h5py.File(src + b"/odd.h5") as f:
    for raw in f.id:
        o = h5py.h5o.open(f.id, raw)
        p = mnt + b"/odd/" + encode(raw)
        assert os.path.isdir(p), (raw, p)
        if isinstance(o, h5py.h5d.DatasetID):
            want = h5py.Dataset(o)[()]
            assert (np.load(p + b"/array.npy") == want).all(), raw
    want = {encode(raw) for raw in f.id} | {b"info.json"}
    assert set(os.listdir(mnt + b"/odd")) == want
    assert all(len(e) <= 255 for e in want)
    # The grammar of views never applies to members of a group.
    g = set(os.listdir(mnt + b"/odd/group"))
    assert g == {encode(b"slices"), encode(b"info.json")}, g
    assert np.load(mnt + b"/odd/group/slices/array.npy/array.npy").shape == (
        2, 2)

def kind(name):
    try:
        m = os.stat(mnt + b"/" + name).st_mode
    except OSError:
        return None
    return "d" if stat.S_ISDIR(m) else "f"

# A directory and two containers of one name: the plain name is the
# directory's, both containers are NAME.EXT.d.
assert kind(b"train") == "d" and os.listdir(mnt + b"/train") == [b"note.txt"]
for name, value in ((b"train.h5", 8), (b"train.hdf5", 10)):
    assert kind(name) == "f"
    a = np.load(mnt + b"/" + name + b".d/x/array.npy")
    assert (a == value).all()
assert np.load(mnt + b"/UPPER/x/array.npy").shape == (2, 2)
assert os.path.islink(mnt + b"/UPPER.H5.d")
assert b"UPPER.H5.d" not in os.listdir(mnt)
assert np.load(mnt + b"/no_extension.d/x/array.npy").all()
assert kind(b"no_extension") == "f" and b"no_extension.d" not in os.listdir(mnt)

# Files that are no containers have a directory with info.json alone.
for name in (b"empty", b"text"):
    assert os.listdir(mnt + b"/" + name) == [b"info.json"], name
    assert os.path.getsize(mnt + b"/" + name + b".h5") == os.path.getsize(
        src + b"/" + name + b".h5")
# No fifos, sockets, and no links that lead nowhere.
listed = set(os.listdir(mnt))
for name in (b"fifo", b"socket", b"dangling", b"loop"):
    assert kind(name) is None and name not in listed, name
assert (np.load(mnt + b"/linked/x/array.npy") == 8).all()
assert os.listdir(mnt + b"/linkdir") == [b"note.txt"]
for name in (b"bad\xff\xfe.txt", b"new\nline.txt", b"l" * 255):
    with open(mnt + b"/" + name) as f, open(src + b"/" + name) as g:
        assert f.read() == g.read()

# What is not there is not there, in whatever form.
for name in (b"nothing", b"train.h5.e", b".d", b"x" * 255, b"odd/slices/x",
             b"pairs", b"odd/a+b-c/slices+axis-9", b"odd/a+b-c/slices+no-1",
             b"odd/a+b-c/slices/000002.npy", b"odd/a+b-c/slices/-1.npy",
             b"odd/a+b-c/slices/0x1.npy", b"odd/a+b-c/slices/1.xyz",
             b"odd/a+b-c/slices/99999999999999999999999.npy",
             b"odd/a+b-c/patches+size-3x3/000000.npy",
             b"odd/a+b-c/random+size-2x2/68719476736.npy"):
    assert kind(name) is None, name
END

# A value that is the default may be written out, also where it means nothing;
# another value then is no view, and the log says why, once.
x=$n/UPPER/x/patches+size-1x2
test "$(readlink "$x+pad-0")" = patches+size-1x2 || fail "pad-0"
test "$(readlink "$x+border-snap+pad-0")" = patches+size-1x2 || fail "pad-0"
for i in 1 2; do
	test ! -e "$x+pad-7" || fail "pad-7 without border-pad"
	test ! -e "$x+border-snap+pad-7" || fail "pad-7 with border-snap"
done
test -d "$x+border-pad+pad-7" || fail "pad-7 with border-pad"
# Of items that are not there one line a view says which are; of misspelt kinds
# one line says what they are. What programs look for by habit is no mistake.
s=$n/UPPER/x/slices
before=$(wc -l <"$tmp/log")
for name in .git info array .hidden.npy x.npy index.html slice patchs foregrund \
	slices/.git slices/info slices/000000 slices/x.npy slices/.npy; do
	test ! -e "$n/UPPER/x/$name" || fail "there is $name"
done
test "$(wc -l <"$tmp/log")" -eq "$before" || fail "$(tail -n 3 "$tmp/log")"
items=$(find "$s" -name '*.npy' | wc -l)
for i in $(seq 0 $((items + 20))); do
	test ! -e "$s/$(printf %06d $((items + i))).npy" || fail "$i more items"
	test ! -e "$n/UPPER/x/foregrund+size-1x$((i + 1))" || fail "foregrund"
done
test "$(grep -c 'x: no item slices/' "$tmp/log")" -eq 1 || fail "not one line"
grep -q "x: no item slices/$(printf %06d.npy "$items"): there are 000000.npy to \
$(printf %06d.npy $((items - 1)))\$" "$tmp/log" || fail "$(tail -n 3 "$tmp/log")"
test "$(grep -c 'foregrund' "$tmp/log")" -eq 1 || fail "not one line"
grep -q 'x: no view foregrund+size-1x1: views begin with foreground, slices' \
	"$tmp/log" || fail "$(tail -n 3 "$tmp/log")"
test "$(grep -c 'size-1x2+pad-7: pad-7 needs border-pad' "$tmp/log")" -eq 1 ||
	fail "not one line says that pad-7 needs border-pad"
