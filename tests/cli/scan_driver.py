# SPDX-License-Identifier: MIT
"""
Plays the server for patchfs-scan (src/container/catalog.h): starts it on one
end of a socketpair, answers its reads, decodes what it sends.  As a module:

    tree(path) -> Tree        index(path, addr, ...) -> Index
    Fail is raised for SCAN_FAIL, Died if the scanner ends in any other way.

As a program it prints the tree of a file, and chunk addresses with --index.
"""

import errno
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

VERSION, TREE, INDEX = 2, 1, 2
READ, PAGE, CHUNKS, END, FAIL = 1, 2, 3, 4, 5
GROUP, ARRAY, OTHER, LINK, ATTR, VALUE, PROBLEM = 1, 2, 3, 4, 5, 6, 7
CONTIGUOUS, COMPACT, CHUNKED, VIRTUAL, EXTERNAL, NO_STORAGE = 1, 2, 3, 4, 5, 6
NULL_SPACE, EDGE_UNFILTERED, FILL_UNDEFINED = 1, 2, 4
HARD, SOFT, EXTERNAL_LINK, UD_LINK = 1, 2, 3, 4
NUMBERS, STRINGS, EMPTY, UNSHOWN = 1, 2, 3, 4
BROKEN = 1
PAYLOAD_MAX = 1 << 20
READ_MAX = 4 << 20


class Fail(Exception):
    """SCAN_FAIL: .error is the errno (positive), .text the reason."""

    def __init__(self, error, text):
        super().__init__('%s: %s' % (errno.errorcode.get(error, error), text))
        self.error, self.text = error, text


class Died(Exception):
    """The scanner ended without SCAN_END or SCAN_FAIL; .status as wait."""

    def __init__(self, status, what):
        super().__init__('%s (status %s)' % (what, status))
        self.status = status


class Reply:
    """What was asked of the source, for tests that count."""

    def __init__(self):
        self.pages, self.chunks = [], []
        self.reads, self.bytes = 0, 0
        self.end = None
        self.seconds = 0.0


def scanner():
    where = os.environ.get('PATCHFS_LIBEXECDIR')
    if not where:
        sys.exit('set PATCHFS_LIBEXECDIR to where patchfs-scan is')
    return os.path.join(where, 'patchfs-scan')


class Child:
    """A scanner of our own, made by the process that scanners are forked from
    (src/container/catalog.h), which is gone again once this is made."""

    def __init__(self, env, cpu):
        ours, theirs = socket.socketpair(socket.AF_UNIX,
                                         socket.SOCK_SEQPACKET)
        high = os.dup2(theirs.fileno(), 100)
        theirs.close()

        def give():
            os.dup2(high, 3)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))

        server = subprocess.Popen(
            [scanner()], preexec_fn=give, pass_fds=(3,), env=env,
            stdin=subprocess.DEVNULL)
        os.close(high)
        answer, fds, _, _ = socket.recv_fds(ours, 4, 1)
        if len(answer) != 4:
            raise Died(server.wait(30), 'no scanner')
        self.pid, = struct.unpack('=i', answer)
        assert self.pid > 0, self.pid
        self.sock = socket.socket(fileno=fds[0])
        self.forks, self.control, self.status = server, ours, None

    def wait(self, timeout):
        end = time.monotonic() + timeout
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > end:
                raise subprocess.TimeoutExpired('patchfs-scan', timeout)
            else:
                time.sleep(0.001)
        self.control.close()
        self.forks.wait(30)
        return self.status

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)


class Server:
    def __init__(self, path, request, delay=0.0, hook=None, env=None,
                 cpu=60):
        self.file = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.file).st_size
        self.delay, self.hook = delay, hook
        self.proc = Child(env, cpu)
        self.sock = self.proc.sock
        self.reply = Reply()
        self.sock.sendall(request)

    def take(self, n):
        parts = []
        while n:
            try:
                b = self.sock.recv(min(n, 1 << 20))
            except ConnectionError:
                b = b''
            if not b:
                raise Died(self.proc.wait(30), 'the scanner went away')
            parts.append(b)
            n -= len(b)
        return b''.join(parts)

    def answer(self, off, n):
        assert 0 < n <= READ_MAX, n
        self.reply.reads += 1
        self.reply.bytes += n
        if self.delay:
            time.sleep(self.delay)
        error = self.hook(off, n) if self.hook else 0
        if isinstance(error, int) and error:
            self.sock.sendall(struct.pack('=iI', -error, 0))
            return
        data = os.pread(self.file, n, off) if not error else error
        data += bytes(n - len(data))
        self.sock.sendall(struct.pack('=iI', 0, n) + data)

    def run(self):
        try:
            return self.serve()
        finally:
            self.sock.close()
            os.close(self.file)
            try:
                status = self.proc.wait(30)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait()
                raise
        assert status == 0, status

    def serve(self):
        start = time.monotonic()
        while True:
            kind, n = struct.unpack('=II', self.take(8))
            assert n <= PAYLOAD_MAX, n
            body = self.take(n)
            if kind == READ:
                self.answer(*struct.unpack('=QQ', body))
            elif kind == PAGE:
                self.reply.pages.append(body)
            elif kind == CHUNKS:
                self.reply.chunks.append(body)
            elif kind == END:
                self.reply.end = struct.unpack('=QQQqQ', body)
                break
            elif kind == FAIL:
                error, = struct.unpack('=i4x', body[:8])
                assert error < 0, error
                raise Fail(-error, body[8:].decode('utf-8', 'replace'))
            else:
                raise AssertionError('message type %d' % kind)
        self.reply.seconds = time.monotonic() - start
        self.sock.shutdown(socket.SHUT_WR)  # no more requests
        status = self.proc.wait(30)
        assert status == 0, status
        assert self.sock.recv(1) == b'', 'bytes after the end'
        return self.reply


