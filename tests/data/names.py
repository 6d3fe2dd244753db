# SPDX-License-Identifier: MIT
"""Names of HDF5 objects as the mount spells them."""

import hashlib

SYNTHETIC = (b"info.json",)


def encode(raw):
    """The file name of a raw HDF5 name: bytes to bytes."""
    parts = []
    i = 0
    while i < len(raw):
        n = _character(raw, i)
        if n:
            parts.append(raw[i : i + n])
            i += n
        else:
            parts.append(b"%%%02X" % raw[i])
            i += 1
    name = b"".join(parts)
    if raw in (b".", b".."):
        name = b"%2E" * len(raw)
    elif raw in SYNTHETIC:
        name = b"%%%02X" % raw[0] + raw[1:]
    elif not raw:
        name = b"%~"
    if len(name) <= 255:
        return name
    head = b""
    for p in parts:
        if len(head) + len(p) > 200:
            break
        head += p
    return head + b"%~" + hashlib.sha256(raw).hexdigest()[:16].encode()


def _character(raw, i):
    """Length of the character at i that stands for itself; 0: none does."""
    c = raw[i]
    if c < 0x80:
        return 0 if c < 0x20 or c == 0x7F or c in b"%/" else 1
    for n in (2, 3, 4):
        try:
            text = raw[i : i + n].decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(text) == 1:
            return 0 if 0x80 <= ord(text) < 0xA0 else n
    return 0
