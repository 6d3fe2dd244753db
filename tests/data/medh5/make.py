# SPDX-License-Identifier: MIT
"""Small medh5 files for tests, with expected values: make.py [OUTDIR].  Needs medh5, h5py, hdf5plugin, numpy."""
import os
import sys
import tempfile

import h5py
import medh5
import numpy as np
from medh5.annotations.voxel import InstanceInput
from medh5.labels import LabelClass, LabelSet

from expect import borrow_index, freeze, repin_index, write_expect, write_geometry

LABELS = LabelSet("shapes", version="1.0.0", classes=[
    LabelClass(1, "body", "Body", color=[200, 180, 160, 255]),
    LabelClass(2, "part", "Part", parents=[1], color=[90, 30, 30, 255]),
    LabelClass(3, "spot", "Spot", parents=[2], color=[255, 220, 0, 128]),
    LabelClass(7, "tube", "Tube", color=[0, 90, 255, 255]),
    LabelClass(254, "rim", "Rim"),
    LabelClass(300, "far", "Far", color=[1, 2, 3, 4]),
    LabelClass(65534, "last", "Last")])


def ball(shape, centre, radius):
    at = np.indices(shape)
    return sum((at[i] - centre[i]) ** 2 for i in range(len(shape))) <= radius * radius


def ramp(shape, *steps, mod=None, dtype=np.int16):
    at = np.indices(shape)
    v = sum(at[i] * steps[i] for i in range(len(shape)))
    return (v % mod if mod else v).astype(dtype)


def start(path, name, codec):
    w = medh5.create(path, sample_id=name, subject_id="subject-" + name, codec=codec)
    w.label_set(LABELS)
    return w


def labelmap(path, codec="balanced", shift=0, index=True, eight=False, name="labelmap"):
    """Disjoint classes in uint16 with an in-band ignore region; maybe a uint8 one beside it."""
    sh = (40, 48, 56)
    with start(path, name, codec) as w:
        w.add_grid("ct", shape=sh, spacing=(2.5, 0.75, 0.75), origin=(-10, 20, 30), chunk_hint=(16, 32, 32),
                   patch_hint=(16, 16, 16))
        w.add_image("CT", ramp(sh, 3, 5, 1, mod=700) - 200, grid="ct", modality="CT", value_type="quantitative",
                    value_units="HU", rescale_slope=1.5, rescale_intercept=-1024.25)
        m = {1: ball(sh, (12 + shift, 20, 20), 9), 2: ball(sh, (28, 30, 38), 8), 7: ball(sh, (39, 47, 55), 6),
             254: np.zeros(sh, bool)}
        w.add_segmentation("organs", grid="ct", masks=m, encoding="labelmap", annotated_classes=[1, 2, 254],
                           ignore=ball(sh, (4, 4, 50), 6))
        if eight:
            w.add_segmentation("eight", grid="ct", masks={c: m[c] for c in (1, 2, 7)}, encoding="labelmap")
        if index:
            w.build_index(max_coords=120, seed=5)


def layers(path, codec="training", name="layers"):
    """Overlaps on three layers, a valid mask, ignore in band and as a sibling, implicit closure."""
    sh = (30, 44, 58)
    with start(path, name, codec) as w:
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1), chunk_hint=(16, 16, 64))
        w.add_mask("fov", ball(sh, (15, 22, 29), 26), grid="ct")
        w.add_image("CT", ramp(sh, 32, 4, 1, mod=128) - 50, grid="ct", modality="CT", valid_mask="fov",
                    rescale_slope=0.1)
        m = {1: ball(sh, (14, 20, 26), 12), 2: ball(sh, (16, 24, 30), 8), 3: ball(sh, (16, 26, 32), 4),
             7: ball(sh, (0, 0, 57), 7)}
        w.add_segmentation("organs", grid="ct", masks=m, encoding="layers", annotated_classes=[1, 2])
        w.add_segmentation("band", grid="ct", masks=m, encoding="layers", ignore=ball(sh, (27, 40, 50), 5) & ~m[1])
        w.add_segmentation("over", grid="ct", masks=m, encoding="layers", ignore=ball(sh, (14, 20, 26), 9))
        w.add_segmentation("implied", grid="ct", masks=m, encoding="layers", closure="implicit")
        w.build_index(max_coords=60)


def bitmask(path):
    """70 classes on two planes, ignore as a sibling mask."""
    sh = (16, 20, 28)
    many = LabelSet("many", version="1.0.0", classes=[LabelClass(c, "c%d" % c, "C %d" % c) for c in range(1, 72)])
    with medh5.create(path, sample_id="bitmask", codec="archive") as w:
        w.label_set(many)
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1), chunk_hint=(8, 16, 28))
        w.add_image("CT", ramp(sh, 1, 1, 1), grid="ct", modality="CT")
        m = {c: ball(sh, ((c * 5) % 16, (c * 7) % 20, (c * 11) % 28), 2 + c % 4) for c in range(1, 71)}
        w.add_segmentation("organs", grid="ct", masks=m, encoding="bitmask", ignore=ball(sh, (8, 10, 14), 3))
        w.build_index(max_coords=12, occupancy=None)


