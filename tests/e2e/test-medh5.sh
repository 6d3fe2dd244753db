#!/bin/bash
# SPDX-License-Identifier: MIT
# medh5 files as what they mean: names and info.json of what other programs
# wrote, and each value, against what the package read; what is private, and
# what breaks the format.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
data=$srcdir/tests/data/medh5

# Private things in each place where they may be, links to them, and
# contradictions, each of which costs its own alone.
mkdir "$tmp/odd"
python - "$data/minor9_balanced.medh5" "$tmp/odd/case.medh5" <<'END'
import json, shutil, sys
import h5py, numpy as np
shutil.copyfile(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    c = f.create_group("clinical/SECRET")
    c["name"] = "SECRET"
    c["age"] = np.arange(5)
    c["away"] = h5py.ExternalLink("SECRET.h5", "/x")
    c.attrs["who"] = "SECRET"
    f["images/alias"] = f["clinical/SECRET/age"]
    f["more"] = f["clinical"]
    f["soft"] = h5py.SoftLink("/clinical/SECRET/age")
    meta = json.loads(f["meta"][()])
    meta["identity"] = {"subject_id": "SECRET"}
    meta["timepoints"] = [{"date": "SECRET"}]
    meta["cohort"] = {"group_id": "g7", "site": "SECRET"}
    meta["splits"] = [{"set_id": "s", "partition": "train", "fold": 2,
                       "by": "SECRET"}]
    # Beyond what is a value of other arrays.
    meta["extra"] = {"x": float("nan"), "free": "SECRET" * 5000}
    del f["meta"]
    f["meta"] = json.dumps(meta)
    a = f["annotations/organs"]
    f.copy(a, "annotations/bad")
    f["annotations/bad"].attrs["ignore_id"] = 1
    f.copy(a, "annotations/own")
    f["annotations/own/labels"] = np.arange(3)
    f["images/CT"].attrs["valid_mask"] = "nothing"
    a["doc"] = f["meta"]
END
expect_log 'medh5_version|W905|W913|"rle"|valid|a member labels|annotations/bad|no view'
mount_volume "$tmp/odd"
for n in clinical meta more images/alias annotations/organs/doc \
	soft/info.json clinical/SECRET clinical/SECRET/name/array.json; do
	test ! -e "$mnt/case/$n" || fail "$n is there"
	! patchfs cat "$tmp/odd/case.medh5" "$n" >"$tmp/out" 2>&1 ||
		fail "cat: $n is there"
done
find "$mnt/case" >"$tmp/names"
find "$mnt/case" -name '*.json' -exec cat {} + >"$tmp/json"
cat "$mnt/.patchfs/problems" "$mnt/.patchfs/index.csv" >"$tmp/told"
patchfs ls -R "$tmp/odd" >"$tmp/ls" 2>&1
patchfs info "$tmp/odd/case.medh5" >"$tmp/info" 2>&1
! grep -a SECRET "$tmp/json" "$tmp/told" "$tmp/info" "$tmp/log" ||
	fail "what is private is told"
# The text of a symbolic link that leads nowhere is all that names it.
! grep -v 'soft ->' "$tmp/names" "$tmp/ls" | grep SECRET ||
	fail "what is private is listed"
python - "$mnt/case" <<'END' || fail "see above"
import json, os, sys
import numpy as np
at = sys.argv[1]
info = json.load(open(at + "/info.json"))
assert info["group_id"] == "g7", info
assert info["splits"] == [{"set_id": "s", "partition": "train", "fold": 2}]
assert len(info["labels"]) == 7
assert info["values"] == {}, info["values"]

def fails(path):
    try:
        open(path, "rb").read()
    except OSError:
        return True

def problems(path):
    return json.load(open(at + "/" + path + "/info.json"))["problems"]

# What contradicts itself has names and a reason, and no values.
for n in ("labels", "classes/body", "ignore"):
    path = "annotations/bad/" + n
    if n == "ignore":
        assert not os.path.exists(at + "/" + path)
        continue
    assert fails(at + "/" + path + "/array.npy"), path
    assert "ignore_id 1 is a class" in problems(path)[0], problems(path)
assert fails(at + "/images/CT/valid/array.npy")
assert "valid_mask" in problems("images/CT/valid")[0]
# What is stored stays as it is.
a = np.load(at + "/annotations/bad/data/array.npy")
assert np.array_equal(a, np.load(at + "/annotations/organs/data/array.npy"))
assert np.load(at + "/images/CT/array.npy").shape == (10, 12, 14)
# And wins where it has a name that means something.
own = at + "/annotations/own"
assert np.array_equal(np.load(own + "/labels/array.npy"), np.arange(3))
assert os.listdir(own + "/classes") == ["body", "tube"]
assert any("a member labels of its own" in p for p in info["problems"])
assert any("(W913)" in p for p in info["problems"])
END
umount_volume || fail "umount"

mkdir "$tmp/src"
cp "$data"/*.medh5* "$data"/*.expect.* "$tmp/src"
mount_volume "$tmp/src"
python "$srcdir/tests/e2e/medh5.py" "$tmp/src" "$mnt" || fail "see above"
# What is stale is said once, by all who say what is wrong.
python - "$mnt" <<'END' || fail "see above"
import json, sys
mnt = sys.argv[1]
def lines(text):
    return [line for line in text if "W905" in line]
with open(mnt + "/.patchfs/problems") as f:
    told = lines(f)
assert len(told) == 1 and told[0].startswith("stale_training.medh5: "), told
assert "run `medh5 index build`" in told[0], told
info = json.load(open(mnt + "/stale_training/info.json"))
assert len(lines(info["problems"])) == 1, info["problems"]
info = json.load(open(mnt + "/labelmap_balanced/info.json"))
assert not lines(info["problems"]), info["problems"]
END
find "$mnt" -name info.json -exec cat {} + >/dev/null
test "$(stat_value units_decoded)" -eq 0 || fail "info.json decodes"

# Every value, whole and in boxes; then again in a cache that is small.
python "$srcdir/tests/e2e/medh5.py" --values \
	"$builddir/run $builddir/patchfs cat" "$tmp/src" "$mnt" ||
	fail "see above"
umount_volume || fail "umount"
mount_volume --direct-io --cache-size=4M "$tmp/src"
python "$srcdir/tests/e2e/medh5.py" --values - "$tmp/src" "$mnt" ||
	fail "see above"
