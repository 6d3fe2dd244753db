#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of the fuzz targets catalog, index, label, stored, sidecar
and blosc2: a smallest good input, one with everything, one for each thing that
is refused.

    tests/fuzz/make-corpus.py            into tests/fuzz/corpus
    tests/fuzz/make-corpus.py DIR
"""
import hashlib
import math
import os
import re
import struct
import sys
import zlib

GROUP, ARRAY, OTHER, LINK, ATTR, VALUE, PROBLEM = range(1, 8)
CONTIGUOUS, COMPACT, CHUNKED, VIRTUAL, EXTERNAL, NO_STORAGE = range(1, 7)


def pad(b):
    return b + bytes(-len(b) % 8)


def record(kind, body):
    body = pad(body)
    return struct.pack('<II', kind, 8 + len(body)) + body


def group(addr=96):
    return record(GROUP, struct.pack('<Q', addr))


def filt(number, param=(), name=b'', flags=0):
    head = struct.pack('<IIII', number, flags, len(param), len(name))
    return head + pad(struct.pack('<%dI' % len(param), *param) + name)


def array(dim=(10, 20, 30), chunk=(4, 4, 4), kind=b'i', order=b'<', item=2,
          layout=CHUNKED, index=0, flags=0, filters=(), fill=b'', compact=b'',
          type_text=b'', refused=b'', addr=800, data=(0, 0), rank=None,
          nfilter=None):
    head = struct.pack(
        '<QQQccBBIIIIIIIII', addr, data[0], data[1], kind, order, layout,
        index, item, len(dim) if rank is None else rank, flags,
        len(filters) if nfilter is None else nfilter, len(fill), len(compact),
        len(type_text), len(refused), 0)
    body = head + struct.pack('<%dQ' % len(dim), *dim)
    if layout == CHUNKED:
        body += struct.pack('<%dQ' % len(chunk), *chunk)
    body += b''.join(filters)
    for part in fill, compact, type_text, refused:
        body += pad(part)
    return record(ARRAY, body)


def link(parent, name, target=0, kind=1, path=b'', file=b''):
    head = struct.pack('<IIIIII', parent, kind, target, len(name), len(path),
                       len(file))
    return record(LINK, head + name + path + file)


def attr(owner, name, cls=1, kind=b'i', item=4, dim=(), data=b'', rec=ATTR):
    head = struct.pack('<IBcBBIIII', owner, cls, kind, item, 0, len(dim),
                       len(name), len(data), 0)
    return record(rec, head + struct.pack('<%dQ' % len(dim), *dim) +
                  pad(name) + pad(data))


def problem(owner, text):
    return record(PROBLEM, struct.pack('<II', owner, len(text)) + text)


def catalogs():
    root = group()
    deflate, shuffle = filt(1, (6,), b'deflate'), filt(2, (2,), b'shuffle')
    yield 'empty', b''
    yield 'root', root
    yield 'everything', b''.join((
        root, group(200), array(filters=(shuffle, deflate), fill=b'\1\2'),
        array((3,), (), layout=COMPACT, compact=b'123456'),
        array((3,), (), layout=CONTIGUOUS, data=(4096, 6)),
        array((), (), layout=NO_STORAGE, flags=1),
        array(kind=b'\0', order=b'\0', item=24, type_text=b'compound'),
        record(OTHER, struct.pack('<Q', 300)),
        link(0, b'group', 1), link(1, b'up', 0), link(1, b'a', 2),
        link(1, b'b', 3), link(0, b'c', 4), link(0, b'null', 5),
        link(0, b'compound', 6), link(0, b'other', 7), link(0, b'again', 2),
        link(0, b'soft', kind=2, path=b'/group/a'),
        link(0, b'ext', kind=3, path=b'/x', file=b'other.h5'),
        link(0, b'ud', kind=4),
        attr(0, b'numbers', data=b'1234abcd', dim=(2,)),
        attr(2, b'text', cls=2, data=b'\3\0\0\0abc'),
        attr(2, b'none', cls=3), attr(3, b'ref', cls=4, data=b'reference'),
        attr(3, b'', cls=1, kind=b'f', item=2, dim=(3,), data=b'123456',
             rec=VALUE),
        problem(2, b'something is wrong')))
    yield 'names-twice', root + link(0, b'x') + link(0, b'x') + link(0, b'y/')
    yield 'unreachable', root + group() + array() + link(1, b'a', 2)
    yield 'cycle', root + group() + link(0, b'a', 1) + link(1, b'b', 1)

    good = {
        'filter-unknown': dict(filters=(filt(32008, (0, 2), b'bitshuffle'),)),
        'filter-bare': dict(filters=(filt(1),)),
        'shuffle-zero': dict(filters=(filt(2, (0,)),)),
        'virtual': dict(layout=VIRTUAL), 'external': dict(layout=EXTERNAL),
        'rank-nine': dict(dim=(1,) * 9, chunk=(1,) * 9),
        'shape-overflow': dict(dim=(1 << 40, 1 << 40, 2)),
        'chunk-overflow': dict(chunk=(1 << 40, 1 << 40, 2)),
        'nowhere': dict(layout=CONTIGUOUS, data=(1 << 20, 12000)),
        'nowhere-overflow': dict(layout=CONTIGUOUS,
                                 data=((1 << 64) - 1, 12000)),
        'short-data': dict(layout=CONTIGUOUS, data=(0, 11999)),
        'many-filters': dict(filters=(filt(3),) * 29),
        'no-elements': dict(dim=(0, 5, (1 << 64) - 1)),
    }
    for name, args in good.items():
        yield 'array-' + name, root + array(**args) + link(0, b'a', 1)

    bad = {
        'rank': dict(rank=33), 'rank-huge': dict(rank=(1 << 32) - 1),
        'filters': dict(nfilter=33), 'filters-short': dict(nfilter=7),
        'layout': dict(layout=9), 'index': dict(index=9),
        'flags': dict(flags=64), 'chunk-zero': dict(chunk=(4, 0, 4)),
        'kind': dict(kind=b'S'), 'order': dict(order=b'='),
        'item-zero': dict(item=0), 'item-huge': dict(item=(1 << 32) - 1),
        'item-one': dict(item=1), 'fill': dict(fill=b'1'),
        'compact': dict(layout=COMPACT, compact=b'1'),
        'null-rank': dict(flags=1),
    }
    for name, args in bad.items():
        yield 'bad-' + name, root + array(**args)
    yield 'bad-root', array()
    yield 'bad-type', root + record(9, bytes(8))
    yield 'bad-size', root + struct.pack('<II', 1, 1 << 20)
    yield 'bad-size-zero', root + struct.pack('<II', 1, 0)
    yield 'bad-length', root[:12]
    yield 'bad-target', root + link(0, b'x', 1)
    yield 'bad-parent', root + array() + link(1, b'x', 0)
    yield 'bad-kind', root + link(0, b'x', kind=9)
    yield 'bad-nul', root + link(0, b'x\0y')
    yield 'bad-name', root + link(0, b'x' * 8).replace(
        struct.pack('<I', 8) + bytes(8), struct.pack('<I', 800) + bytes(8))
    yield 'bad-hard-path', root + link(0, b'x', path=b'y')
    yield 'bad-attr-owner', root + attr(1, b'x', data=b'1234')
    yield 'bad-attr-class', root + attr(0, b'x', cls=9)
    yield 'bad-attr-size', root + attr(0, b'x', data=b'123')
    yield 'bad-attr-rank', root + attr(0, b'x', dim=(1,) * 33, data=b'1234')
    yield 'bad-attr-overflow', root + attr(0, b'x', dim=(1 << 63, 8))
    yield 'bad-strings', root + attr(0, b'x', cls=2, data=b'\377\377\377\377')
    yield 'bad-value', root + attr(0, b'', data=b'1234', rec=VALUE)
    yield 'bad-two-values', root + array() + 2 * attr(1, b'', cls=3, rec=VALUE)
    yield 'bad-problem', root + problem(1, b'x')


class Sample:
    """Records of a medh5 sample with a grid "g" of 4 x 5 x 6."""
    shape = (4, 5, 6)

    def __init__(self, meta='', kind=None, root=0):
        self.n, self.out, self.root = 1, [group()], root
        if kind:
            self.text(0, 'medh5_version', '1.0')
            self.text(0, 'medh5_kind', kind)
            self.root = self.group(self.group(0, 'samples'), 'a')
        self.text(self.root, 'medh5_version', '1.2')
        doc = self.add(self.root, 'meta', array((), (), kind=b'\0',
                       order=b'\0', layout=NO_STORAGE, type_text=b'string'))
        self.strings(doc, '', (meta,), VALUE)
        self.images = self.group(self.root, 'images')
        self.annotations = self.group(self.root, 'annotations')
        grid = self.group(self.group(self.root, 'grids'), 'g')
        self.strings(grid, 'axis_kinds', ('spatial',) * len(self.shape))
        self.ints(grid, 'shape', self.shape)
        self.ints(grid, 'patch_hint', (2,) * len(self.shape))

    def add(self, parent, name, rec):
        self.out += [rec, link(parent, name.encode(), self.n)]
        self.n += 1
        return self.n - 1

    def group(self, parent, name):
        return self.add(parent, name, group(96 + 8 * self.n))

    def array(self, parent, name, dim, kind, item):
        return self.add(parent, name, array(
            dim, (), kind=kind, item=item, layout=NO_STORAGE,
            order=b'|' if item == 1 else b'<'))

    def strings(self, owner, name, texts, rec=ATTR):
        self.out.append(attr(
            owner, name.encode(), 2, dim=(len(texts),) * (len(texts) > 1),
            data=b''.join(struct.pack('<I', len(t)) + t.encode()
                          for t in texts), rec=rec))

    def text(self, owner, name, s):
        self.strings(owner, name, (s,))

    def ints(self, owner, name, v, dim=None, rec=ATTR):
        self.out.append(attr(owner, name.encode(), 1, b'u', 2,
                             dim or (len(v),), struct.pack('<%dH' % len(v),
                                                           *v), rec))

    def real(self, owner, name, v):
        self.out.append(attr(owner, name.encode(), 1, b'f', 8, (),
                             struct.pack('<d', v)))

    def annotation(self, name, kind, ids=(3, 1, 2), *attrs):
        a = self.group(self.annotations, name)
        for k, v in (('kind', kind), ('grid', 'g'), *attrs):
            self.text(a, k, v)
        if kind != 'mask':
            self.ints(a, 'class_ids', ids)
        return a

    def every(self):
        g = self.shape
        closed = ('closure', 'implicit'), ('ignore_mask', 'fov')
        self.array(self.annotation('fov', 'mask'), 'data', g, b'b', 1)
        self.array(self.annotation('map', 'labelmap', (3, 1, 2), *closed),
                   'data', g, b'u', 2)
        a = self.annotation('layers', 'layers', (3, 1, 2), *closed)
        self.array(a, 'data', (2,) + g, b'u', 1)
        t = self.array(a, 'layer_class_ids', (2, 2), b'u', 2)
        self.ints(t, '', (3, 0, 1, 2), (2, 2), VALUE)
        a = self.annotation('bits', 'bitmask')
        self.array(a, 'data', (1,) + g, b'u', 8)
        t = self.array(a, 'bit_class_ids', (3,), b'u', 2)
        self.ints(t, '', (1, 2, 3), rec=VALUE)
        a = self.annotation('prob', 'probmap')
        self.array(a, 'data', (3,) + g, b'f', 2)
        self.real(a, 'threshold', 0.3)
        a = self.annotation('objects', 'instances')
        for n, dim, kind, item in (
                ('boxes', (7, 3, 2), b'f', 4), ('class_ids', (7,), b'u', 2),
                ('mask_data', (50,), b'u', 1), ('mask_offsets', (8,), b'u', 8),
                ('mask_shapes', (7, 3), b'i', 4)):
            self.array(a, n, dim, kind, item)
        im = self.array(self.images, 'CT', g, b'i', 2)
        self.text(im, 'grid', 'g')
        self.real(im, 'rescale_slope', 2)
        self.text(im, 'valid_mask', 'fov')
        p = self.group(self.images, 'PYR')
        self.strings(p, 'grid_levels', ('g', 'g'))
        self.real(p, 'rescale_intercept', -1000)
        self.array(p, '0', g, b'i', 2)
        self.array(p, '1', g, b'u', 1)
        c = self.group(self.root, 'clinical')
        self.out.append(link(self.images, b'alias', c))
        return self

    def bytes(self):
        return b''.join(self.out)


META = ('{"label_set": {"id": "s", "classes": [{"id": 1, "key": "a"},'
        '{"id": 2, "key": "b", "parents": [1], "color": [1, 2, 3]},'
        '{"id": 3, "key": "c", "name": "C", "parents": [2, 3]}]},'
        '"splits": [{"set_id": "s", "fold": 1}],'
        '"cohort": {"group_id": "g"}, "x": [NaN, 12345678901234567890]}')


def samples():
    yield 'medh5-empty', Sample().bytes()
    yield 'medh5-every', Sample(META).every().bytes()
    yield 'medh5-collection', Sample(META, 'collection').every().bytes()
    s = Sample(META)
    s.array(s.annotation('a', 'labelmap', (1, 1, 0)), 'data', (4,), b'f', 8)
    yield 'medh5-broken', s.bytes()
    yield 'medh5-refused', group() + attr(0, b'medh5_version', 2,
                                          data=b'\1\0\0\0002')


ZEROS = 'sha256:' + 64 * '0'


class Stored(Sample):
    """A sample whose annotation has an index; the file that it lies in."""

    def __init__(self, shape=(4, 5, 6), classes=((1, 7), (2, 3)), most=4096,
                 digest=ZEROS, source=None, algorithm='sha256', boxes=None,
                 counts=None, rows=None, ids=None, order='<', compact=False,
                 kind=None, leave=(), types=(), max_coords=True):
        """Classes are (id, every so many voxels); the rest goes wrong."""
        self.shape, self.file = shape, b''
        self.order, self.compact = order, compact
        super().__init__(META, kind)
        a = self.annotation('organs', 'labelmap', [c for c, _ in classes])
        data = self.array(a, 'data', shape, b'u', 2)
        if digest:
            self.text(data, 'digest', digest)
        line = 'data\t%s\n' % (digest or '%s:%s' % (
            algorithm, self.digest(algorithm)))
        x = self.group(self.group(self.root, 'index'), 'organs')
        if source is None:
            source = '%s:%s' % (algorithm, hashlib.new(
                algorithm, line.encode()).hexdigest())
        self.text(x, 'source_digest', source)
        if max_coords is not True or most != 4096:
            self.ints(x, 'max_coords', (
                most if max_coords is True else max_coords,), ())
        voxels = [[self.at(i) for i in range(c, math.prod(shape), every)]
                  if every else [] for c, every in classes]
        types = dict({'class_ids': 'H', 'voxel_counts': 'q',
                      'class_bboxes': 'f', 'fg_coords': 'i'}, **dict(types))
        ids = ids or [c for c, _ in classes]
        counts = counts or [len(v) for v in voxels]
        boxes = boxes or [
            b for v in voxels for k in range(len(shape))
            for b in ((min(p[k] for p in v) - .5, max(p[k] for p in v) + .5)
                      if v else (math.nan, math.nan))]
        n = len(ids)
        for name, dim, values in (
                ('class_ids', (n,), ids), ('voxel_counts', (n,), counts),
                ('class_bboxes', (n, len(shape), 2), boxes)):
            if name not in leave:
                self.stored(x, name, dim, types[name], values)
        if 'fg_coords' in leave:
            return
        g = self.group(x, 'fg_coords')
        for (c, _), v in zip(classes, voxels):
            # Every other voxel, and so on, until there are few enough.
            v = v[::-(-len(v) // most)] if len(v) > most else v
            v = (rows or {}).get(c, v[:most])
            if c not in leave:
                self.stored(g, str(c), (len(v), len(shape)),
                            types['fg_coords'], [i for p in v for i in p])

    def table(self, chunks, how=None):
        """An annotation whose table is not with the pages."""
        a = self.annotation('layers', 'layers', (3, 1, 2))
        self.array(a, 'data', (2,) + self.shape, b'u', 1)
        how = dict({'chunk': (2, 4), 'order': b'<'}, **(how or {}))
        t = self.add(a, 'layer_class_ids', array(
            (2, 4), kind=b'u', item=2, addr=4096 + 8 * self.n, **how))
        places = b''
        for slot, data, *mask in chunks:
            places += chunk(slot, len(self.file), len(data), *mask)
            self.file += data
        self.out.append(attr(t, b'', 5, b'u', 2, (2, 4), places, VALUE))
        return self

    def at(self, i):
        return tuple(i // math.prod(self.shape[k + 1:]) % self.shape[k]
                     for k in range(len(self.shape)))

    def digest(self, algorithm):
        """Of data, which is not stored, so zeros."""
        text = b'annotations/organs/data\0<u2\0%s\0' % ','.join(
            map(str, self.shape)).encode()
        return hashlib.new(algorithm, text + bytes(
            2 * math.prod(self.shape))).hexdigest()

    def stored(self, parent, name, dim, form, values):
        kind, item = {'H': (b'u', 2), 'q': (b'i', 8), 'f': (b'f', 4),
                      'i': (b'i', 4), 'I': (b'u', 4), 'd': (b'f', 8)}[form]
        data = struct.pack('%s%d%s' % (self.order, len(values), form), *values)
        self.add(parent, name, array(
            dim, (), kind=kind, item=item, order=self.order.encode(),
            layout=COMPACT if self.compact else CONTIGUOUS,
            compact=data if self.compact else b'', addr=4096 + 8 * self.n,
            data=(0, 0) if self.compact else (len(self.file), len(data))))
        if not self.compact:
            self.file += data

    def bytes(self):
        pages = super().bytes()
        return struct.pack('<I', len(pages)) + pages + self.file


def stored():
    yield 'empty', b''
    yield 'fresh', Stored().bytes()
    yield 'fresh-some', Stored(most=5).bytes()
    yield 'fresh-flat', Stored((7, 9)).bytes()
    yield 'fresh-big-endian', Stored(order='>').bytes()
    yield 'fresh-compact', Stored(compact=True).bytes()
    yield 'fresh-collection', Stored(kind='collection').bytes()
    yield 'fresh-empty-class', Stored(classes=((1, 0), (2, 3))).bytes()
    yield 'fresh-one-voxel', Stored(classes=((59, 999),)).bytes()
    yield 'fresh-no-class', Stored(classes=()).bytes()
    for a in 'sha512', 'blake2b':
        yield 'fresh-' + a, Stored(algorithm=a).bytes()
    for a in 'sha256', 'blake2b':
        yield 'fresh-computed-' + a, Stored(digest='', algorithm=a).bytes()
    yield 'stale', Stored(source=ZEROS).bytes()
    yield 'stale-computed', Stored(digest='', source=ZEROS).bytes()
    yield 'stale-upper', Stored(source='SHA256' + ZEROS[6:]).bytes()
    yield 'stale-short', Stored(source='sha256:0').bytes()
    for name in 'class_ids', 'voxel_counts', 'class_bboxes', 'fg_coords', 2:
        yield 'bad-no-%s' % name, Stored(leave=(name,)).bytes()
    for name, form in (('class_ids', 'I'), ('voxel_counts', 'd'),
                       ('class_bboxes', 'd'), ('fg_coords', 'I')):
        yield 'bad-type-' + name, Stored(types=((name, form),)).bytes()
    yield 'bad-max', Stored(max_coords=0).bytes()
    yield 'bad-ids-twice', Stored(ids=(2, 2)).bytes()
    yield 'bad-id', Stored(ids=(1, 65535)).bytes()
    for name, n in ('less', 1), ('negative', -1), ('huge', (1 << 63) - 1):
        yield 'bad-count-' + name, Stored(counts=(n, 40)).bytes()
    whole = [-.5, 3.5, -.5, 4.5, -.5, 5.5]
    for name, v in (('nan', math.nan), ('between', .25), ('beyond', 1e30),
                    ('turned', 7.), ('infinite', -math.inf)):
        yield 'bad-box-' + name, Stored(boxes=[v] + whole[1:] + whole).bytes()
    some = [(i // 30, i // 6 % 5, i % 6) for i in range(2, 120, 3)]
    for name, rows in (('order', some[::-1]), ('twice', some[:1] + some[:-1]),
                       ('outside', some[:-1] + [(4, 0, 0)]),
                       ('negative', [(0, 0, -1)] + some[1:]),
                       ('few', some[:-1]), ('wrap', some[:-1] + [
                           (2**31 - 1,) * 3])):
        yield 'bad-rows-' + name, Stored(rows={2: rows}).bytes()
    ids = struct.pack('<8H', 3, 0, 0, 1, 2, 0, 0, 0)
    packed = [zlib.compress(b) for b in (ids, ids[:8], ids[8:])]
    deflate = dict(filters=(filt(1, (6,), b'deflate'),))
    whole = 0, ids
    for name, args in (
            ('whole', ((whole,),)), ('deflate', (((0, packed[0]),), deflate)),
            ('masked', (((0, ids, 1),), deflate)),
            ('two', (((0, packed[1]), (1, packed[2])),
                     dict(deflate, chunk=(1, 4)))),
            ('bad-missing', ((), deflate)),
            ('bad-cut', (((0, packed[0][:-3]),), deflate)),
            ('bad-short', (((0, ids[:-2]),),)),
            ('bad-huge', ((whole,), dict(chunk=(1 << 30, 1 << 30)))),
            ('bad-filter', ((whole,), dict(filters=(filt(300),))))):
        yield 'table-' + name, Stored().table(*args).bytes()
    yield 'bad-beyond', Stored().bytes()[:-400]


def indexed():
    """The same for the target that looks at catalogs alone."""
    for name, s in (('medh5-index', Stored(compact=True)),
                    ('medh5-index-stale', Stored(source='sha256:')),
                    ('medh5-index-malformed', Stored(leave=('fg_coords',))),
                    ('medh5-index-unknown', Stored(digest=''))):
        yield name, Sample.bytes(s)


def head(rank=2, item=1, nfilter=2, edge=0, dim=(10, 6, 0, 0),
         chunk=(4, 4, 0, 0), page=0, allocated=6, size=1 << 20):
    return struct.pack('<4B4B4BB3xqQ', rank, item, nfilter, edge, *dim, *chunk,
                       page, allocated, size)


def chunk(slot, addr=None, size=16, mask=0, flags=0):
    return struct.pack('<QQQII', slot, 1000 + slot * 16 if addr is None else
                       addr, size, mask, flags)


def indexes():
    full = b''.join(chunk(i) for i in range(6))
    yield 'empty', b''
    yield 'full', head() + full
    yield 'none', head(allocated=0)
    yield 'sparse', head(allocated=2) + chunk(1) + chunk(4)
    yield 'not-proven', head(allocated=3) + chunk(1) + chunk(4)
    yield 'index-broken', head(allocated=-1) + chunk(1)
    yield 'chunk-broken', head() + chunk(0, 0, 0, 0, 1) + full[32:]
    yield 'masks', head() + b''.join(chunk(i, mask=i % 3) for i in range(6))
    yield 'edges', head(edge=1) + full
    yield 'scalar', head(rank=0, dim=(0,) * 4, allocated=1) + chunk(0, size=1)
    yield 'nowhere', head() + chunk(0, (1 << 20) - 15) + full[32:]
    yield 'overflow', head() + chunk(0, (1 << 64) - 1) + full[32:]
    yield 'huge', head() + chunk(0, 0, (1 << 64) - 1) + full[32:]
    yield 'too-large', head() + chunk(0, 0, 8 * 16 + 65537) + full[32:]
    yield 'unfiltered-short', head(nfilter=0) + chunk(0, size=15)
    yield 'bomb', head(size=64) + full + chunk(5)
    yield 'no-such-page', head(page=1) + full
    yield 'bad-slot', head() + chunk(6)
    yield 'bad-order', head() + chunk(3) + chunk(2)
    yield 'bad-twice', head() + chunk(3) + chunk(3)
    yield 'bad-flags', head() + chunk(3, flags=2)
    yield 'bad-length', head() + full[:33]
    yield 'bad-allocated', head(allocated=-2) + full


def label(classes=((-5, ((3, 2), (9, 4))), (7, ((0, 1),))), dim=(3, 4, 5),
          width=None, version=1, ndim=None, nclass=None, gap=0, cut=0, more=b'',
          box=None, count=0, before=0):
    """Classes are (id, ((first, voxels)...)); the rest are ways to be wrong."""
    wide = math.prod(dim) > 1 << 32
    form = '<QQ' if (width or (8 if wide else 4)) == 8 else '<II'
    at = 104 + 160 * len(classes)
    records, runs = b'', b''
    for number, spans in classes:
        voxels = [p for first, n in spans for p in range(first, first + n)]
        where = [[v // math.prod(dim[k + 1:]) % dim[k] for v in voxels]
                 for k in range(len(dim))]
        lo = [min(w, default=0) for w in where] + [0] * (8 - len(dim))
        hi = [max(w, default=0) + 1 for w in where] + [0] * (8 - len(dim))
        records += struct.pack(
            '<qQQQ8Q8Q', number, sum(n for _, n in spans) + count, len(spans),
            at + len(runs) + gap, *(box or (lo, hi))[0], *(box or (lo, hi))[1])
        sum_ = before
        for first, n in spans:
            runs += struct.pack(form, first, sum_)
            sum_ += n
    size = at + len(runs) + len(more)
    head = struct.pack('<QIII4x8QQQ', 0x786c62616c736670, version,
                       width or (8 if wide else 4),
                       len(dim) if ndim is None else ndim,
                       *dim, *[0] * (8 - len(dim)), size,
                       len(classes) if nclass is None else nclass)
    return (head + records + runs + more)[:size - cut]


def labels():
    one = (7, ((0, 1),))
    most = (1 << 64) - 1
    yield 'empty', b''
    yield 'no-class', label(())
    yield 'two-classes', label()
    yield 'scalar', label((one,), ())
    yield 'all', label(((1, ((0, 60),)),))
    yield 'no-elements', label((), (3, 0, 5))
    yield 'wide', label(((1, (((1 << 33) - 2, 2),)),), (1 << 31, 4))
    yield 'bad-magic', b'x' + label()[1:]
    yield 'bad-version', label(version=2)
    yield 'bad-width', label(width=8)
    yield 'bad-rank', label(ndim=9)
    yield 'bad-rank-short', label(ndim=2)
    yield 'bad-shape', label((one,), (1 << 40, 1 << 40))
    yield 'bad-size', label(more=bytes(8))
    yield 'bad-cut', label(cut=8)
    yield 'bad-classes', label(nclass=3)
    yield 'bad-classes-huge', label(nclass=most)
    yield 'bad-ids', label((one, one))
    yield 'bad-offset', label(gap=8)
    yield 'bad-count', label(count=1 << 40)
    yield 'bad-before', label(before=1)
    yield 'bad-box', label(box=([0] * 8, [3, 4, 5] + [0] * 5))
    yield 'bad-no-runs', label(((7, ()),))
    yield 'bad-outside', label(((7, ((58, 3),)),))
    yield 'bad-far-outside', label(((7, ((1 << 31, 3),)),))
    yield 'bad-order', label(((7, ((9, 2), (3, 2))),))
    yield 'bad-overlap', label(((7, ((3, 4), (6, 2))),))
    yield 'bad-touching', label(((7, ((3, 4), (7, 2))),))


def sidecars():
    def file(block, magic=0x7865646e69736670, version=1, reserved=0, key=1,
             size=None):
        b = struct.pack('<QIIQ32s', magic, version, reserved,
                        len(block) if size is None else size,
                        bytes([key, 2, 3]))
        b += hashlib.sha256(block).hexdigest().encode()
        return b + hashlib.sha256(b).hexdigest().encode() + block

    def seed(data, mended=0, dim=(3, 4, 5)):
        return bytes([mended, len(dim), *dim]) + data

    good = file(label())
    yield 'empty', b''
    yield 'good', seed(good)
    yield 'good-mended', seed(good, 1)
    yield 'good-no-class', seed(file(label(())))
    yield 'good-scalar', seed(file(label(((7, ((0, 1),)),), ())), 0, ())
    yield 'bad-nothing', seed(b'')
    yield 'bad-head-cut', seed(good[:100])
    yield 'bad-block-cut', seed(good[:-4])
    yield 'bad-longer', seed(good + b'x')
    yield 'bad-shape', seed(good, 0, (5, 4, 3))
    yield 'bad-rank', seed(good, 0, (3, 4, 5, 1))
    yield 'bad-key', seed(file(label(), key=2))
    yield 'bad-magic', seed(file(label(), magic=1))
    yield 'bad-version', seed(file(label(), version=2))
    yield 'bad-reserved', seed(file(label(), reserved=1))
    yield 'bad-size', seed(file(label(), size=(1 << 64) - 184))
    yield 'bad-no-index', seed(file(bytes(400)))
    yield 'bad-no-block', seed(file(b''))
    yield 'bad-head', seed(good[:150] + b'x' + good[151:])
    yield 'bad-block', seed(good[:-1] + b'x')
    yield 'mended-block', seed(good[:-1] + b'x', 1)
    yield 'mended-size', seed(good[:16] + bytes(8) + good[24:], 2)


def blosc2(here):
    """Frames of tests/data, and one of each kind that the tests make."""
    tests = os.path.dirname(here)
    kept = os.path.join(tests, 'data', 'blosc2-frames')
    sys.path.insert(0, os.path.join(tests, 'cli'))
    import blosc2_frames

    def seed(item, dims, frame):
        return bytes([item % 256, 0x20 | len(dims) - 1,
                      *(0 if d == 1000 else d for d in dims)]) + frame

    def fits(item, dims, frame):
        return len(frame) < 900 and all(
            d < 256 or d == 1000 for d in dims) and item <= 300

    for name in sorted(os.listdir(kept)):
        what, item, dims, _ = name.split('_')
        dims = [int(d) for d in dims.split('x')]
        with open(os.path.join(kept, name), 'rb') as f:
            frame = f.read()
        if fits(int(item), dims, frame):
            yield 'kept-%s-%s' % (what, item), seed(int(item), dims, frame)
    seen = set()
    for kind in blosc2_frames.good(), blosc2_frames.bad():
        for name, item, dims, frame, *rest in kind:
            # Numbers and lists apart, so that one of each is enough.
            short = re.sub('[^a-zA-Z]+', '-', name).strip('-')
            if not fits(item, dims, frame) or short in seen:
                continue
            seen.add(short)
            yield ('bad-' if len(rest) > 1 else '') + short, seed(
                item, dims, frame)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    to = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, 'corpus')
    for target, seeds in (('catalog', catalogs()), ('catalog', samples()),
                          ('catalog', indexed()), ('index', indexes()),
                          ('label', labels()), ('sidecar', sidecars()),
                          ('stored', stored()),
                          ('blosc2', blosc2(here))):
        os.makedirs(os.path.join(to, target), exist_ok=True)
        for name, data in seeds:
            with open(os.path.join(to, target, name), 'wb') as f:
                f.write(data)


if __name__ == '__main__':
    main()
