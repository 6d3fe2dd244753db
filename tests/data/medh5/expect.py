# SPDX-License-Identifier: MIT
"""Expected values of a medh5 file, computed through the medh5 package itself (its format is in README.md)."""
import hashlib
import json
import os
import re
import warnings

import h5py
import medh5
import numpy as np
from medh5.collection import open_any
from medh5.sampling import grid_patches, window_around

FORMAT = "patchfs-medh5-expect/1"
FIXED = b"2020-01-01T00:00:00Z"


def freeze(path):
    """Make the bytes reproducible: the creation time is the only thing that differs between two runs."""
    raw = open(path, "rb").read()
    raw = re.sub(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", FIXED, raw)
    with open(path, "wb") as f:
        f.write(raw)


def digest(a):
    a = np.ascontiguousarray(a)
    a = a.astype(a.dtype.newbyteorder("<"))
    return hashlib.sha256(a.tobytes()).hexdigest()


def slices(box):
    return tuple(slice(a, b) for a, b in box)


def boxes(shape, seed, n=3, edge=11):
    """First voxel, last voxel, a one-voxel-thin slab, the far corner, and n random small boxes."""
    rng = np.random.default_rng(seed)
    out = [[[0, 1] for _ in shape], [[s - 1, s] for s in shape],
           [[s // 2, s // 2 + 1] if k == 0 else [s // 3, min(s, s // 3 + edge)] for k, s in enumerate(shape)],
           [[max(0, s - edge), s] for s in shape]]
    for _ in range(n):
        box = []
        for s in shape:
            a = int(rng.integers(0, s))
            box.append([a, min(s, a + int(rng.integers(1, edge + 1)))])
        out.append(box)
    return out


class Arrays:
    def __init__(self):
        self.items = {}

    def put(self, a):
        a = np.ascontiguousarray(a)
        for name, old in self.items.items():
            if old.dtype == a.dtype and old.shape == a.shape and np.array_equal(old, a):
                return name
        name = "a%d" % len(self.items)
        self.items[name] = a
        return name


def plain(v):
    if isinstance(v, np.ndarray):
        return [plain(x) for x in v]
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v


def expect_image(im, arrays, seed):
    levels = []
    for lv in range(im.levels):
        view = im.level(lv) if im.is_multiscale else im
        spatial = [int(n) for n in view.grid.spatial_shape]
        raw, phys = view.read(), view.read(physical=True)
        entry = {"grid": view.grid_id, "shape": list(raw.shape), "spatial_shape": spatial, "dtype": raw.dtype.str,
                 "chunks": plain(view.chunks), "raw_sha256": digest(raw), "physical_dtype": phys.dtype.str,
                 "physical_sha256": digest(phys), "boxes": []}
        for box in boxes(spatial, seed + lv):
            roi = slices(box)
            entry["boxes"].append({"box": box, "raw": arrays.put(view.read(roi)),
                                   "physical": arrays.put(view.read(roi, physical=True))})
        levels.append(entry)
    slope, intercept = im.rescale
    return {"modality": im.modality, "value_type": im.value_type, "slope": slope, "intercept": intercept,
            "channel_names": plain(im.channel_names), "valid_mask": im.valid_mask, "levels": levels}


def expect_annotation(s, aid, ann, arrays, seed):
    out = {"kind": ann.kind, "task": ann.task, "grid": ann.grid_id, "class_ids": plain(ann.class_ids),
           "annotated_class_ids": plain(ann.annotated_class_ids), "closure": ann.closure}
    if not isinstance(ann, medh5.VoxelAnnotation):
        if ann.kind == "boxes":
            out["boxes_f32"] = arrays.put(np.asarray(ann.boxes, np.float32))
            out["box_class_ids"] = plain(ann.object_class_ids)
        return out
    spatial = [int(n) for n in s.grids[ann.grid_id].spatial_shape]
    if ann.kind == "mask":
        whole = ann.read()
        out.update(mask_sha256=digest(whole), true_voxels=int(whole.sum()), boxes=[
            {"box": b, "mask": arrays.put(ann.read(slices(b)))} for b in boxes(spatial, seed)])
        return out
    ids = list(ann.class_ids)
    out["ignore_id"], out["ignore_mask"] = int(ann.ignore_id), ann.header.ignore_mask
    priority = [int(c) for c in np.random.default_rng(seed).permutation(ids)[: max(1, (len(ids) + 1) // 2)]]
    kw = {"dtype": np.uint16}
    region, dense = s.ignore_region(aid), ann.labelmap(**kw)
    out["counts"] = {str(k): int(v) for k, v in ann.voxel_counts().items()}
    out["bboxes"] = {str(k): None if v is None else plain(np.asarray(v, np.float64))
                     for k, v in ann.class_bboxes().items()}
    out["dense_sha256"], out["ignore_sha256"] = digest(dense), digest(region)
    out["ignored_voxels"] = int(region.sum())
    out["mask_sha256"] = {str(c): digest(ann.dense([c])[0]) for c in ids}
    if priority:
        out["priority"], out["dense_priority_sha256"] = priority, digest(ann.labelmap(priority=priority, **kw))
    out["boxes"] = []
    for b in boxes(spatial, seed):
        roi = slices(b)
        out["boxes"].append({"box": b, "masks": arrays.put(ann.dense(ids, roi=roi)), "dense": arrays.put(
            ann.labelmap(roi=roi, **kw)), "ignore": arrays.put(s.ignore_region(aid, roi))})
    if ann.kind == "instances":
        out["objects"] = [{"class_id": int(o.class_id), "instance_id": int(o.instance_id),
                           "box": plain(np.asarray(o.box, np.float64)), "voxels": int(o.voxel_count),
                           "score": o.score, "crop": None if o.mask is None else arrays.put(o.mask)}
                          for o in ann.instances()]
    if ann.kind == "probmap":
        out["threshold"], out["normalized"] = float(ann.threshold), bool(ann.normalized)
    return out


def expect_index(s, arrays):
    fresh, out = set(s.fresh_indices), {}
    for aid, e in s.index.items():
        ids = [int(c) for c in e.class_ids]
        out[aid] = {"state": "fresh" if aid in fresh else "stale", "class_ids": ids, "max_coords": int(e.max_coords),
                    "counts": {str(k): int(v) for k, v in e.voxel_counts.items()},
                    "bboxes": {str(c): None if e.bbox(c) is None else plain(np.asarray(e.bbox(c), np.float64))
                               for c in ids},
                    "coords": {str(c): arrays.put(np.asarray(e.coords(c), np.int32)) for c in ids},
                    "occupancy": bool(e.has_occupancy)}
    return out


def expect_sample(s, arrays, seed):
    grids = {}
    for gid, g in s.grids.items():
        grids[gid] = {"shape": plain(g.shape), "spatial_shape": plain(g.spatial_shape), "axis_names": plain(g.axis_names),
                      "axis_kinds": plain(g.axis_kinds), "spacing": plain(g.spacing), "origin": plain(g.origin),
                      "direction": plain(g.direction), "coord_system": g.coord_system, "units": g.units,
                      "timepoint": g.timepoint, "frame_uid": g.frame_uid, "patch_hint": plain(g.patch_hint),
                      "chunk_hint": plain(g.chunk_hint), "time_values": plain(g.time_values),
                      "affine": plain(np.asarray(g.affine))}
    ls = s.label_set
    labels = [] if ls is None or not ls.classes else [
        {"id": c.id, "key": c.key, "name": c.name, "color": plain(c.color), "parents": plain(c.parents)}
        for c in ls.classes]
    return {"version": s.version, "profiles": sorted(s.profiles), "content_id": s.content_id,
            "reference_grid": s.reference_grid.grid_id, "grids": grids, "labels": labels,
            "images": {k: expect_image(im, arrays, seed) for k, im in s.images.items()},
            "annotations": {k: expect_annotation(s, k, a, arrays, seed) for k, a in s.annotations.items()},
            "index": expect_index(s, arrays)}


def write_expect(path, opens_as="sample", note="", seed=1):
    """Write NAME.expect.json and NAME.expect.npz beside path."""
    warnings.simplefilter("ignore")
    arrays, samples = Arrays(), {}
    if opens_as == "sample":
        with medh5.open(path) as s:
            samples[""] = expect_sample(s, arrays, seed)
    elif opens_as == "collection":
        with medh5.open_collection(path) as c:
            keys = list(c)
        for k in keys:
            with open_any(path, key=k) as s:
                samples[k] = expect_sample(s, arrays, seed)
    else:
        try:
            medh5.open(path).close()
            raise SystemExit(path + " opened, " + opens_as + " expected")
        except medh5.MEDH5Error as e:
            note = (note + " medh5 answers " + type(e).__name__).strip()
    base = os.path.splitext(path)[0]
    doc = {"format": FORMAT, "file": os.path.basename(path), "writer": "medh5 " + medh5.__version__,
           "size": os.path.getsize(path), "sha256": hashlib.sha256(open(path, "rb").read()).hexdigest(),
           "opens_as": opens_as, "note": note, "samples": samples}
    with open(base + ".expect.json", "w") as f:
        json.dump(doc, f, separators=(",", ":"), sort_keys=True)
        f.write("\n")
    np.savez_compressed(base + ".expect.npz", **arrays.items)


def write_geometry(path, cases):
    """Window arithmetic of the sampler: centres and grids for (shape, patch, overlap) cases."""
    out = []
    for shape, patch, overlap, centers in cases:
        entry = {"shape": list(shape), "patch": list(patch), "overlap": overlap, "windows": [], "grid": []}
        for c in centers:
            sl, pad = window_around(c, patch, shape)
            entry["windows"].append({"center": list(c), "start": [s.start for s in sl], "stop": [s.stop for s in sl],
                                     "pad": plain(pad)})
        for p in grid_patches(shape, patch, overlap=overlap):
            entry["grid"].append({"start": [s.start for s in p.slices], "stop": [s.stop for s in p.slices],
                                  "pad": plain(p.padding), "center": plain(p.center)})
        out.append(entry)
    with open(path, "w") as f:
        json.dump({"format": FORMAT, "cases": out}, f, separators=(",", ":"))
        f.write("\n")


# -- edits a writer would not make --------------------------------------------------------------------------------------

def borrow_index(path, donor, ann):
    """Give path the index entry of another file: everything stays valid, but the entry is stale."""
    with h5py.File(donor, "r") as src, h5py.File(path, "r+") as dst:
        if "index" in dst and ann in dst["index"]:
            del dst["index"][ann]
        src.copy("index/" + ann, dst.require_group("index"), name=ann)


def repin_index(path, ann, algo):
    """State the same freshness under another digest algorithm (readers must follow the prefix)."""
    with h5py.File(path, "r+") as f:
        g = f["annotations"][ann]
        text = "".join("%s\t%s\n" % (n, g[n].attrs["digest"]) for n in sorted(g))
        f["index"][ann].attrs["source_digest"] = algo + ":" + hashlib.new(algo, text.encode()).hexdigest()