def instances(path):
    """Objects that overlap, touch the border and share a class; a class examined and not found; boxes without masks."""
    sh = (30, 40, 60)
    with start(path, "instances", "portable") as w:
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1), chunk_hint=(15, 20, 30))
        w.add_image("CT", ramp(sh, 11, 3, 1, dtype=np.float32) / 8, grid="ct", modality="CT")
        a, b = ball(sh, (10, 15, 20), 6), ball(sh, (12, 18, 24), 5)
        w.add_segmentation("lesions", grid="ct", annotated_classes=[3, 7, 300], ignore=ball(sh, (29, 0, 0), 8),
                           instances=[InstanceInput(class_id=3, instance_id=4, mask=a),
                                      InstanceInput(class_id=3, instance_id=2 ** 33, mask=b, score=0.25),
                                      InstanceInput(class_id=7, instance_id=9, mask=b & ball(sh, (12, 18, 20), 4)),
                                      InstanceInput(class_id=7, instance_id=1, mask=ball(sh, (29, 39, 59), 4))])
        w.add_segmentation("nothing", grid="ct", instances=[], annotated_classes=[3])
        w.add_boxes("boxed", np.array([[[1.5, 5.5], [3.5, 8.5], [4.5, 10.5]], [[0, 3], [7, 7], [2, 6]]]),
                    class_ids=["spot", "tube"], grid="ct")
        w.build_index(max_coords=60)
    with h5py.File(path, "r+") as f:                                 # a box-only copy of the first annotation
        f.copy("annotations/lesions", f["annotations"], name="loose")
        for n in ("mask_data", "mask_offsets", "mask_shapes"):
            del f["annotations/loose"][n]


def probmap(path):
    """Thresholds that only hold at the stored precision, float16 and float32, planes in another order than ids."""
    sh = (16, 32, 40)
    thirds = ramp(sh, 1, 1, 1, mod=4, dtype=np.float64) / 3
    tenths = ramp(sh, 1, 2, 3, mod=11, dtype=np.float64) / 10
    with start(path, "probmap", "balanced") as w:
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1), chunk_hint=(8, 32, 32))
        w.add_image("PT", ramp(sh, 1, 1, 1, dtype=np.float32) / 4, grid="ct", modality="PT")
        w.add_segmentation("votes", grid="ct", probabilities={1: thirds, 3: 1 - thirds}, threshold=1 / 3)
        w.add_segmentation("soft", grid="ct", probabilities={7: tenths, 1: tenths[::-1]}, ignore=ball(sh, (0, 0, 0), 5))
        w.add_segmentation("fine", grid="ct", probabilities={2: np.where(thirds > 0.5, 0.29999, 0.3)}, threshold=0.3)
        w.build_index(["votes", "soft"], max_coords=60)


def multigrid(path):
    """Two visits, three grids of different shape, an oblique one, labels on two of them."""
    c, s = np.cos(0.3), np.sin(0.3)
    sh, low = (24, 36, 44), (16, 32, 36)
    with start(path, "multigrid", "training") as w:
        w.add_timepoint("tp0", days_from_baseline=0)
        w.add_timepoint("tp1", days_from_baseline=90)
        w.add_grid("ct0", shape=sh, spacing=(2, 1, 1), timepoint="tp0", frame_uid="f0", chunk_hint=(8, 32, 32))
        w.add_grid("pet0", shape=low, spacing=(4, 2, 2), origin=(3, 1, -2), timepoint="tp0", frame_uid="f0",
                   direction=[[1, 0, 0], [0, c, -s], [0, s, c]], chunk_hint=(16, 20, 20))
        w.add_grid("ct1", shape=(20, 34, 40), spacing=(2, 1, 1), timepoint="tp1", frame_uid="f1", coord_system="RAS",
                   chunk_hint=(20, 11, 13))
        w.add_image("CT0", ramp(sh, 1, 2, 3, mod=64), grid="ct0", modality="CT")
        w.add_image("PET0", ramp(low, 3, 2, 1, mod=32, dtype=np.float32) / 16, grid="pet0", modality="PT")
        w.add_image("CT1", ramp((20, 34, 40), 5, 2, 3, mod=200), grid="ct1", modality="CT", rescale_intercept=-1000.0)
        w.add_segmentation("a0", grid="ct0", masks={1: ball(sh, (10, 20, 30), 8), 2: ball(sh, (10, 22, 32), 6)})
        w.add_segmentation("p0", grid="pet0", masks={3: ball(low, (8, 16, 18), 5)})
        w.add_segmentation("a1", grid="ct1", masks={1: ball((20, 34, 40), (11, 18, 27), 7)})
        w.build_index(max_coords=60)


