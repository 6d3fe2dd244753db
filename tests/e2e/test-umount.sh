#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs umount: done is what it says, whatever is there.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
make_source

# Nothing there.
run 0 umount "$mnt"
run 0 umount "$tmp/nothing/at/all"
run 32 umount /proc
says 'not patchfs'

# It returns when the server has ended.
run 0 mount "$tmp/src" "$mnt"
pid=$(server_pid)
run 0 umount "$mnt"
! is_mounted "$mnt" || fail "still mounted"
test ! -e "/proc/$pid" || grep -q '^State:.Z' "/proc/$pid/status" ||
	fail "the server runs after umount"
test -z "$(ls "$XDG_RUNTIME_DIR/patchfs/"*.lock 2>/dev/null)" || fail "lock"

# Two at once, and by relative paths from beside.
mkdir "$tmp/mnt2"
run 0 mount "$tmp/src" "$mnt"
run 0 mount "$tmp/src" "$tmp/mnt2"
(cd "$tmp/src" && run 0 umount ../mnt ../mnt2/)
! grep -q " $tmp/mnt" /proc/self/mountinfo || fail "two at once"

# Busy: who holds it is told; it is detached, and served to the last user.
hold() { # sets $holder and fd 5
	run 0 mount "$tmp/src" "$mnt"
	pid=$(server_pid)
	exec 5<"$mnt/note.txt"
	sh -c 'cd "$1" && exec sleep 1000' - "$mnt/sub" &
	holder=$!
	await grep -qx sleep "/proc/$holder/comm"
}
hold
run 32 umount --wait=100ms --no-lazy "$mnt"
grep -q "process $holder (sleep) works in $mnt/sub" "$tmp/err" ||
	fail "who: $(cat "$tmp/err")"
grep -q "process $$ .* has open $mnt/note.txt" "$tmp/err" ||
	fail "who: $(cat "$tmp/err")"
is_mounted "$mnt" || fail "--no-lazy has unmounted"
run 0 umount --wait=100ms "$mnt"
grep -q "detached" "$tmp/err" || fail "no word: $(cat "$tmp/err")"
! is_mounted "$mnt" || fail "still mounted"
cmp - "$tmp/src/note.txt" <&5 || fail "an open file is not served on"
exec 5<&-
kill $holder
wait $holder || :
gone "$pid"

# --lazy: at once.
hold
run 0 umount -l "$mnt"
! is_mounted "$mnt" || fail "still mounted"
exec 5<&-
kill $holder
wait $holder || :
gone "$pid"
