#!/bin/bash
# SPDX-License-Identifier: MIT
# A server that was killed leaves a dead mount: mounting there again, and
# unmounting, both heal it without asking it anything.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
make_source

kill_server() {
	local pid
	pid=$(server_pid)
	kill -9 "$pid"
	gone "$pid"
	! stat -f "$mnt" 2>/dev/null || fail "the mount answers"
}
for _ in 1 2; do
	run 0 mount "$tmp/src" "$mnt"
	cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes"
	kill_server
done
run 0 mount "$tmp/src" "$mnt"
cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes after healing"
test "$(grep -c " $mnt " /proc/self/mountinfo)" -eq 1 || fail "mounts pile up"
kill_server
run 0 umount "$mnt"
! is_mounted "$mnt" || fail "a dead mount stays"
run 0 umount "$mnt"
test ! -s "$tmp/err" || fail "umount of nothing: $(cat "$tmp/err")"

# Of several that mount there at once one does.
exec 5<"$mnt"
flock 5
run 32 mount "$tmp/src" "$mnt"
says 'just mounting'
exec 5<&-
mount_counted() {
	local rc=0
	patchfs mount "$tmp/src" "$mnt" >/dev/null 2>&1 5<&- || rc=$?
	echo "$rc" >>"$tmp/statuses"
}
for _ in 1 2 3 4 5 6 7 8; do
	mount_counted &
done
wait
test "$(grep -cx 0 "$tmp/statuses")" -eq 1 || fail "$(cat "$tmp/statuses")"
test "$(grep -cx 32 "$tmp/statuses")" -eq 7 || fail "$(cat "$tmp/statuses")"
test "$(grep -c " $mnt " /proc/self/mountinfo)" -eq 1 || fail "mounts pile up"
run 0 umount "$mnt"

# A stopped server: its mount does not answer, and is not taken for dead.
run 0 mount "$tmp/src" "$mnt"
pid=$(server_pid)
kill -STOP "$pid"
run 32 mount "$tmp/src" "$mnt"
says 'does not answer'
run 0 umount --lazy "$mnt"
! is_mounted "$mnt" || fail "a silent mount stays"
kill -CONT "$pid"
gone "$pid"