def channels(path):
    """A time axis, a channel axis in 3-D, an RGB plane and a 2-D labelmap."""
    sh = (3, 12, 32, 36)
    with start(path, "channels", "balanced") as w:
        w.add_grid("dce", shape=sh, spacing=(2, 1, 1), axis_names=["t", "z", "y", "x"],
                   axis_kinds=["time", "spatial", "spatial", "spatial"], time_values=[0, 6.5, 13], time_units="s",
                   chunk_hint=(1, 8, 32, 32))
        w.add_grid("dwi", shape=(2, 6, 20, 40), spacing=(2, 1, 1), axis_names=["b", "z", "y", "x"],
                   axis_kinds=["channel", "spatial", "spatial", "spatial"], chunk_hint=(1, 3, 20, 40))
        w.add_grid("photo", shape=(3, 40, 90), spacing=(1, 1), units="px", axis_names=["c", "y", "x"],
                   axis_kinds=["channel", "spatial", "spatial"], chunk_hint=(1, 64, 64))
        w.add_grid("film", shape=(260, 140), spacing=(0.2, 0.2), chunk_hint=(128, 100))
        w.add_image("DCE", ramp(sh, 1000, 7, 2, 1, dtype=np.uint16), grid="dce", modality="MR", rescale_slope=0.5)
        w.add_image("DWI", ramp((2, 6, 20, 40), 100, 1, 1, 1, dtype=np.float64) / 4, grid="dwi", modality="MR",
                    channel_names=["b0", "b1000"])
        w.add_image("RGB", ramp((3, 40, 90), 80, 1, 1, mod=251, dtype=np.uint8), grid="photo", modality="OT",
                    value_type="rgb", channel_names=["R", "G", "B"])
        w.add_image("DX", ramp((260, 140), 3, 1, dtype=np.uint16), grid="film", modality="DX")
        w.add_segmentation("on4d", grid="dce", masks={1: ball(sh[1:], (6, 16, 18), 5), 2: ball(sh[1:], (6, 17, 19), 4)},
                           encoding="layers")
        w.add_segmentation("flat", grid="film", masks={7: ball((260, 140), (150, 70), 50)})
        w.build_index(max_coords=60)


