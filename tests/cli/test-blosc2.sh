#!/bin/bash
# SPDX-License-Identifier: MIT
# Blosc2: what its HDF5 filter writes against what h5py reads, chunk by chunk
# and through cat; frames made by hand, and what is told of them.
# PATCHFS_FULL=1 takes many more.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy hdf5plugin

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
chunks=150 arrays=40
test -z "${PATCHFS_FULL:-}" || chunks=5000 arrays=1500

cat >"$tmp/chunks" <<END
#!/bin/sh
exec "$builddir/run" "$builddir/tests/cli/blosc2_chunks"
END
chmod +x "$tmp/chunks"
python "$srcdir/tests/cli/blosc2_frames.py" "$tmp/chunks" || fail "frames"
python "$srcdir/tests/cli/blosc2_filter.py" "$tmp/chunks" $chunks "$seed" ||
	fail "chunks of the filter"
python "$srcdir/tests/cli/blosc2_cat.py" "$tmp" $arrays "$seed" \
	"$builddir/run" "$builddir/patchfs" cat || fail "whole arrays"
python "$srcdir/tests/cli/blosc2_whole.py" "$tmp" "$builddir/run" \
	"$builddir/patchfs" || fail "what is told of whole chunks"
