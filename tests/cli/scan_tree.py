# SPDX-License-Identifier: MIT
"""The catalog of a file against what h5py says about it."""

import os
import tempfile
import unittest

import h5py
import numpy as np

import scan_driver as scan

# HDF5 1.10 cannot read the virtual datasets of later versions.
OLD = ('v110', 'v110')


def low(f, name, type, shape, dcpl=None, maxshape=None):
    """A dataset through the low-level interface."""
    if shape is None:
        space = h5py.h5s.create(h5py.h5s.NULL)
    elif shape == ():
        space = h5py.h5s.create(h5py.h5s.SCALAR)
    else:
        space = h5py.h5s.create_simple(shape, maxshape)
    return h5py.h5d.create(f.id, name.encode(), type, space, dcpl)


def dcpl():
    return h5py.h5p.create(h5py.h5p.DATASET_CREATE)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.dir.name, 't.h5')

    def tearDown(self):
        self.dir.cleanup()

    def tree(self, **how):
        return scan.tree(self.path, **how)

    def stored(self, a):
        with open(self.path, 'rb') as f:
            f.seek(a.data_addr)
            return f.read(a.data_size)

    def attrs(self, **values):
        with h5py.File(self.path, 'w') as f:
            for k, v in values.items():
                f.attrs[k] = v
        return self.tree()[''].attrs


