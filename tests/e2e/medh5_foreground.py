# SPDX-License-Identifier: MIT
"""What test-medh5-foreground.sh compares.

    medh5_foreground.py DATA MNT SEED    with manual.py, from the manual
"""
import glob
import json
import os
import random
import sys

import manual
import numpy as np

sys.path.pop(0)  # where our own medh5.py is
try:
    from medh5.collection import open_any
    from medh5.sampling import PatchSampler
except ImportError:
    PatchSampler = None

WEIGHTS = {"uniform": lambda n: 1.0, "frequency": float,
           "inverse": lambda n: 1.0 / n}


def box(path):
    with open(path + ".json") as f:
        return json.load(f), np.load(path + ".npy")


def info_of(path):
    with open(path + "/info.json") as f:
        return json.load(f)


def images(at):
    """Arrays of images by the grid that they lie on."""
    out = {}
    for path in sorted(glob.glob(at + "/images/**/info.json", recursive=True)):
        path = os.path.dirname(path)
        info = info_of(path)
        if info.get("geometry") and "/valid" not in path:
            out.setdefault(info["geometry"]["grid"], []).append(path)
    return out


def annotation(at, name, want, by_grid, r):
    """Draws of one annotation, for which the package gave the counts."""
    labels = "%s/annotations/%s/labels" % (at, name)
    info = info_of(labels)
    shape = info["shape"]
    counts = {int(c): n for c, n in want["counts"].items()}
    keys, masks = {}, {}
    for c in info["classes"]:
        keys[c["id"]] = c["key"] or str(c["id"])
        path = "%s/annotations/%s/classes/%s" % (at, name, keys[c["id"]])
        masks[c["id"]] = np.load(path + "/array.npy")
        assert np.count_nonzero(masks[c["id"]]) == counts[c["id"]]
    ids = sorted(keys)
    voxels = [np.argwhere(masks[c]) for c in ids]
    for i in range(6):
        size = [r.randint(1, n) for n in shape]
        weights = r.choice(list(WEIGHTS))
        draw, seed = r.randrange(2**36), r.randrange(2**64)
        view = "foreground+size-%s+labels-%s+weights-%s+index-%s+seed-%d/%d" % (
            "x".join(map(str, size)), name, weights, "exact", seed, draw)
        got, values = box(labels + "/" + view)
        start = manual.start(shape, voxels, WEIGHTS[weights], size, seed, draw)
        if start is None:
            assert got["strategy"] == "uniform", got
            continue
        assert got["start"] == list(start), (view, got, start)
        assert got["used_index"] is False
        assert masks[got["class"]][tuple(got["center"])]
        assert got["class_name"] == keys[got["class"]]
        # One class alone, by name and by id; in the file's own index too.
        c = r.choice([c for c in ids if counts[c]])
        one = "foreground+size-%s+labels-%s+class-%s/%d" % (
            "x".join(map(str, size)), name, keys[c], i)
        got, values = box(labels + "/" + one)
        assert got["class"] == c and masks[c][tuple(got["center"])]
        by_id = one.replace("class-" + keys[c], "class-%d" % c)
        link = labels + "/" + os.path.dirname(by_id)
        assert os.readlink(link) + "/%d" % i == got["view"] + "/%d" % i
        # The same box of whatever lies on the grid.
        cut = tuple(slice(s, s + p) for s, p in zip(got["start"], size))
        path = "%s/annotations/%s/classes/%s/" % (at, name, keys[c])
        mask, values = box(path + one)
        assert mask["start"] == got["start"] and mask["class"] == c
        assert np.array_equal(values, masks[c][cut]) and values.any()
        for image in by_grid.get(want["grid"], ()):
            same, values = box(image + "/" + one)
            n = len(shape)
            assert same["start"][-n:] == got["start"], (image, same, got)
            assert same["class"] == c
            assert same["used_index"] == got["used_index"]