def request(path, what, object=0, first=0, count=0, value_max=4096,
            allow_live=False):
    return struct.pack('=IIQQQQII', VERSION, what, os.path.getsize(path),
                       object, first, count, value_max, allow_live)


class Record:
    """Attributes named as the fields of catalog.h."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        return repr(self.__dict__)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def get(self, fmt):
        v = struct.unpack_from('=' + fmt, self.data, self.at)
        self.at += struct.calcsize('=' + fmt)
        return v

    def bytes(self, n):
        assert self.at + n <= len(self.data), 'a record is too short'
        b = self.data[self.at:self.at + n]
        self.at += n
        return b

    def pad(self):
        gap = -self.at % 8
        assert not any(self.bytes(gap)), 'padding is not zero'


def parse_array(c):
    names = ('addr data_addr data_size kind order layout index item_size '
             'rank flags nfilter fill_size compact_size type_len '
             'refused_len').split()
    a = Record(**dict(zip(names, c.get('QQQBBBBIIIIIIII4x'))))
    a.kind, a.order = (chr(x) if x else '' for x in (a.kind, a.order))
    a.shape = c.get('%dQ' % a.rank)
    a.chunk = c.get('%dQ' % a.rank) if a.layout == CHUNKED else None
    a.filters = []
    for _ in range(a.nfilter):
        number, flags, nparam, nname = c.get('IIII')
        params = c.get('%dI' % nparam)
        name = c.bytes(nname)
        c.pad()
        a.filters.append(Record(id=number, flags=flags, params=params,
                                name=name.decode()))
    a.fill = c.bytes(a.fill_size)
    c.pad()
    a.compact = c.bytes(a.compact_size)
    c.pad()
    a.type_text = c.bytes(a.type_len).decode('utf-8', 'replace')
    c.pad()
    a.refused = c.bytes(a.refused_len).decode('utf-8', 'replace')
    c.pad()
    a.attrs, a.problems, a.value = {}, [], None
    return a


def parse_attr(c):
    names = 'owner cls kind item_size rank name_len data_len'.split()
    a = Record(**dict(zip(names, c.get('IBBBxIII4x'))))
    a.shape = c.get('%dQ' % a.rank)
    a.name = c.bytes(a.name_len)
    c.pad()
    raw = c.bytes(a.data_len)
    c.pad()
    count = 1
    for d in a.shape:
        count *= d
    if a.cls == NUMBERS:
        assert len(raw) == count * a.item_size
        code = {'i': 'bhiq', 'u': 'BHIQ', 'f': 'xefd', 'b': '?'}
        code = code[chr(a.kind)][a.item_size.bit_length() - 1]
        a.data = list(struct.unpack('<%d%s' % (count, code), raw))
    elif a.cls == STRINGS:
        d, a.data = Cursor(raw), []
        for _ in range(count):
            a.data.append(d.bytes(d.get('I')[0]))
        assert d.at == len(raw)
    elif a.cls == EMPTY:
        assert not raw
        a.data = None
    else:
        assert a.cls == UNSHOWN, a.cls
        a.data = raw.decode('utf-8', 'replace')
    return a


class Tree:
    """objects by number; links by group; a walk by path."""

    def __init__(self, reply):
        self.reply = reply
        self.objects, self.links = [], {}
        nlink = 0
        for page in reply.pages:
            assert len(page) % 8 == 0
            at = 0
            while at < len(page):
                kind, size = struct.unpack_from('=II', page, at)
                assert size % 8 == 0 and size >= 8 and at + size <= len(page)
                c = Cursor(page[at + 8:at + size])
                self.record(kind, c)
                assert c.at == len(c.data), 'a record is too long'
                nlink += kind == LINK
                at += size
        assert reply.end[0] == len(self.objects), 'count of objects'
        assert reply.end[1] == nlink, 'count of links'

    def owner(self, c):
        number, = c.get('I')
        assert number < len(self.objects), 'names an object not yet sent'
        return self.objects[number]

    def record(self, kind, c):
        if kind in (GROUP, OTHER):
            self.objects.append(Record(
                kind_of=kind, addr=c.get('Q')[0], attrs={}, problems=[]))
        elif kind == ARRAY:
            self.objects.append(parse_array(c))
            self.objects[-1].kind_of = ARRAY
        elif kind == LINK:
            parent, lkind, target, n, nt, nf = c.get('IIIIII')
            assert self.objects[parent].kind_of == GROUP
            l = Record(kind=lkind, target=target, name=c.bytes(n),
                       path=c.bytes(nt), file=c.bytes(nf))
            c.pad()
            if lkind == HARD:
                assert target < len(self.objects), 'link before its object'
            self.links.setdefault(parent, []).append(l)
        elif kind in (ATTR, VALUE):
            a = parse_attr(c)
            owner = self.objects[a.owner]
            if kind == ATTR:
                assert a.name not in owner.attrs
                owner.attrs[a.name.decode('utf-8', 'replace')] = a
            else:
                assert a.name == b'' and owner.value is None
                owner.value = a
        elif kind == PROBLEM:
            number, n = c.get('II')
            text = c.bytes(n).decode('utf-8', 'replace')
            c.pad()
            assert text.isprintable(), text
            self.objects[number].problems.append(text)
        else:
            raise AssertionError('record type %d' % kind)

    def link(self, path):
        """The link at a path of plain names, through hard links."""
        number, found = 0, None
        for name in path.strip('/').encode().split(b'/'):
            hits = [l for l in self.links.get(number, []) if l.name == name]
            if len(hits) != 1:
                raise KeyError('%s: %d links' % (path, len(hits)))
            found = hits[0]
            number = found.target if found.kind == HARD else None
        return found

    def __getitem__(self, path):
        if path.strip('/') == '':
            return self.objects[0]
        l = self.link(path)
        if l.kind != HARD:
            raise KeyError(path)
        return self.objects[l.target]

    def walk(self):
        """Yields (path, object) once an object, names joined by slashes."""
        todo, seen = [(0, '')], {0}
        while todo:
            number, path = todo.pop()
            yield path or '/', self.objects[number]
            for l in reversed(self.links.get(number, [])):
                if l.kind == HARD and l.target not in seen:
                    seen.add(l.target)
                    todo.append((l.target, path + '/' + l.name.decode(
                        'utf-8', 'surrogateescape')))


class Index:
    """chunks: slot -> (addr, size, mask); broken: set of slots."""

    def __init__(self, reply):
        self.reply = reply
        self.chunks, self.broken, last = {}, set(), -1
        for page in reply.chunks:
            for slot, addr, size, mask, flags in struct.iter_unpack(
                    '=QQQII', page):
                assert slot > last, 'slots do not rise'
                last = slot
                if flags & BROKEN:
                    self.broken.add(slot)
                else:
                    assert size > 0
                    self.chunks[slot] = (addr, size, mask)
        self.located, self.allocated = reply.end[2], reply.end[3]
        assert self.located == len(self.chunks)


def tree(path, value_max=4096, allow_live=False, **how):
    r = request(path, TREE, value_max=value_max, allow_live=allow_live)
    return Tree(Server(path, r, **how).run())


def grid(a):
    return [-(-d // c) for d, c in zip(a.shape, a.chunk)]


def slots(a):
    n = 1
    for g in grid(a):
        n *= g
    return n


def index(path, a, first=0, count=None, allow_live=False, **how):
    """a: an array of tree(path)."""
    if count is None:
        count = slots(a) - first
    r = request(path, INDEX, object=a.addr, first=first, count=count,
                allow_live=allow_live)
    return Index(Server(path, r, **how).run())


def main(args):
    want_index = '--index' in args
    for path in [a for a in args if a != '--index']:
        try:
            t = tree(path)
        except (Fail, Died) as e:
            print(path, e)
            continue
        for where, obj in t.walk():
            print(where, obj)
            if want_index and obj.kind_of == ARRAY and obj.layout == CHUNKED:
                x = index(path, obj)
                print('  located %d, allocated %d, broken %d' % (
                    x.located, x.allocated, len(x.broken)))
        print(path, 'objects %d, reads %d, bytes %d, %.3f s' % (
            len(t.objects), t.reply.reads, t.reply.bytes, t.reply.seconds))


if __name__ == '__main__':
    main(sys.argv[1:])
