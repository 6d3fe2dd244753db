#!/bin/bash
# SPDX-License-Identifier: MIT
# Damaged containers: cut at every 64th byte, single bits flipped. Each is
# read whole or is an error, never wrong where checksums cover everything;
# the server lives, and its neighbours are right. PATCHFS_SEED repeats a run,
# PATCHFS_FULL=1 takes all cuts and more flips.
. "$srcdir/tests/lib.sh"
make_data pairs
requires_py h5py numpy
export PATCHFS_SEED=${PATCHFS_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "seed $PATCHFS_SEED"
expect_log 'hurt'
# A scanner in which libhdf5 falls is one of these errors. Should the server
# fall, it is gone.
! has_sanitizer || expect_log '^==[0-9]+==|SUMMARY: AddressSanitizer'
mkdir "$tmp/src/hurt"
python "$srcdir/tests/e2e/damage.py" make "$tmp/src/hurt" "$tmp/truth"
# --core: its descriptors can be counted by any user.
mount_volume --core "$tmp/src"
timeout $((240 * slow)) "$PYTHON" "$srcdir/tests/e2e/damage.py" check \
	"$mnt/hurt" "$tmp/truth" || fail "see above"
python "$srcdir/tests/e2e/compare.py" --items 3 "$tmp/src/pairs.h5" \
	"$mnt/pairs" || fail "a neighbour is wrong"
kill -0 "$daemon" || fail "the server is gone"
no_scanner_is_left
n=$(find "/proc/$daemon/fd" -type l | wc -l)
test "$n" -lt 1024 || fail "$n descriptors are open"