class Layout(Case):
    def test_contiguous(self):
        want = np.arange(60, dtype='<f4').reshape(3, 4, 5)
        for block in 0, 512, 2048:
            for libver in 'earliest', 'latest':
                with h5py.File(self.path, 'w', userblock_size=block,
                               libver=libver) as f:
                    f['g/d'] = want
                a = self.tree()['g/d']
                self.assertEqual(a.layout, scan.CONTIGUOUS)
                self.assertEqual((a.kind, a.order, a.item_size, a.shape),
                                 ('f', '<', 4, (3, 4, 5)))
                self.assertEqual(self.stored(a), want.tobytes())
                self.assertEqual((a.refused, a.flags, a.filters),
                                 ('', 0, []))

    def test_unallocated(self):
        for block in 0, 512:
            with h5py.File(self.path, 'w', userblock_size=block) as f:
                f.create_dataset('d', (3, 4), '<i2')
                f.create_dataset('zero', (3, 0), '<i2')
                f['null'] = h5py.Empty('f4')
            t = self.tree()
            for name in 'd', 'zero', 'null':
                a = t[name]
                self.assertEqual(a.layout, scan.NO_STORAGE, name)
                self.assertEqual((a.data_addr, a.data_size), (0, 0))
                self.assertEqual(a.refused, '')
            self.assertEqual(t['null'].flags, scan.NULL_SPACE)
            self.assertEqual(t['null'].rank, 0)
            self.assertEqual(t['zero'].shape, (3, 0))
            self.assertEqual(t['zero'].flags, 0)

    def test_compact(self):
        want = np.arange(12, dtype='>i2').reshape(3, 4)
        with h5py.File(self.path, 'w') as f:
            p = dcpl()
            p.set_layout(h5py.h5d.COMPACT)
            d = low(f, 'd', h5py.h5t.STD_I16BE, (3, 4), p)
            h5py.Dataset(d)[...] = want
            low(f, 'fresh', h5py.h5t.STD_I16BE, (3, 4), p)
        t = self.tree()
        self.assertEqual(t['d'].layout, scan.COMPACT)
        self.assertEqual(t['d'].compact, want.tobytes())
        self.assertEqual(t['fresh'].compact, bytes(24))

    def test_chunked(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('d', (5, 7), 'u1', chunks=(2, 3), shuffle=True,
                             compression='gzip', compression_opts=7,
                             fletcher32=True, maxshape=(None, 7))
            f.create_dataset('lzf', (5, 7), '<f8', chunks=(5, 7),
                             compression='lzf')
        t = self.tree()
        a = t['d']
        self.assertEqual((a.layout, a.chunk), (scan.CHUNKED, (2, 3)))
        self.assertEqual([(f.id, f.params) for f in a.filters],
                         [(2, (1,)), (1, (7,)), (3, ())])
        self.assertEqual(a.filters[1].name, 'deflate')
        # A filter that is not known still has its number and parameters.
        self.assertEqual(t['lzf'].filters[0].id, 32000)
        self.assertEqual(t['lzf'].filters[0].flags & 1, 1)
        self.assertEqual(len(t['lzf'].filters[0].params), 3)

    def test_rank(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('eight', (1,) * 8, 'i4')
            f.create_dataset('nine', (1,) * 9, 'i4')
            f.create_dataset('most', (1,) * 32, 'i4', chunks=(1,) * 32)
        t = self.tree()
        self.assertEqual(t['eight'].refused, '')
        self.assertEqual(t['nine'].refused, 'rank 9 is over 8')
        self.assertEqual(t['most'].shape, (1,) * 32)

    def test_virtual(self):
        with h5py.File(self.path, 'w', libver=OLD) as f:
            v = h5py.VirtualLayout((2, 4), 'i4')
            v[0] = h5py.VirtualSource('gone\n.h5', 'a/b', (4,))
            v[1] = h5py.VirtualSource('other.h5', 'c', (4,))
            f.create_virtual_dataset('v', v)
            f['next'] = 1
        t = self.tree()
        self.assertEqual(t['v'].layout, scan.VIRTUAL)
        self.assertEqual(
            t['v'].refused,
            'virtual dataset, first source file gone?.h5 dataset a/b')
        self.assertEqual(t['next'].value.data, [1])

    def test_virtual_unlimited(self):
        """Its extent would be asked from its sources."""
        with h5py.File(self.path, 'w', libver=OLD) as f:
            p = dcpl()
            whole = h5py.h5s.create_simple((1, 4), (h5py.h5s.UNLIMITED, 4))
            whole.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1),
                                   block=(1, 4))
            for i, name in enumerate((b'%b.h5', self.path.encode())):
                q = dcpl()
                source = h5py.h5s.create_simple(
                    (1, 4), (h5py.h5s.UNLIMITED, 4))
                if i:
                    source.select_hyperslab(
                        (0, 0), (h5py.h5s.UNLIMITED, 1), block=(1, 4))
                q.set_virtual(whole, name, b'x', source)
                h5py.h5d.create(f.id, b'v%d' % i, h5py.h5t.STD_I32LE, whole,
                                q)
        t = self.tree()
        for name in 'v0', 'v1':
            self.assertEqual(t[name].layout, scan.VIRTUAL, name)

    def test_external(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('d', (4,), 'i4',
                             external=[('/etc/passwd', 0, 16)])
            f.create_dataset('s', (2,), 'S8',
                             external=[('/etc/passwd', 0, 16)])
        t = self.tree()
        for name in 'd', 's':
            self.assertEqual(t[name].layout, scan.EXTERNAL)
            self.assertEqual(t[name].refused,
                             'external storage in file /etc/passwd')
            self.assertIsNone(t[name].value)


class Fill(Case):
    def test_fill(self):
        with h5py.File(self.path, 'w') as f:
            f.create_dataset('none', (4,), '<i4', chunks=(2,))
            f.create_dataset('seven', (4,), '>i4', chunks=(2,), fillvalue=7)
            f.create_dataset('half', (4,), '<f2', fillvalue=-1.5)
            for name, when in (('never', h5py.h5d.FILL_TIME_NEVER),
                               ('alloc', h5py.h5d.FILL_TIME_ALLOC),
                               ('ifset', h5py.h5d.FILL_TIME_IFSET)):
                p = dcpl()
                p.set_chunk((2,))
                p.set_fill_time(when)
                p.set_fill_value(np.array(9, '<i4'))
                low(f, name, h5py.h5t.STD_I32LE, (4,), p)
        t = self.tree()
        self.assertEqual((t['none'].fill, t['none'].flags), (b'', 0))
        self.assertEqual(t['seven'].fill, b'\0\0\0\7')
        self.assertEqual(t['half'].fill, np.array(-1.5, '<f2').tobytes())
        self.assertEqual((t['never'].fill, t['never'].flags),
                         (b'', scan.FILL_UNDEFINED))
        self.assertEqual(t['alloc'].fill, b'\x09\0\0\0')
        self.assertEqual(t['ifset'].fill, b'\x09\0\0\0')


class Types(Case):
    def test_served(self):
        names = []
        with h5py.File(self.path, 'w') as f:
            for code in ('i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8').split():
                for order in '<>':
                    names.append(order + code)
                    f.create_dataset(names[-1], (3,), names[-1])
            f.create_dataset('bool', (3,), '?')
            for i, e in enumerate(({'false': 0, 'true': 1},
                                   {'TRUE': 1, 'FALSE': 0})):
                t = h5py.h5t.enum_create(h5py.h5t.STD_U8BE)
                for k, v in e.items():
                    t.enum_insert(k.encode(), v)
                low(f, 'b%d' % i, t, (3,))
            f['named'] = np.dtype('<i2')
            f.create_dataset('by name', (3,), f['named'])
        t = self.tree()
        for name in names:
            d, a = np.dtype(name), t[name]
            order = '|' if d.itemsize == 1 else name[0]
            self.assertEqual((a.kind, a.item_size, a.order, a.refused),
                             (d.kind, d.itemsize, order, ''))
            self.assertEqual(a.type_text, '')
        for name in 'bool', 'b0', 'b1':
            a = t[name]
            self.assertEqual((a.kind, a.item_size, a.order, a.refused),
                             ('b', 1, '|', ''))
        self.assertEqual(t['named'].kind_of, scan.OTHER)
        self.assertEqual((t['by name'].kind, t['by name'].item_size),
                         ('i', 2))

    def test_refused(self):
        half = h5py.h5t.IEEE_F32LE.copy()
        half.set_fields(15, 7, 8, 0, 7)
        half.set_size(2)
        half.set_ebias(127)
        odd = h5py.h5t.STD_I32LE.copy()
        odd.set_precision(24)
        three = h5py.h5t.STD_I32LE.copy()
        three.set_precision(24)
        three.set_size(3)
        space = h5py.h5t.IEEE_F32LE.copy()
        space.set_norm(h5py.h5t.NORM_NONE)
        yes = h5py.h5t.enum_create(h5py.h5t.STD_U8LE)
        yes.enum_insert(b'FALSE', 1)
        yes.enum_insert(b'TRUE', 0)
        many = h5py.h5t.enum_create(h5py.h5t.STD_U16LE)
        for i in range(5):
            many.enum_insert(b'n%d' % i, i)
        want = {
            'complex': (np.dtype('<c8'),
                        'compound of 2 members (r: <f4, i: <f4)'),
            'vlen str': (h5py.string_dtype(), 'variable-length string'),
            'str': (np.dtype('S7'), 'string of 7 bytes'),
            'vlen': (h5py.vlen_dtype('<i4'),
                     'variable-length sequence of <i4'),
            'array': (np.dtype(('<u2', (2, 3))), 'array of 2x3 <u2'),
            'ref': (h5py.ref_dtype, 'reference'),
            'region': (h5py.regionref_dtype, 'region reference'),
            'opaque': (h5py.opaque_dtype('<M8[s]'),
                       'opaque, 8 bytes (NUMPY:<M8[s])'),
            'wide': (np.dtype('S300'), 'string of 300 bytes'),
            'struct': (np.dtype([('a\nb', '<i4'), ('c', [('d', 'S3'), (
                'e', '>f8')])]), 'compound of 2 members (a?b: <i4, '
                'c: compound of 2 members (d: string of 3 bytes, e: >f8))'),
            'long': (np.dtype([('m%d' % i, 'i1') for i in range(9)]),
                     'compound of 9 members (m0: |i1, m1: |i1, m2: |i1, '
                     'm3: |i1, m4: |i1, m5: |i1, ...)'),
            'bfloat16': (half, 'bfloat16'),
            'odd': (odd, 'integer of 24 bits in 4 bytes'),
            'three': (three, 'integer of 24 bits in 3 bytes'),
            'norm': (space, 'floating point of 32 bits, not IEEE\'s'),
            'bits': (h5py.h5t.STD_B16LE, 'bit field of 16 bits'),
            'yes': (yes, 'enumeration over |u1 with 2 names'),
            'many': (many, 'enumeration over <u2 with 5 names'),
            'double': (h5py.h5t.NATIVE_LDOUBLE,
                       'floating point of 80 bits, not IEEE\'s'),
            'time': (h5py.h5t.UNIX_D32LE, 'time'),
        }
        with h5py.File(self.path, 'w') as f:
            for name, (t, _) in want.items():
                if isinstance(t, np.dtype):
                    t = h5py.h5t.py_create(t, logical=True)
                low(f, name, t, (3,))
            f['after'] = np.arange(3)
        t = self.tree()
        for name, (_, text) in want.items():
            a = t[name]
            self.assertEqual(a.type_text, text)
            self.assertEqual(a.refused, 'type not served yet: ' + text)
            self.assertEqual((a.kind, a.order), ('', ''))
        self.assertEqual(t['after'].refused, '')


class Attributes(Case):
    def test_numbers(self):
        want = {}
        with h5py.File(self.path, 'w') as f:
            d = f.create_dataset('d', (1,))
            g = f.create_group('g')
            for code in ('i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8').split():
                for order in '<>':
                    v = np.array([[0, 1, 100], [3, 55, 127]], order + code)
                    want[order + code] = v
                    for o in f, d, g:
                        o.attrs[order + code] = v
            for o in f, d, g:
                o.attrs['scalar'] = np.float64(0.1)
                o.attrs['yes'] = np.array([True, False])
                o.attrs['none'] = np.zeros((2, 0))
        t = self.tree()
        for where in '', 'd', 'g':
            attrs = t[where].attrs
            self.assertEqual(len(attrs), len(want) + 3)
            for name, v in want.items():
                a = attrs[name]
                self.assertEqual(
                    (a.cls, chr(a.kind), a.item_size, a.shape),
                    (scan.NUMBERS, v.dtype.kind, v.dtype.itemsize, (2, 3)))
                self.assertEqual(a.data, v.ravel().tolist())
            self.assertEqual(attrs['scalar'].data, [0.1])
            self.assertEqual(attrs['scalar'].shape, ())
            self.assertEqual((chr(attrs['yes'].kind), attrs['yes'].data),
                             ('b', [True, False]))
            self.assertEqual((attrs['none'].shape, attrs['none'].data),
                             ((2, 0), []))

    def test_strings(self):
        text = 'Größe\n'.encode()
        a = self.attrs(
            v='Größe\n', f=np.bytes_(b'abc  '), e='', fe=np.bytes_(b''),
            a=np.array([b'a', b'bcd', b''], 'S5'),
            va=np.array(['x', '', 'zzz'], h5py.string_dtype()))
        got = {k: (x.cls, x.shape, x.data) for k, x in a.items()}
        s = scan.STRINGS
        self.assertEqual(got, {
            'v': (s, (), [text]), 'f': (s, (), [b'abc  ']),
            'e': (s, (), [b'']), 'fe': (s, (), [b'']),
            'a': (s, (3,), [b'a', b'bcd', b'']),
            'va': (s, (3,), [b'x', b'', b'zzz'])})

    def test_padding(self):
        """Null-terminated, null-padded and space-padded strings."""
        want = []
        with h5py.File(self.path, 'w') as f:
            for pad, raw, text in (
                    (h5py.h5t.STR_NULLTERM, b'ab\0cd\0', b'ab'),
                    (h5py.h5t.STR_NULLPAD, b'a\0b\0\0\0', b'a\0b'),
                    (h5py.h5t.STR_SPACEPAD, b' ab   ', b' ab'),
                    (h5py.h5t.STR_NULLPAD, b'abcdef', b'abcdef')):
                t = h5py.h5t.C_S1.copy()
                t.set_size(6)
                t.set_strpad(pad)
                name = b'p%d' % len(want)
                x = h5py.h5a.create(f.id, name, t,
                                    h5py.h5s.create(h5py.h5s.SCALAR))
                x.write(np.array(raw, 'S6'), mtype=t)
                want.append(text)
        attrs = self.tree()[''].attrs
        self.assertEqual([attrs['p%d' % i].data[0] for i in range(4)], want)

    def test_other_classes(self):
        with h5py.File(self.path, 'w') as f:
            f['x'] = 1
            f.attrs['empty'] = h5py.Empty('f4')
            f.attrs['ref'] = f['x'].ref
            f.attrs['complex'] = 1 + 2j
            f.attrs['struct'] = np.array((1, 2, 3), 'i4,f4,S2')
            f.attrs['opaque'] = np.array([3], 'M8[s]').astype(
                h5py.opaque_dtype('M8[s]'))
            f.attrs['long double'] = np.longdouble(1)
            x = h5py.h5a.create(
                f.id, b'array type', h5py.h5t.array_create(
                    h5py.h5t.STD_I16BE, (2, 3)), h5py.h5s.create_simple((2,)))
            x.write(np.arange(12, dtype='>i2').reshape(2, 2, 3),
                    mtype=h5py.h5t.array_create(h5py.h5t.STD_I16BE, (2, 3)))
            t = h5py.h5t.enum_create(h5py.h5t.STD_I16BE)
            for i, n in enumerate((b'a', b'b', b'c')):
                t.enum_insert(n, i * 300)
            x = h5py.h5a.create(f.id, b'enum', t,
                                h5py.h5s.create_simple((2,)))
            x.write(np.array([300, 600], '>i2'), mtype=t)
            x = h5py.h5a.create(f.id, b'bits', h5py.h5t.STD_B8LE,
                                h5py.h5s.create_simple((2,)))
            x.write(np.array([1, 255], 'u1'), mtype=h5py.h5t.STD_B8LE)
            f.create_dataset('dims', data=np.arange(4)).make_scale('s')
            f['y'] = np.arange(4)
            f['y'].dims[0].attach_scale(f['dims'])
        t = self.tree()
        a = t[''].attrs
        self.assertEqual(a['empty'].cls, scan.EMPTY)
        shown = {k: x.data for k, x in a.items() if x.cls == scan.UNSHOWN}
        self.assertEqual(shown, {
            'ref': 'reference',
            'complex': 'compound of 2 members (r: <f8, i: <f8)',
            'struct': 'compound of 3 members (f0: <i4, f1: <f4, f2: string '
                      'of 2 bytes)',
            'opaque': 'opaque, 8 bytes (NUMPY:<M8[s])',
            'long double': 'floating point of 80 bits, not IEEE\'s'})
        self.assertEqual(a['array type'].data, list(range(12)))
        self.assertEqual(a['array type'].shape, (2, 2, 3))
        self.assertEqual((chr(a['enum'].kind), a['enum'].data),
                         ('i', [300, 600]))
        self.assertEqual(a['bits'].data, [1, 255])
        self.assertEqual(
            t['y'].attrs['DIMENSION_LIST'].data,
            'variable-length sequence of reference')
        self.assertIn('CLASS', t['dims'].attrs)
        self.assertEqual([o.problems for o in t.objects],
                         [[]] * len(t.objects))

    def test_large(self):
        with h5py.File(self.path, 'w', libver='latest') as f:
            f.attrs['fits'] = np.arange(8192)
            f.attrs['not'] = np.arange(10240, dtype='i8')
            f.attrs['str'] = np.bytes_(b'x' * 65533)
            f.attrs['str ok'] = np.bytes_(b'x' * 65532)
            f.attrs['vlen'] = 'y' * 70000
            for i in range(1000):
                f.attrs['a%04d' % i] = i
        a = self.tree()[''].attrs
        self.assertEqual(a['fits'].data, list(range(8192)))
        self.assertEqual(a['not'].data, 'too large: 81920 bytes')
        self.assertEqual(a['str'].data, 'too large: 65537 bytes')
        self.assertEqual(a['str ok'].data, [b'x' * 65532])
        self.assertEqual(a['vlen'].data, 'too large: 70004 bytes')
        self.assertEqual([a['a%04d' % i].data[0] for i in range(1000)],
                         list(range(1000)))


class Values(Case):
    def test_values(self):
        with h5py.File(self.path, 'w') as f:
            f['i'] = 5
            f['be'] = np.array(258, '>u2')
            f['f'] = 0.1
            f['yes'] = True
            f['s'] = 'text'
            f['fixed'] = np.bytes_(b'ab')
            f['list'] = ['a', 'bb', 'ccc']
            f['grid'] = np.array([[b'a', b'b'], [b'c', b'']], 'S2')
            f.create_dataset('packed', data=np.array([b'q'] * 50, 'S9'),
                             chunks=(7,), compression='gzip', shuffle=True)
            f.create_dataset('unwritten', (2,), h5py.string_dtype())
            f.create_dataset('no filter', data=np.array([b'q'] * 50, 'S9'),
                             chunks=(7,), compression='lzf')
            f['long'] = 'x' * 4093
            f['fits'] = 'x' * 4092
            f['vector'] = np.arange(3)
            f['complex'] = 1j
            f['null'] = h5py.Empty('S3')
        t = self.tree()
        got = {k: t[k].value.data for k in (
            'i', 'be', 'f', 'yes', 's', 'fixed', 'list', 'grid', 'packed',
            'unwritten')}
        self.assertEqual(got, {
            'i': [5], 'be': [258], 'f': [0.1], 'yes': [True],
            's': [b'text'], 'fixed': [b'ab'], 'list': [b'a', b'bb', b'ccc'],
            'grid': [b'a', b'b', b'c', b''], 'packed': [b'q'] * 50,
            'unwritten': [b'', b'']})
        self.assertEqual(t['grid'].value.shape, (2, 2))
        for k in 'long', 'vector', 'complex', 'null', 'no filter':
            self.assertIsNone(t[k].value, k)
        self.assertEqual(t['fits'].value.data, [b'x' * 4092])
        self.assertEqual(len(t['no filter'].problems), 1)
        # Nothing of it when nothing is asked for.
        t = self.tree(value_max=0)
        self.assertEqual([o for o in t.objects
                          if getattr(o, 'value', None)], [])


if __name__ == '__main__':
    unittest.main(verbosity=2)
