#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs mount SRC /dev/fd/N: a device that a container runtime has mounted.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
requires_py socket
make_source

# As root of Apptainer does: mount by fusermount3, hand the device over.
python - "$mnt" "$builddir/run" "$builddir/patchfs" mount -f "$tmp/src" \
	>"$tmp/out" 2>"$tmp/log" <<'END' &
import os, socket, subprocess, sys
mnt, command = sys.argv[1], sys.argv[2:]
a, b = socket.socketpair()
os.set_inheritable(b.fileno(), True)
subprocess.run(["fusermount3", "-o", "nosuid,nodev,fsname=x,subtype=patchfs",
                "--", mnt], env=dict(os.environ, _FUSE_COMMFD=str(b.fileno())),
               pass_fds=[b.fileno()], check=True)
_, fds, _, _ = socket.recv_fds(a, 1, 1)
os.set_inheritable(fds[0], True)
a.close(), b.close()
os.execv(command[0], command + ["/dev/fd/%d" % fds[0]])
END
server=$!
await grep -q ' on /dev/fd/' "$tmp/out"
cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes"
# Mounted without ro: it is read-only all the same.
for change in "touch $mnt/x" "rm $mnt/note.txt" "mkdir $mnt/d" \
	"ln -s a $mnt/l" "chmod 600 $mnt/note.txt" "truncate -s 0 $mnt/note.txt" \
	"mv $mnt/note.txt $mnt/n" "dd if=/dev/zero of=$mnt/note.txt count=1"; do
	! err=$($change 2>&1) || fail "$change did not fail"
	case $err in *"Read-only file system"*) ;; *) fail "$change: $err" ;; esac
done
cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes"
fusermount3 -u "$mnt"
wait $server || fail "the server ended with $?"
check_log