def package(path, at, samples, by_grid, r):
    """The very patches of the package."""
    kinds = (("foreground", 1.0), ("uniform", 0.0), ("balanced", 0.5),
             ("balanced", 0.875))
    spelled = {"uniform": "uniform", "frequency": "frequency",
               "inverse": "inverse_frequency"}
    done = 0
    with open_any(path) as sample:
        for name, want in samples["annotations"].items():
            if "counts" not in want:
                continue
            labels = "%s/annotations/%s/labels" % (at, name)
            if not os.path.isdir(labels):
                continue
            shape = info_of(labels)["shape"]
            ids = sorted(map(int, want["counts"]))
            for _ in range(50):
                size = [r.randint(1, n + 6) for n in shape]
                strategy, prob = r.choice(kinds)
                weights = r.choice(list(spelled))
                asked = r.choice((None, r.sample(ids, r.randint(1, min(5, len(ids))))))
                given = None
                if asked and r.random() < 0.5:
                    given = {c: r.choice((0.0, r.randrange(1, 999) / 500))
                             for c in asked}
                key = (r.choice((0, r.randrange(2**64))), r.randrange(300),
                       r.randrange(2**36))
                p = PatchSampler(
                    size, strategy=strategy, foreground_prob=prob,
                    foreground_classes=asked,
                    class_weights=given or spelled[weights]).draw(
                        sample, name, key).to_json()
                view = "foreground+size-%s+labels-%s%s%s+fraction-%r+" \
                    "rule-medh5.2+seed-%d+epoch-%d" % (
                        "x".join(map(str, size)), name,
                        "".join("+class-%d%s" % (
                            c, "@%r" % given[c] if given else "")
                            for c in asked or ()),
                        "" if given else "+weights-" + weights, prob, *key[:2])
                got, _ = box("%s/%s/%d" % (labels, view, key[2]))
                start = [s - b for s, (b, _) in zip(p["start"], p["pad"])]
                assert got["start"] == start, (view, got, p)
                assert got["pad"] == [list(v) for v in p["pad"]], (got, p)
                assert got["center"] == list(p["center"]), (got, p)
                assert got["class"] == p["class_id"], (got, p)
                assert got["strategy"] == p["strategy"], (got, p)
                assert got["used_index"] is p["used_index"], (got, p)
                done += 1
    return done


def defaults(mnt):
    """The first annotation by name that has classes and lies on the grid."""
    at = mnt + "/multigrid_training"
    seen = {}
    for name in sorted(os.listdir(at + "/annotations")):
        path = "%s/annotations/%s/labels" % (at, name)
        if os.path.isdir(path):
            seen.setdefault(info_of(path)["geometry"]["grid"], name)
    assert len(seen) > 1, seen
    for grid, paths in images(at).items():
        for path in paths:
            view = path + "/foreground+size-2x2x2"
            if grid not in seen:
                assert not os.path.exists(view), view
                continue
            got, _ = box(view + "/0")
            assert got["labels"].endswith("annotations/%s/labels" % seen[grid])
            for other, name in seen.items():
                assert os.path.isdir(view + "+labels-" + name) == (
                    other == grid), (path, name)


def padded(mnt):
    """Image and mask of one box that overhangs; pad is of the image alone."""
    at = mnt + "/labelmap_balanced"
    labels = at + "/annotations/organs/labels"
    view = "/foreground+size-24x24x24+labels-organs+border-pad"
    assert not os.path.exists(labels + view + "+pad--1024")
    over = 0
    for i in range(20):
        got = [box("%s%s/%d" % (path, name, i))
               for path, name in ((at + "/images/CT", view + "+pad--1024"),
                                  (labels, view))]
        places = [{k: item[k] for k in ("start", "stop", "pad", "center",
                                        "class")} for item, _ in got]
        assert places[0] == places[1], places
        outside = np.ones((24, 24, 24), bool)
        outside[tuple(slice(a, 24 - b) for a, b in places[0]["pad"])] = False
        for (_, values), fill in zip(got, (-1024, 0)):
            assert (values[outside] == fill).all(), places[0]
        over += outside.any()
    assert over, "no box overhangs"


def main():
    data, mnt, r = sys.argv[1], sys.argv[2], random.Random(int(sys.argv[3]))
    files = drawn = 0
    for expect in sorted(glob.glob(data + "/*.expect.json")):
        with open(expect) as f:
            e = json.load(f)
        if "samples" not in e or not e["samples"]:
            continue
        at = mnt + "/" + os.path.splitext(e["file"])[0]
        for key, want in e["samples"].items():
            root = at + ("/samples/" + key if key else "")
            by_grid = images(root)
            for name, a in want["annotations"].items():
                if a.get("counts") and os.path.isdir(
                        "%s/annotations/%s/labels" % (root, name)):
                    annotation(root, name, a, by_grid, r)
                    files += 1
            if PatchSampler and not key:
                drawn += package("%s/%s" % (data, e["file"]), root, want,
                                 by_grid, r)
    assert files > 12, files
    defaults(mnt)
    padded(mnt)
    print(files, "annotations,", drawn, "draws of the package")
    assert not PatchSampler or drawn >= 1000, drawn


main()
