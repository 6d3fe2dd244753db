# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# For tests of mount and umount themselves: mounts in the background, any
# number of them, undone whatever happens. Sourced after lib.sh.
requires_fuse
export XDG_RUNTIME_DIR=$tmp/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

# A source that needs no scanner.
make_source() {
	mkdir -p "$tmp/src/sub" "$mnt"
	seq 1 20000 >"$tmp/src/note.txt"
	echo inner >"$tmp/src/sub/inner.txt"
}

# run WANT ARGUMENT...: status; $tmp/out and $tmp/err hold what it said.
run() {
	local want=$1 rc=0
	shift
	patchfs "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
	test $rc -eq "$want" ||
		fail "patchfs $*: status $rc, not $want: $(cat "$tmp/err")"
}
# says REGEX: on stderr, in one line.
says() {
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "not one line: $(cat "$tmp/err")"
	grep -qE -- "$1" "$tmp/err" || fail "no \"$1\": $(cat "$tmp/err")"
}

# server_pid: of the mount at $mnt, by who holds its lock. Not by its open
# files: a server without --core hides them from all but root.
server_pid() {
	local lock pid
	for lock in "$XDG_RUNTIME_DIR"/patchfs/mnt-*.lock; do
		test -e "$lock" || continue
		while read -r pid; do
			! grep -q patchfs "/proc/$pid/cmdline" 2>/dev/null ||
				echo "$pid"
		done < <(awk -v at=":$(stat -c %i "$lock")\$" \
			'$2 == "FLOCK" && $6 ~ at { print $5 }' /proc/locks)
	done
}
# await COMMAND...: until it succeeds, for at most 10 s.
await() {
	local i
	for ((i = 0; i < 200 * slow; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "never: $*"
}
# gone PID: within 10 s.
gone() { ends "$1" $((10 * slow)) || fail "process $1 does not end"; }

cleanup() {
	local at
	while read -r at; do
		fusermount3 -uz "$at"
	done < <(awk '$5 ~ "^'"$tmp"'/" && / - fuse/ { print $5 }' \
		/proc/self/mountinfo)
}
