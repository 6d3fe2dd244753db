# SPDX-License-Identifier: MIT
"""Links of all kinds, and groups that are large, deep or tangled."""

import os
import random
import sys
import unittest

import h5py
import numpy as np

import scan_driver as scan
from scan_tree import Case


class Links(Case):
    def test_links(self):
        with h5py.File(self.path, 'w') as f:
            f['a/b/c'] = np.arange(3)
            f['hard'] = f['a/b/c']
            f['a/b/up'] = f['a']
            f['self'] = f['/']
            f['soft'] = h5py.SoftLink('a/b/c')
            f['a/dangling'] = h5py.SoftLink('/no/where')
            f['ext'] = h5py.ExternalLink('dir/o.h5', '/p/q')
            f['type'] = np.dtype('f4')
            f['zz \n,=%ä'] = 1
        t = self.tree()
        self.assertEqual(t['hard'].addr, t['a/b/c'].addr)
        self.assertIs(t['hard'], t['a/b/c'])
        self.assertIs(t['a/b/up'], t['a'])
        self.assertIs(t['self'], t[''])
        self.assertEqual(len(t.objects), 6)
        l = t.link('soft')
        self.assertEqual((l.kind, l.path, l.file),
                         (scan.SOFT, b'a/b/c', b''))
        l = t.link('a/dangling')
        self.assertEqual((l.kind, l.path), (scan.SOFT, b'/no/where'))
        l = t.link('ext')
        self.assertEqual((l.kind, l.path, l.file),
                         (scan.EXTERNAL_LINK, b'/p/q', b'dir/o.h5'))
        self.assertEqual(t['type'].kind_of, scan.OTHER)
        self.assertEqual(t['zz \n,=%ä'].value.data, [1])
        names = [l.name for l in t.links[0]]
        self.assertEqual(names, sorted(names))

    def test_long_and_odd_names(self):
        names = [b'n' * 300, b'\xff\xfe', b'.hidden', b'a' * 60000]
        with h5py.File(self.path, 'w', libver='latest') as f:
            for n in names:
                h5py.h5g.create(f.id, n)
        t = self.tree()
        self.assertEqual(sorted(l.name for l in t.links[0]), sorted(names))

    def check_names(self, libver, n, **group):
        names = ['%x' % (i * 2654435761 % 2**32) for i in range(n)]
        with h5py.File(self.path, 'w', libver=libver) as f:
            g = f.create_group('g', **group)
            for i, name in enumerate(names):
                if i % 7 == 3:
                    g[name] = h5py.SoftLink('/t%d' % i)
                elif i % 7 == 4:
                    g[name] = g[names[i - 3]]
                else:
                    g.create_dataset(name, (i + 1,), 'u1')
        t = self.tree()
        links = t.links[t.objects.index(t['g'])]
        self.assertEqual(len(links), n)
        by_name = {l.name.decode(): l for l in links}
        for i, name in enumerate(names):
            l = by_name[name]
            if i % 7 == 3:
                self.assertEqual(l.path, b'/t%d' % i)
            elif i % 7 == 4:
                self.assertEqual(l.target, by_name[names[i - 3]].target)
            else:
                self.assertEqual(t.objects[l.target].shape, (i + 1,))
        return t

    def test_many(self):
        for libver in 'earliest', 'latest':
            self.check_names(libver, 3000)
            self.check_names(libver, 3000, track_order=True)

    def test_more_than_a_batch(self):
        """Names in random order: objects are read from front to back."""
        n = 66000
        with h5py.File(self.path, 'w') as f:
            g = f.create_group('g')
            for i in range(n):
                name = b'%x' % (i * 2654435761 % 2**32)
                if i % 8:
                    g.id.links.create_soft(name, b't%d' % i)
                else:
                    h5py.h5g.create(g.id, name)
        t = self.tree()
        links = t.links[t.objects.index(t['g'])]
        self.assertEqual(len({l.name for l in links}), n)
        soft = [l.path for l in links if l.kind == scan.SOFT]
        self.assertEqual(sorted(soft), sorted(
            b't%d' % i for i in range(n) if i % 8))
        self.assertLess(t.reply.bytes, os.path.getsize(self.path) + 1)
        self.assertLess(t.reply.reads, 200)

    def test_deep(self):
        n = 3000
        with h5py.File(self.path, 'w') as f:
            g = f
            for _ in range(n):
                g = g.create_group('g')
        t = self.tree()
        self.assertEqual(len(t.objects), n + 1)

    def test_random(self):
        """A random tree of groups, hard links and arrays."""
        seed = int(os.environ.get('PATCHFS_SEED', random.randrange(1 << 32)))
        print('PATCHFS_SEED=%d' % seed, file=sys.stderr)
        rnd = random.Random(seed)
        for libver in 'earliest', 'latest':
            with h5py.File(self.path, 'w', libver=libver) as f:
                groups, arrays = [f['/']], []
                for i in range(400):
                    g, name = rnd.choice(groups), 'n%d' % i
                    what = rnd.random()
                    if what < .3:
                        groups.append(g.create_group(name))
                    elif what < .7 or not arrays:
                        g[name] = np.arange(i)
                        arrays.append(g[name])
                    else:
                        g[name] = rnd.choice(arrays + groups)
                want = {}

                def note(g, path, above):
                    for k in g:
                        o, p = g[k], path + '/' + k
                        if isinstance(o, h5py.Dataset):
                            want[p] = o.shape
                        elif o.id not in above:
                            want[p] = None
                            if len(above) < 4:
                                note(o, p, above + [o.id])

                note(f['/'], '', [f['/'].id])
            t = self.tree()
            for p, shape in want.items():
                self.assertEqual(getattr(t[p], 'shape', None), shape, p)
            self.assertEqual(len(t.objects), len(groups) + len(arrays))


if __name__ == '__main__':
    unittest.main(verbosity=2)
