#!/bin/bash
# SPDX-License-Identifier: MIT
# SIGTERM detaches and drains, a second one ends now, SIGHUP opens the log
# anew, SIGUSR1 reports.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
make_source

start() {
	run 0 mount "$@" --log="$tmp/log" "$tmp/src" "$mnt"
	pid=$(server_pid)
}
unmounted() { ! is_mounted "$mnt"; }

# Nobody uses it: it ends.
start
kill -TERM "$pid"
gone "$pid"
unmounted || fail "still mounted"

# An open file is served on, to its end.
start
exec 5<"$mnt/note.txt"
kill -TERM "$pid"
await unmounted
cmp - "$tmp/src/note.txt" <&5 || fail "drain: an open file"
kill -0 "$pid" || fail "the server has left an open file"
exec 5<&-
gone "$pid"

# But not for ever.
expect_log 'still in use|_errors 0$'
start --drain=1s
exec 5<"$mnt/note.txt"
kill -INT "$pid"
gone "$pid"
grep -q 'still in use' "$tmp/log" || fail "no word of the end of the drain"
exec 5<&-

# The second one: now.
start
exec 5<"$mnt/note.txt"
kill -TERM "$pid"
await unmounted
kill -TERM "$pid"
ends "$pid" 5 || fail "a second SIGTERM does not end it"
exec 5<&-

# In the foreground, with a shell inside: a line says what it waits for.
mount_volume "$tmp/src"
exec 5<"$mnt/note.txt"
kill -INT "$daemon"
await grep -q 'still in use for [0-9]* s more; a second' "$tmp/log"
kill -INT "$daemon"
exec 5<&-
gone "$daemon"
daemon=
rm -f "$tmp/ready"

# In the foreground the same, with status 0.
mount_volume "$tmp/src"
kill -INT "$daemon"
gone "$daemon"
wait "$daemon" || fail "SIGINT: status $?"
daemon=

# The log, rotated; a report.
start
kill -USR1 "$pid"
await grep -q 'requests_lookup ' "$tmp/log"
mv "$tmp/log" "$tmp/log.1"
kill -HUP "$pid"
kill -USR1 "$pid"
await test -s "$tmp/log"
await grep -q 'requests_lookup ' "$tmp/log"
patchfs umount "$mnt"
check_log || fail "the log"
