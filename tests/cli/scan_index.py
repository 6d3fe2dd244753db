# SPDX-License-Identifier: MIT
"""Chunk addresses: the bytes there must decode to the right voxels."""

import ctypes
import itertools
import os
import sys
import tempfile
import unittest
import zlib

import h5py
import numpy as np

import scan_driver as scan

MIX = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F]


def voxels(shape, dtype):
    """A mixing function of the coordinates: swapped axes show."""
    v = np.zeros(shape, np.uint64)
    for k, n in enumerate(shape):
        at = [1] * len(shape)
        at[k] = n
        v ^= (np.arange(1, n + 1, dtype=np.uint64).reshape(at) *
              np.uint64(MIX[k]))
    v ^= v >> np.uint64(15)
    return (v & np.uint64(0x7FFF)).astype(dtype)


def undo(filters, mask, data, size):
    for k in reversed(range(len(filters))):
        if mask >> k & 1:
            continue
        f = filters[k]
        if f.id == 1:
            data = zlib.decompress(data)
        elif f.id == 2:
            n = f.params[0]
            data = np.frombuffer(data, 'u1').reshape(n, -1).T.tobytes()
        elif f.id == 3:
            data = data[:-4]
        else:
            raise AssertionError('filter %d' % f.id)
    assert len(data) == size, (len(data), size)
    return data


def libhdf5():
    """The library that h5py uses, for calls it does not wrap."""
    with open('/proc/self/maps') as f:
        for line in f:
            name = line.split()[-1]
            if 'libhdf5' in os.path.basename(name) and '_hl' not in name:
                return ctypes.CDLL(name)
    raise unittest.SkipTest('h5py without a shared libhdf5')


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.dir.name, 't.h5')

    def tearDown(self):
        self.dir.cleanup()

    def check(self, path, want, missing=(), where='/d'):
        """want: the values. missing: chunk coordinates without storage."""
        t = scan.tree(path)
        a = t[where]
        self.assertEqual(a.problems, [])
        self.assertEqual(a.refused, '')
        self.assertEqual(a.layout, scan.CHUNKED)
        self.assertEqual(a.shape, want.shape)
        x = scan.index(path, a)
        self.assertEqual(x.broken, set())
        grid = scan.grid(a)
        with open(path, 'rb') as f:
            for slot, at in enumerate(itertools.product(
                    *[range(g) for g in grid])):
                if at in missing:
                    self.assertNotIn(slot, x.chunks, at)
                    continue
                self.assertIn(slot, x.chunks, at)
                self.check_chunk(f, a, at, x.chunks[slot], want)
        self.assertEqual(x.allocated, len(x.chunks))
        self.check_range(path, a, x)
        return a, x

    def check_range(self, path, a, x):
        """A part of the grid gives what the whole gave."""
        n = scan.slots(a)
        first, count = n // 3, n // 2
        part = scan.index(path, a, first, count)
        self.assertEqual(part.chunks, {
            s: c for s, c in x.chunks.items() if first <= s < first + count})

    def check_chunk(self, f, a, at, chunk, want):
        addr, size, mask = chunk
        f.seek(addr)
        data = f.read(size)
        self.assertEqual(len(data), size)
        lo = [i * c for i, c in zip(at, a.chunk)]
        hi = [min(l + c, d) for l, c, d in zip(lo, a.chunk, a.shape)]
        edge = any(h - l < c for l, h, c in zip(lo, hi, a.chunk))
        if edge and a.flags & scan.EDGE_UNFILTERED:
            self.assertEqual(mask, 0)
            mask = 0xFFFFFFFF
        n = int(np.prod(a.chunk)) * a.item_size
        v = np.frombuffer(undo(a.filters, mask, data, n),
                          a.order.replace('|', '<') + a.kind +
                          str(a.item_size)).reshape(a.chunk)
        v = v[tuple(slice(0, h - l) for l, h in zip(lo, hi))]
        np.testing.assert_array_equal(
            v, want[tuple(slice(l, h) for l, h in zip(lo, hi))])


