# SPDX-License-Identifier: MIT
"""Datasets with any pipeline, mask and layout, through h5py's low level."""

import ctypes
import itertools
import zlib

import h5py
import numpy as np

import frames
from voxels import fletcher32, lz4_chunk, shuffled, voxels, zstd_frame

GZIP, SHUFFLE, FLETCHER, LZ4, ZSTD = 1, 2, 3, 32004, 32015
BLOSC2 = 32026
# What HDF5 1.10, the scanner's library, calls latest; newer ones go further.
LATEST = ("v110", "v110")
OPTIONAL = h5py.h5z.FLAG_OPTIONAL


def libhdf5():
    """The HDF5 library that h5py runs on, for calls h5py does not make."""
    with open("/proc/self/maps") as f:
        for line in f:
            path = line.split()[-1]
            name = path.rsplit("/", 1)[-1]
            if name.startswith("libhdf5") and "_hl" not in name:
                return ctypes.CDLL(path)
    return None


def set_istore_k(fcpl, k):
    return libhdf5().H5Pset_istore_k(ctypes.c_int64(fcpl.id), k)


def dont_filter_edges(dcpl):
    """H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS."""
    return libhdf5().H5Pset_chunk_opts(ctypes.c_int64(dcpl.id), 2)


def encode(data, filters, itemsize, mask=0):
    """A chunk as the pipeline [(id, params)] stores it, less masked steps."""
    data = bytes(data)
    for i, (number, params) in enumerate(filters):
        if mask >> i & 1:
            continue
        if number == GZIP:
            data = zlib.compress(data, params[0] if params else 1)
        elif number == SHUFFLE:
            data = shuffled(data, itemsize)
        elif number == FLETCHER:
            data += fletcher32(data)
        elif number == LZ4:
            data = lz4_chunk(data, *params)
        elif number == ZSTD:
            data = zstd_frame(data)
        elif number == BLOSC2:
            data = frames.filter_frame(data, params)
        else:
            raise ValueError(number)
    return data


def dataset(
    group,
    name,
    shape,
    dtype,
    chunks=None,
    filters=(),
    maxshape=None,
    fill=None,
    data=True,
    skip=(),
    masks=None,
    edges=False,
    alloc=None,
    fill_time=None,
    compact=False,
):
    """A dataset of voxels() with its chunks written one by one.

    data: True for voxels(), an array, or None to store nothing at all.
    skip: chunk indices that are not stored. masks: {chunk index: mask}.
    edges: partial chunks are not filtered. Returns the h5py dataset.
    """
    shape, dtype = tuple(shape), np.dtype(dtype)
    space = h5py.h5s.create_simple(shape, maxshape and tuple(
        h5py.h5s.UNLIMITED if m is None else m for m in maxshape))
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if chunks:
        dcpl.set_chunk(tuple(chunks))
    if compact:
        dcpl.set_layout(h5py.h5d.COMPACT)
    for number, params in filters:
        if number == SHUFFLE:
            dcpl.set_shuffle()
        elif number == FLETCHER:
            dcpl.set_fletcher32()
        elif number == LZ4:
            dcpl.set_filter(number, OPTIONAL, tuple(params[:1]))
        else:
            dcpl.set_filter(number, OPTIONAL, tuple(params))
    if edges:
        dont_filter_edges(dcpl)
    if alloc is not None:
        dcpl.set_alloc_time(alloc)
    if fill_time is not None:
        dcpl.set_fill_time(fill_time)
    if fill is not None:
        dcpl.set_fill_value(np.asarray(fill, dtype))
    d = h5py.Dataset(
        h5py.h5d.create(
            group.id, name.encode(), h5py.h5t.py_create(dtype, logical=True),
            space, dcpl,
        )
    )
    if data is None:
        return d
    whole = data is True
    if whole:
        data = voxels(shape, dtype)
    data = np.asarray(data, dtype)
    if not chunks:
        if data.size:
            d[...] = data
    else:
        _write_chunks(d, data, chunks, filters, fill, skip, masks, edges)
    if whole and not skip:
        d.attrs["voxels"] = "hash"
    return d


def _write_chunks(d, data, chunks, filters, fill, skip, masks, edges):
    dtype = data.dtype
    grid = [range(-(-n // c)) for n, c in zip(data.shape, chunks)]
    for at in itertools.product(*grid):
        if at in skip:
            continue
        first = tuple(i * c for i, c in zip(at, chunks))
        part = data[tuple(slice(f, f + c) for f, c in zip(first, chunks))]
        chunk = np.full(chunks, 0 if fill is None else fill, dtype)
        chunk[tuple(slice(n) for n in part.shape)] = part
        mask = (masks or {}).get(at, 0)
        cut = part.shape != tuple(chunks)
        pipeline = () if edges and cut else filters
        d.id.write_direct_chunk(
            first, encode(chunk.tobytes(), pipeline, dtype.itemsize, mask), mask
        )
