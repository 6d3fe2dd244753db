#!/bin/bash
# SPDX-License-Identifier: MIT
# Every option of mount, once; the word to systemd; the counters.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
requires_py socket
make_source

python - "$tmp/notify" "$tmp/said" <<'END' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(60)
said = s.recv(1000) + s.recv(1000)
open(sys.argv[2], "wb").write(said)
END
listener=$!
await test -S "$tmp/notify"
cd "$tmp" || exit
mkdir -m 700 kept
touch "kept/$(printf '%064d' 7).index" kept/other
NOTIFY_SOCKET=$tmp/notify run 0 mount --cache-size=32M --view slices+axis-1 \
	--ext=vol --allow-live --threads 4 --io-threads=2 --drain=2s \
	--metrics-file=metrics --log=server.log --log-level=debug --core \
	--index-dir=kept --index-size=64M \
	-o direct_io src "$mnt"
cd / || exit
grep -q ", 1 sampling index in $tmp/kept\(,\|\$\)" "$tmp/out" ||
	fail "the indices: $(<"$tmp/out")"
cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes"
sort >"$tmp/want" <<END
source $tmp/src
mountpoint $mnt
cache-size 33554432
view slices+axis-1
ext vol
allow-live
direct-io
threads 4
io-threads 2
drain 2s
index-dir $tmp/kept
index-size 67108864
metrics-file $tmp/metrics
log $tmp/server.log
END
sort "$mnt/.patchfs/config" | grep -v '^ *$' | diff "$tmp/want" - || fail "config"
pid=$(server_pid)
# 4, 2 and the first one; a sanitizer has some of its own.
n=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)
most=7
! has_sanitizer || most=12
{ test "$n" -ge 7 && test "$n" -le $most; } || fail "$n threads"
patchfs stats "$mnt" >"$tmp/stats"
grep -qE '^requests_read [1-9]' "$tmp/stats" || fail "stats"
patchfs stats --prometheus "$mnt" | grep -q '^# TYPE patchfs_requests_read' ||
	fail "stats --prometheus"
run 1 stats "$tmp"
says 'no patchfs mount'
patchfs umount "$mnt"
gone "$pid"
wait $listener || fail "no word to systemd"
grep -qx READY=1 "$tmp/said" || fail "READY: $(cat "$tmp/said")"
grep -qx "MAINPID=$pid" "$tmp/said" || fail "MAINPID: $(cat "$tmp/said")"
grep -qx STOPPING=1 "$tmp/said" || fail "STOPPING: $(cat "$tmp/said")"
grep -q 'debug: read ' "$tmp/server.log" || fail "--log-level=debug"
grep -qE '^patchfs_requests_read [1-9]' "$tmp/metrics" || fail "--metrics-file"
test -z "$(ls -d "$tmp"/metrics.* 2>/dev/null)" || fail "metrics: leftovers"

# What was asked for and cannot be had: one line, and nothing is mounted.
for dir in "$mnt" "$mnt/indices"; do
	run 32 mount --index-dir="$dir" "$tmp/src" "$mnt"
	says 'which would hide it'
	test -z "$(ls -A "$mnt")" || fail "--index-dir=$dir: it was made"
done
not_mounted() { ! is_mounted "$mnt" || fail "$* is mounted"; }
mkdir "$tmp/dir"
mkfifo "$tmp/fifo"
refused() { # STATUS REGEX ARGUMENT...
	local want=$1 said=$2
	shift 2
	run "$want" mount "$@" "$tmp/src" "$mnt"
	says "$said"
	not_mounted "$*"
}
for f in -f ''; do
	refused 2 '--log=/nowhere/x: No such file' $f --log=/nowhere/x
	refused 2 "--log=$tmp/dir: Is a directory" $f --log="$tmp/dir"
	refused 2 '--metrics-file=/nowhere/x: No such file' \
		$f --metrics-file=/nowhere/x
	refused 2 "--metrics-file=$tmp/dir: Is a directory" \
		$f --metrics-file="$tmp/dir"
	refused 2 "--metrics-file=$tmp/fifo: Invalid argument" \
		$f --metrics-file="$tmp/fifo"
	test -p "$tmp/fifo" || fail "--metrics-file replaced a fifo"
	refused 1 '--ready-fd=9: .*not open for writing' $f --ready-fd=9 9<&-
	refused 1 '--ready-fd=9: .*not open for writing' $f -o ready_fd=9 \
		9</dev/null
done
test -z "$(ls -d "$tmp"/dir.* 2>/dev/null)" || fail "metrics: leftovers"
run 0 mount --ready-fd=9 "$tmp/src" "$mnt" 9>"$tmp/ready"
await grep -qx ready "$tmp/ready"
patchfs umount "$mnt"

# The default cache is a quarter of what the cgroup leaves us.
limit=
for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	group=$base/patchfs-test-$$
	mkdir "$group" 2>/dev/null || continue
	for f in memory.limit_in_bytes memory.max; do
		test ! -e "$group/$f" || ! echo 400M 2>/dev/null >"$group/$f" ||
			limit=$group
	done
	test -z "$limit" || break
	rmdir "$group"
done
if test -n "$limit"; then
	mkdir "$limit/inner"
	(
		echo $BASHPID >"$limit/inner/cgroup.procs"
		patchfs mount "$tmp/src" "$mnt" >"$tmp/out"
	) || fail "mount in a cgroup"
	pid=$(server_pid)
	patchfs umount "$mnt"
	gone "$pid"
	rmdir "$limit/inner" "$limit"
	grep -q 'cache 100 MiB' "$tmp/out" || fail "$(cat "$tmp/out")"
fi
# (valgrind does not know openat2.)
if test -n "${PATCHFS_VALGRIND:-}"; then
	:
elif test "$(id -u)" -eq 0 || grep -qs '^user_allow_other' /etc/fuse.conf; then
	run 0 mount -o allow_other "$tmp/src" "$mnt"
	grep -q " $mnt .*default_permissions.*allow_other" /proc/self/mountinfo ||
		fail "allow_other: $(grep " $mnt " /proc/self/mountinfo)"
	patchfs umount "$mnt"
fi
