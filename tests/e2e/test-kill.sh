#!/bin/bash
# SPDX-License-Identifier: MIT
# While a source is stuck: a caller that waits for it can be killed, whatever
# call it is in; what does not need that source is answered; and unmounting
# does not wait for ever.
. "$srcdir/tests/lib.sh"
requires_faults
make_data pairs
cp "$tmp/src/pairs.h5" "$tmp/src/stuck.h5"
cp "$tmp/src/pairs.h5" "$tmp/src/late.h5"
cp "$tmp/src/pairs.h5" "$tmp/src/odd.bin"
echo other >"$tmp/src/other.txt"
export PATCHFS_FAULT=$tmp/fault
mount_volume "$tmp/src"
# The names of one container are known, those of the other are not.
ls "$mnt/stuck/stack/slices" >/dev/null
echo '*stuck.h5 block' >"$tmp/fault"
printf '%s\n' '*late.h5 block' '*odd.bin block' >>"$tmp/fault"

# Is process $1 in a wait of the file system?
waits() { grep -qE '^(fuse|request_wait|folio_wait|__folio|wait_on|d_alloc|__wait|io_sched)' \
	"/proc/$1/wchan" 2>/dev/null || grep -q '^State:.D' "/proc/$1/status"; }
start() {
	"$@" >/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		kill -0 $pid 2>/dev/null || fail "$*: has ended"
		! waits $pid || return 0
		sleep 0.05
	done
}
die() {
	kill -KILL $pid
	ends $pid $((1 * slow)) || fail "$*: not gone a second after SIGKILL"
	wait $pid || :
}
for call in "cat $mnt/stuck/stack/slices/000000.npy" \
	"cat $mnt/stuck/stack/slices/000001.npy" "cat $mnt/stuck.h5" \
	"stat $mnt/late/stack" "stat $mnt/late/stack" "ls $mnt/late" \
	"stat $mnt/late/mask/array.npy"; do
	# shellcheck disable=SC2086
	start $call
	die "$call"
done
# One name of a directory keeps nobody from the others: parallel lookups.
start stat "$mnt/odd.bin.d"
cat "$mnt/other.txt" >/dev/null &
other=$!
ends $other $((10 * slow)) || {
	kill -KILL $pid
	fail "a stuck name in a directory blocks the others"
}
die "stat $mnt/odd.bin.d"
# Twice as many as there are threads.
pids=
for ((n = 0; n < 48; n++)); do
	cat "$mnt/stuck/mask/crops+size-1x1x1/0_0_$((n % 12)).npy" >/dev/null 2>&1 &
	pids="$pids $!"
	stat "$mnt/late/x$n" >/dev/null 2>&1 &
	pids="$pids $!"
done
timeout $((10 * slow)) cat "$mnt/pairs/mask/slices/000000.npy" |
	cmp - <(patchfs cat "$tmp/src" pairs/mask/slices/000000.npy) ||
	fail "another container does not answer"
timeout $((10 * slow)) ls "$mnt" >/dev/null || fail "ls"
timeout $((10 * slow)) stat -f "$mnt" >/dev/null || fail "statfs"
# shellcheck disable=SC2086
kill -KILL $pids
for pid in $pids; do
	ends "$pid" $((1 * slow)) || fail "one of many is not gone"
done
# shellcheck disable=SC2086
wait $pids || :
expect_log 'stuck.h5|late.h5'

# A signal with a handler is no reason for stat(2) to fail: not soon. But one
# that kills, after it, is one.
cat >"$tmp/handler.py" <<'END'
import os, signal, sys
signal.signal(signal.SIGUSR1, lambda *a: print("handled", flush=True))
try:
    os.stat(sys.argv[1])
    print("there", flush=True)
except InterruptedError:
    print("interrupted", flush=True)
END
handle() { # PATH OUTPUT
	"$PYTHON" "$tmp/handler.py" "$1" >"$2" 2>&1 &
	pid=$!
	for ((i = 0; i < 200 * slow; i++)); do
		! waits $pid || ! grep -q python /proc/$pid/comm || break
		sleep 0.05
	done
	kill -USR1 $pid
}
handle "$mnt/late/answers" "$tmp/out.1"
sleep 0.5
die "a caller with a handler"
handle "$mnt/late/plain" "$tmp/out.2"
given_up=$pid
ends $given_up $((15 * slow)) || fail "a caller with a handler never gets EINTR"
wait $given_up || :
grep -qx interrupted "$tmp/out.2" || fail "after a while: $(cat "$tmp/out.2")"
handle "$mnt/late/channels" "$tmp/out.3"
early=$pid

# Once the source answers again, so does all that it holds.
rm "$tmp/fault"
ends $early $((10 * slow)) || fail "a caller with a handler"
wait $early || :
test "$(sort "$tmp/out.3" | xargs)" = "handled there" ||
	fail "stat(2) fails for a signal: $(cat "$tmp/out.3")"
cmp "$mnt/stuck.h5" "$tmp/src/stuck.h5" || fail "afterwards: the file"
for c in stuck late; do
	timeout $((20 * slow)) cat "$mnt/$c/stack/slices/000001.npy" |
		cmp - <(patchfs cat "$tmp/src" pairs/stack/slices/000001.npy) ||
		fail "afterwards: $c"
done
