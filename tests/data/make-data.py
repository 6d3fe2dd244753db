#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write test containers:  make-data.py --out DIR KIND...

Without a KIND it lists them. Nothing is kept in the tree: voxels are a
function of their coordinates (voxels.py), so a test needs no stored answer.
"""

import argparse
import inspect
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import fixtures_arrays  # noqa: E402
import fixtures_files  # noqa: E402

KINDS = {m.__name__: m for m in
         fixtures_arrays.MAKERS + fixtures_files.MAKERS}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    p.add_argument("kind", nargs="*", metavar="KIND[=N]")
    args = p.parse_args()
    if not args.kind:
        for name, maker in KINDS.items():
            print("%-12s %s" % (name, inspect.getdoc(maker)))
    args.out.mkdir(parents=True, exist_ok=True)
    for kind in args.kind:
        name, _, count = kind.partition("=")
        if name not in KINDS:
            p.error("no kind %s" % name)
        KINDS[name](args.out, *([int(count)] if count else []))


if __name__ == "__main__":
    main()