class EveryIndex(Case):
    # libver, shape, maxshape, chunks, compressed, index type
    kinds = [
        ('earliest', (6, 8), None, (2, 2), True, 0),
        ('earliest', (6, 8), (6, None), (2, 2), False, 0),
        ('earliest', (5, 7, 9), None, (2, 3, 4), True, 0),
        ('earliest', (11,), (None,), (4,), False, 0),
        ('latest', (6, 8), None, (6, 8), True, 1),
        ('latest', (6, 8), None, (6, 8), False, 1),
        ('latest', (6, 8), None, (2, 2), True, 3),
        ('latest', (6, 8), None, (2, 2), False, 3),
        ('latest', (6, 8), (10, 20), (2, 2), True, 3),
        ('latest', (60, 80), None, (1, 2), True, 3),
        ('latest', (6, 8), (None, 8), (2, 2), True, 4),
        ('latest', (6, 8), (6, None), (2, 2), False, 4),
        ('latest', (6, 8), (6, None), (2, 2), True, 4),
        ('latest', (4, 6, 8), (4, None, 8), (2, 2, 2), True, 4),
        ('latest', (4, 60, 8), (4, None, 16), (1, 1, 2), False, 4),
        ('latest', (6, 8), (None, None), (2, 2), True, 5),
        ('latest', (6, 8), (None, None), (2, 2), False, 5),
        ('latest', (50, 41), (None, None), (1, 2), True, 5),
        ('latest', (5,), (None,), (8,), True, 4),
        (('v108', 'v108'), (6, 8), None, (2, 2), True, 0),
    ]

    def one(self, libver, shape, maxshape, chunks, packed, index, block):
        want = voxels(shape, '<i2')
        with h5py.File(self.path, 'w', libver=libver,
                       userblock_size=block) as f:
            f.create_dataset(
                'd', data=want, maxshape=maxshape, chunks=chunks,
                compression='gzip' if packed else None, shuffle=packed)
        a, _ = self.check(self.path, want)
        self.assertEqual(a.index, index)

    def test_every_index(self):
        for kind in self.kinds:
            for block in 0, 512, 4096:
                with self.subTest(kind=kind, block=block):
                    self.one(*kind, block)

    def test_implicit(self):
        want = voxels((6, 8), '<i2')
        for block in 0, 1024:
            with h5py.File(self.path, 'w', libver='latest',
                           userblock_size=block) as f:
                p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                p.set_chunk((4, 3))
                p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                d = h5py.h5d.create(f.id, b'd', h5py.h5t.STD_I16LE,
                                    h5py.h5s.create_simple((6, 8)), p)
                h5py.Dataset(d)[...] = want
            a, _ = self.check(self.path, want)
            self.assertEqual(a.index, 2)

    def test_missing(self):
        for libver, maxshape in (
                ('earliest', None), ('latest', None), ('latest', (None, 8)),
                ('latest', (6, None)), ('latest', (None, None))):
            with self.subTest(libver=libver, maxshape=maxshape):
                want = voxels((6, 8), '<i4')
                with h5py.File(self.path, 'w', libver=libver) as f:
                    d = f.create_dataset('d', (6, 8), '<i4', chunks=(2, 2),
                                         maxshape=maxshape,
                                         compression='gzip')
                    d[0:2, 2:8] = want[0:2, 2:8]
                    d[4:6, 0:4] = want[4:6, 0:4]
                there = {(0, 1), (0, 2), (0, 3), (2, 0), (2, 1)}
                gone = set(itertools.product(range(3), range(4))) - there
                self.check(self.path, want, gone)

    def test_no_storage(self):
        for libver in 'earliest', 'latest':
            with h5py.File(self.path, 'w', libver=libver) as f:
                f.create_dataset('d', (1 << 40, 1 << 20), 'f8',
                                 chunks=(16, 16), maxshape=(None, None))
                f.create_dataset('zero', (0, 7), 'f8', chunks=(4, 4),
                                 maxshape=(None, 7))
            t = scan.tree(self.path)
            for name in 'd', 'zero':
                x = scan.index(self.path, t[name])
                self.assertEqual((x.chunks, x.allocated), ({}, 0))

    def test_sparse(self):
        """Few chunks in a grid that nobody would walk to the end."""
        for libver in 'earliest', 'latest':
            with h5py.File(self.path, 'w', libver=libver) as f:
                d = f.create_dataset('d', (1 << 40,), 'i4', chunks=(16,),
                                     maxshape=(None,))
                d[16000:16016] = 7
            x = scan.index(self.path, scan.tree(self.path)['d'])
            self.assertEqual(list(x.chunks), [1000])
            self.assertEqual(x.allocated, 1)

    def test_shrunk(self):
        want = voxels((9, 9), '<u2')
        with h5py.File(self.path, 'w') as f:
            d = f.create_dataset('d', data=want, chunks=(4, 4),
                                 maxshape=(None, None), compression='gzip')
            d.resize((6, 5))
        self.check(self.path, want[:6, :5])

    def test_edge_flag(self):
        lib = libhdf5()
        want = voxels((10, 10), '<i4')
        with h5py.File(self.path, 'w') as f:
            p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            p.set_chunk((4, 4))
            p.set_deflate(4)
            lib.H5Pset_chunk_opts.argtypes = [ctypes.c_int64, ctypes.c_uint]
            self.assertEqual(lib.H5Pset_chunk_opts(p.id, 2), 0)
            d = h5py.h5d.create(f.id, b'd', h5py.h5t.STD_I32LE,
                                h5py.h5s.create_simple((10, 10)), p)
            h5py.Dataset(d)[...] = want
        a, x = self.check(self.path, want)
        self.assertTrue(a.flags & scan.EDGE_UNFILTERED)
        self.assertEqual(x.chunks[8][1], 64)

    def test_masks(self):
        want = voxels((4, 8), '<i2')
        with h5py.File(self.path, 'w') as f:
            d = f.create_dataset('d', (4, 8), '<i2', chunks=(2, 4),
                                 compression='gzip', shuffle=True)
            for k, mask in enumerate((0, 1, 2, 3)):
                at = (k // 2 * 2, k % 2 * 4)
                data = want[at[0]:at[0] + 2, at[1]:at[1] + 4].tobytes()
                if not mask & 1:
                    data = np.frombuffer(data, 'u1').reshape(
                        -1, 2).T.tobytes()
                if not mask & 2:
                    data = zlib.compress(data)
                d.id.write_direct_chunk(at, data, mask)
        a, x = self.check(self.path, want)
        self.assertEqual([f.id for f in a.filters], [2, 1])
        self.assertEqual([x.chunks[s][2] for s in range(4)], [0, 1, 2, 3])

    def test_big_endian_fletcher(self):
        want = voxels((5, 6), '>i4')
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('d', data=want, chunks=(2, 5), fletcher32=True,
                             compression='gzip', shuffle=True)
        a, _ = self.check(self.path, want)
        self.assertEqual(a.order, '>')
        self.assertEqual([f.id for f in a.filters], [2, 1, 3])

    def test_many_in_few_reads(self):
        """10^5 chunks of a v1 B-tree: the source is asked in large pieces."""
        n = 100000
        with h5py.File(self.path, 'w') as f:
            d = f.create_dataset('d', (100, n // 100, 2), 'u1',
                                 chunks=(1, 1, 2))
            for i in range(100):
                d[i] = i
        a = scan.tree(self.path)['d']
        x = scan.index(self.path, a)
        self.assertEqual((len(x.chunks), x.allocated), (n, n))
        size = os.path.getsize(self.path)
        self.assertLess(x.reply.reads, 16 + size // (400 << 10))
        self.assertLess(x.reply.bytes, size * 1.1)


class Broken(Case):
    def smash(self, libver, signature, maxshape=None):
        """Overwrite one index node; what it does not hold stays right."""
        want = voxels((40, 40), '<i2')
        with h5py.File(self.path, 'w', libver=libver) as f:
            f.create_dataset('d', data=want, chunks=(1, 2),
                             maxshape=maxshape, compression='gzip')
        a = scan.tree(self.path)['d']
        good = scan.index(self.path, a)
        self.assertEqual(len(good.chunks), scan.slots(a))
        with open(self.path, 'r+b') as f:
            data = f.read()
            at = data.rindex(signature)
            f.seek(at)
            f.write(b'X')
        bad = scan.index(self.path, a)
        self.assertEqual(bad.allocated, -1)
        self.assertTrue(bad.broken)
        for slot, c in bad.chunks.items():
            self.assertEqual(c, good.chunks[slot])
        self.assertEqual(len(bad.chunks) + len(bad.broken), len(good.chunks))
        return bad

    def test_btree1(self):
        bad = self.smash('earliest', b'TREE\x01\x00')
        self.assertTrue(bad.chunks)

    def test_btree2(self):
        self.smash('latest', b'BTLF', (None, None))

    def test_fixed_array(self):
        self.smash('latest', b'FADB')

    def test_extensible_array(self):
        self.smash('latest', b'EADB', (40, None))

    def test_past_the_end(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('d', data=voxels((4, 4), '<i2'), chunks=(2, 2))
        a = scan.tree(self.path)['d']
        x = scan.index(self.path, a)
        addr = x.chunks[3][0]
        with open(self.path, 'r+b') as f:
            data = f.read()
            at = data.index(addr.to_bytes(8, 'little'),
                            data.index(b'TREE\x01'))
            f.seek(at)
            f.write((1 << 40).to_bytes(8, 'little'))
        y = scan.index(self.path, a)
        self.assertEqual(y.broken, {3})
        del x.chunks[3]
        self.assertEqual(y.chunks, x.chunks)

    def test_not_an_array(self):
        with h5py.File(self.path, 'w') as f:
            f['d'] = np.arange(5)
        t = scan.tree(self.path)
        for obj in t[''], t['d'], scan.Record(addr=3):
            with self.assertRaises(scan.Fail):
                scan.index(self.path, obj, 0, 1)

    def test_out_of_range(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('d', data=voxels((4, 4), 'i2'), chunks=(2, 2))
        a = scan.tree(self.path)['d']
        for first, count in (4, 1), (0, 5), (2**64 - 1, 2), (1, 2**64 - 1):
            with self.assertRaises(scan.Fail):
                scan.index(self.path, a, first, count)
        self.assertEqual(scan.index(self.path, a, 4, 0).chunks, {})


if __name__ == '__main__':
    unittest.main(verbosity=2)
