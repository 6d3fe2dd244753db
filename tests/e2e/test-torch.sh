#!/bin/bash
# SPDX-License-Identifier: MIT
# PyTorch's DataLoader with four forked workers reads what h5py reads.
. "$srcdir/tests/lib.sh"
requires_py torch
make_data pairs
mount_volume "$tmp/src"
timeout 120 "$PYTHON" - "$tmp/src/pairs.h5" "$mnt/pairs" <<'END' ||
import sys
import h5py, numpy as np, torch
from torch.utils.data import DataLoader, Dataset

src, mnt = sys.argv[1:3]
with h5py.File(src) as f:
    image, sino = f["stack"][()], f["sino"][()]

class Files(Dataset):
    def __len__(self):
        return len(image)
    def __getitem__(self, i):
        a, b = (np.load("%s/%s/slices/%06d.npy" % (mnt, name, i))
                for name in ("stack", "sino"))
        return i, a, b

for _ in range(3):
    loader = DataLoader(Files(), batch_size=2, shuffle=True, num_workers=4,
                        multiprocessing_context="fork")
    seen = 0
    for i, a, b in loader:
        assert (a.numpy() == image[i]).all() and (b.numpy() == sino[i]).all()
        seen += len(i)
    assert seen == len(image)
END
	fail "see above"
