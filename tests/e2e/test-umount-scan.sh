#!/bin/bash
# SPDX-License-Identifier: MIT
# Unmounting while a container is being scanned: the server does not wait for
# the end of the scan, and no scanner is left.
. "$srcdir/tests/lib.sh"
requires_faults
requires_py h5py numpy
mkdir "$tmp/src"
# Its objects are far apart, so that each takes a read of its own.
python - "$tmp/src/far.h5" <<'END2'
import sys
import h5py
with h5py.File(sys.argv[1], "w") as f:
    for i in range(100):
        d = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        d.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        d.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        h5py.h5d.create(f.create_group("g%d" % i).id, b"x", h5py.h5t.STD_I8LE,
                        h5py.h5s.create_simple((4 << 20,)), d)
    f.create_dataset("c", data=bytearray(100), chunks=(10,))
END2
cp "$tmp/src/far.h5" "$tmp/src/stuck.h5"
export PATCHFS_FAULT=$tmp/fault

scanner() { # its pid, once there is one
	local p i
	for ((i = 0; i < 400; i++)); do
		for p in /proc/[0-9]*; do
			if grep -qs "^PPid:[[:space:]]*$daemon$" "$p/status" &&
				grep -qs '^State:[[:space:]]*[RSD]' "$p/status" &&
				grep -qs '^patchfs-scan$' "$p/comm"; then
				echo "${p#/proc/}"
				return 0
			fi
		done
		sleep 0.05
	done
	return 1
}
# The scanner that waits has read all there is.
forget() {
	scan=$(scanner) || fail "no scanner waits"
	kill -KILL "$scan"
	until grep -q '^State:.*zombie' "/proc/$scan/status"; do :; done
}
# Someone asks, the scan begins, and whoever asked is gone.
begin() { # COMMAND...
	"$@" >/dev/null 2>&1 &
	caller=$!
	scan=$(scanner) || fail "no scanner"
	kill -KILL $caller
	wait $caller 2>/dev/null || :
}

# One that goes on and on: about three minutes.
printf '%s\n' '*far.h5 delay 2000' '*stuck.h5 block' >"$tmp/fault"
mount_volume "$tmp/src"
begin stat "$mnt/far/g0"
umount_volume || fail "the scan goes on"
! kill -0 "$scan" 2>/dev/null || fail "its scanner is left"

# The same with a scan of chunks. That nobody waits is no fault of the file: a
# line in the log would fail umount_volume.
rm "$tmp/fault"
mount_volume "$tmp/src"
stat "$mnt/far/c/slices" >/dev/null
forget
echo '*far.h5 delay 2000' >"$tmp/fault"
begin cat "$mnt/far/c/array.npy"
umount_volume || fail "the scan of chunks goes on, or is called a fault"
! kill -0 "$scan" 2>/dev/null || fail "the scanner of chunks is left"

# One whose read never returns: the server leaves that behind, and says so.
rm "$tmp/fault"
mount_volume "$tmp/src"
stat "$mnt/stuck/c/slices" >/dev/null
forget
echo '*stuck.h5 block' >"$tmp/fault"
begin cat "$mnt/stuck/c/array.npy"
expect_log 'read of a source outstanding'
# The threads of a server that could not wait for them are no leak.
! has_sanitizer || expect_log 'thread leak|pthread_create|reported 1 warnings'
exec 4<&-
unmount_soon || fail "umount"
ends "$daemon" $((20 * slow)) || fail "the server waits for a stuck read"
rc=0
wait "$daemon" || rc=$?
daemon=
test $rc -eq 2 || fail "a stuck read: status $rc"
grep -q 'read of a source outstanding' "$tmp/log" || fail "no word of the read"
ends "$scan" $((10 * slow)) || fail "the scanner of a stuck read is left"
