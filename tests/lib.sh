# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Sourced by every test script:  . "$srcdir/tests/lib.sh"
# $srcdir and $builddir come from the Makefile; by hand:
#   make check TESTS=tests/cli/test-ls.sh
#   srcdir=. builddir=build ./build/run bash tests/cli/test-ls.sh
set -euo pipefail
srcdir=$(cd "$srcdir" && pwd)
builddir=$(cd "$builddir" && pwd)
export srcdir builddir LC_ALL=C
export PYTHONDONTWRITEBYTECODE=1 # the source tree may be read-only
export HDF5_USE_FILE_LOCKING=FALSE
unset PATCHFS_FAULT
umask 022

tmp=$(mktemp -d "${TMPDIR:-/tmp}/patchfs-test.XXXXXX")
mnt=$tmp/mnt
daemon=      # pid of the server that mount_volume started
expected='^$|: no item '
slow=1       # factor for time limits
test -z "${PATCHFS_VALGRIND:-}" || slow=10

fail() { echo "FAIL: $*" >&2; exit 1; }
skip() {
	test -z "${PATCHFS_NO_SKIP:-}" || fail "skipped where it must run: $*"
	echo "SKIP: $*"
	exit 77
}
# What no machine of this kind can have: a skip even with PATCHFS_NO_SKIP.
skip_here() { echo "SKIP: $*"; exit 77; }
requires() {
	local p
	for p; do command -v "$p" >/dev/null || skip "needs $p"; done
}

# The Python with h5py and NumPy: $PYTHON, else a venv of the tree, else the
# system's.
if test -z "${PYTHON:-}"; then
	PYTHON=python3
	for p in "$builddir/../venv/bin/python3" "$srcdir/venv/bin/python3" \
		python3 /usr/bin/python3; do
		! "$p" -c 'import h5py, numpy' 2>/dev/null ||
			{ PYTHON=$p; break; }
	done
fi
export PYTHON
python() { "$PYTHON" "$@"; }
# requires_py MODULE...: skip without them.
requires_py() {
	local m
	command -v "$PYTHON" >/dev/null || skip "needs Python"
	for m; do
		"$PYTHON" -c "import $m" 2>/dev/null ||
			skip "needs the Python module $m"
	done
}
requires_fuse() {
	requires fusermount3
	test -r /dev/fuse || skip "no access to /dev/fuse"
	test -w /dev/fuse || skip "no access to /dev/fuse"
}
# Built with --enable-faults?
requires_faults() {
	grep -q '^#define ENABLE_FAULTS 1' "$builddir/config.h" ||
		skip "needs a build with --enable-faults"
}
# Sanitizers map terabytes and are slow: no memory or time limits there.
has_sanitizer() {
	grep -q '^#define HAVE_SANITIZER 1' "$builddir/config.h"
}
! has_sanitizer || slow=5

# Always through ./run, else check-valgrind covers the unit tests only.
patchfs() { "$builddir/run" "$builddir/patchfs" "$@"; }

# make_data KIND... [DIR]: fixtures of tests/data/make-data.py, to $tmp/src.
make_data() {
	requires_py h5py numpy
	mkdir -p "$tmp/src"
	python "$srcdir/tests/data/make-data.py" --out "$tmp/src" "$@"
}

# mount_volume [OPTIONS] SOURCE: mount on $mnt, return once it answers.
mount_volume() {
	requires_fuse
	test -d "$mnt" || mkdir "$mnt"
	rm -f "$tmp/ready"
	mkfifo "$tmp/ready"
	"$builddir/run" "$builddir/patchfs" mount --foreground --ready-fd=3 \
		"$@" "$mnt" 3>"$tmp/ready" 4<&- 2>>"$tmp/log" &
	daemon=$!
	exec 4<"$tmp/ready"
	read -r -t $((30 * slow)) -u 4 || {
		kill -9 "$daemon" 2>/dev/null || :
		daemon=
		fail "no mount: $(cat "$tmp/log")"
	}
}

# ends PID SECONDS: wait until a child is gone, however it ends; 1: it is not.
ends() { timeout "$2" tail -s 0.05 --pid="$1" -f /dev/null; }

# Of the scanners a few wait for another request about their file.
no_scanner_is_left() {
	test "$(pgrep -c -x -P "$daemon" patchfs-scan || :)" -le 4 ||
		fail "more scanners are left than may wait"
}

is_mounted() { grep -q " $1 " /proc/self/mountinfo; }

# A read ahead that nobody waits for keeps a mount busy for a moment.
unmount_soon() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		! fusermount3 -u "$mnt" 2>"$tmp/umount" || return 0
		grep -q busy "$tmp/umount" || break
		sleep 0.$i
	done
	cat "$tmp/umount"
	return 1
}

# umount_volume: the server must end by itself, with 0, and a clean log.
umount_volume() {
	local rc=0
	exec 4<&-
	if test -n "$daemon"; then
		unmount_soon ||
			{ echo "FAIL: $mnt is busy"; fusermount3 -uz "$mnt"; rc=1; }
		ends "$daemon" $((15 * slow)) || {
			echo "FAIL: the server does not end"
			! command -v gdb >/dev/null || gdb -p "$daemon" -batch \
				-ex 'thread apply all bt 8' 2>/dev/null
			kill -9 "$daemon"
		}
		wait "$daemon" || { echo "FAIL: the server ended with $?"; rc=1; }
		daemon=
	fi
	test ! -e "$tmp/log" || check_log || rc=1
	return $rc
}

# A line that looks like trouble fails the test unless it was announced.
check_log() {
	local bad
	bad=$(grep -iE 'error|warning|^==[0-9]+==|uninitiali[sz]ed|leak|sanitizer' \
		"$tmp/log" | grep -vE "$expected") || return 0
	echo "FAIL: the server's log says:"
	echo "$bad" | head -n 20
	return 1
}
# expect_log REGEX: such lines in the log of the server are no fault.
expect_log() { expected="$expected|$1"; }

# stat_value NAME: a counter of .patchfs/stats.
stat_value() { awk -v n="$1" '$1 == n { print $2 }' "$mnt/.patchfs/stats"; }

# Overridden by a test that has more to undo.
cleanup() { :; }

finish() {
	local rc=$?
	trap - EXIT INT TERM
	set +e
	cleanup
	umount_volume || test $rc -ne 0 || rc=1
	if test $rc -ne 0 && test $rc -ne 77 && test -s "$tmp/log"; then
		echo "--- log of the server"
		tail -n 30 "$tmp/log"
	fi
	! is_mounted "$mnt" || fusermount3 -uz "$mnt"
	rm -rf --one-file-system -- "$tmp"
	exit $rc
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