def pyramid(path):
    """Three levels, each on its own grid."""
    sh = (32, 48, 64)
    base = ramp(sh, 4, 2, 1)
    with start(path, "pyramid", "archive") as w:
        prev = []
        for k in range(3):
            f = 2 ** k
            w.add_grid("g%d" % k, shape=[n // f for n in sh], spacing=[1.0 * f] * 3, origin=[(f - 1) / 2.0] * 3,
                       chunk_hint=[min(32, n // f) for n in sh])
            prev.append(np.ascontiguousarray(base[::f, ::f, ::f]))
        w.add_pyramid("CT", prev, grid_levels=["g0", "g1", "g2"], modality="CT", downsample_method="nearest",
                      rescale_slope=2.0)


def blocks(path, codec, shape, chunk, dtype=np.int16):
    """One large Blosc2 chunk of many blocks, its neighbours, and a label chunk of many blocks."""
    with start(path, "blocks-" + codec, codec) as w:
        w.add_grid("ct", shape=shape, spacing=(1, 1, 1), chunk_hint=chunk)
        w.add_image("CT", (ramp(shape, 256, 16, 0, mod=4096) + ramp(shape, 0, 0, 1) // 7).astype(dtype),
                    grid="ct", modality="CT")
        w.add_segmentation("organs", grid="ct", masks={
            1: ball(shape, [n // 2 for n in shape], min(shape) // 3), 2: ball(shape, [n // 2 for n in shape], 9)},
            encoding="layers")
        w.build_index(max_coords=64)


def wide(path):
    """So many classes on so many layers that their table is chunked and compressed; its last chunks are cut."""
    sh, n = (6, 8, 10), 184
    many = LabelSet("many", version="1.0.0", classes=[LabelClass(c, "c%d" % c, "C %d" % c) for c in range(1, 2 * n + 1)])
    with medh5.create(path, sample_id="wide", codec="balanced") as w:
        w.label_set(many)
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1))
        w.add_image("CT", ramp(sh, 1, 1, 1), grid="ct", modality="CT")
        at = np.arange(6 * 8 * 10).reshape(sh)
        w.add_segmentation("organs", grid="ct", encoding="layers", masks={
            c: at == c if c <= n else (at >= 300) & (at < 302 + c % 3) for c in range(1, 2 * n + 1)})


def tiny(path, name, sh=(10, 12, 14), index=False):
    """Everything below 64 KiB, so contiguous."""
    with start(path, name, "balanced") as w:
        w.add_grid("ct", shape=sh, spacing=(1, 1, 1))
        w.add_image("CT", ramp(sh, 9, 3, 1), grid="ct", modality="CT")
        w.add_segmentation("organs", grid="ct", masks={1: ball(sh, [n // 2 for n in sh], min(sh) // 2),
                                                    7: ball(sh, (0, 0, 0), 2)})
        if index:
            w.build_index()


def main(out):
    os.makedirs(out, exist_ok=True)

    def at(n):
        return os.path.join(out, n)
    labelmap(at("labelmap_balanced.medh5"), eight=True)
    repin_index(at("labelmap_balanced.medh5"), "eight", "sha512")
    layers(at("layers_training.medh5"))
    bitmask(at("bitmask_archive.medh5"))
    instances(at("instances_portable.medh5"))
    probmap(at("probmap_balanced.medh5"))
    multigrid(at("multigrid_training.medh5"))
    channels(at("channels_balanced.medh5"))
    pyramid(at("pyramid_archive.medh5"))
    labelmap(at("noindex_portable.medh5"), "portable", index=False, name="noindex")
    labelmap(at("stale_training.medh5"), "training", shift=3, name="stale")
    borrow_index(at("stale_training.medh5"), at("labelmap_balanced.medh5"), "organs")
    blocks(at("blocks_training.medh5"), "training", (100, 110, 96), (96, 96, 96))
    blocks(at("blocks_archive.medh5"), "archive", (128, 130, 128), (128, 128, 128))
    tiny(at("defaultindex_balanced.medh5"), "defaultindex", (23, 25, 28), index=True)    # 4096 of more voxels
    wide(at("wide_balanced.medh5"))
    with tempfile.TemporaryDirectory() as tmp:
        parts = [os.path.join(tmp, n) for n in ("a.medh5", "b.medh5", "c.medh5")]
        labelmap(parts[0], "portable", name="a")
        tiny(parts[1], "b", (16, 17, 18), index=True)
        labelmap(parts[2], "portable", index=False, shift=2, name="c")
        medh5.pack(parts, at("three_portable.medh5c"), keys=["case-1", "case-2.b", "x"])
    # versions: a later minor is read as far as it is known, another major is refused
    tiny(at("minor9_balanced.medh5"), "minor9")
    with h5py.File(at("minor9_balanced.medh5"), "r+") as f:
        f.attrs["medh5_version"] = "1.9"
        g = f.create_group("annotations/unknown")
        for k, v in dict(kind="rle", task="segmentation", grid="ct", closure="explicit").items():
            g.attrs[k] = v
        g.attrs["class_ids"] = g.attrs["annotated_class_ids"] = np.array([1], np.uint16)
        f.create_dataset("x_demo_extra/values", data=np.arange(5))
    tiny(at("major2.medh5"), "major2")
    with h5py.File(at("major2.medh5"), "r+") as f:
        f.attrs["medh5_version"] = "2.0"
    with h5py.File(at("legacy0.medh5"), "w", track_order=False) as f:              # the 0.x layout, plain HDF5
        f.attrs["schema_version"] = "1"
        f.create_dataset("images/CT", data=ramp((12, 20, 24), 1, 1, 1), chunks=(4, 20, 24), compression="gzip")
        f["images"].attrs["spacing"] = [2.0, 1.0, 1.0]
        f["images"].attrs["direction"] = np.eye(3).ravel()
        f.create_dataset("seg/body", data=ball((12, 20, 24), (6, 10, 12), 5), chunks=(4, 20, 24), compression="gzip")
        f.create_dataset("bboxes", data=np.array([[[1, 11], [5, 16], [7, 18]]]))
    kinds = {"three_portable.medh5c": "collection", "major2.medh5": "refused", "legacy0.medh5": "plain"}
    for n in sorted(os.listdir(out)):
        if n.endswith((".medh5", ".medh5c")):
            freeze(at(n))
            write_expect(at(n), kinds.get(n, "sample"))
    write_geometry(at("geometry.expect.json"), [
        ((40, 48, 56), (16, 16, 16), 4, [(0, 0, 0), (39, 47, 55), (20, 24, 28), (8, 9, 47)]),
        ((10, 7), (4, 4), 1, [(0, 6), (9, 0), (5, 3)]),
        ((30, 5, 64), (32, 8, 64), 0, [(15, 2, 32), (0, 0, 0)]),
        ((7,), (5,), 4, [(6,), (2,), (3,)])])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
