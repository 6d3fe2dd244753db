#!/bin/bash
# SPDX-License-Identifier: MIT
# However little memory the server may take: either it says that there is not
# enough and nothing is mounted, or the mount answers and goes on doing so.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
! has_sanitizer || skip_here "a sanitizer maps terabytes"
test -z "${PATCHFS_VALGRIND:-}" || skip_here "valgrind's memory is its own"
make_source
export PATCHFS_LIBEXECDIR=$builddir
mounted=0 refused=0
for ((kb = 24000; kb <= 84000; kb += 3000)); do
	rc=0
	(ulimit -v $kb && exec "$builddir/patchfs" mount --cache-size=1M \
		"$tmp/src" "$mnt") >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
	case $rc in
	0)
		mounted=$((mounted + 1))
		pid=$(server_pid)
		for i in 1 2; do
			timeout 20 stat -f "$mnt" >"$tmp/out" ||
				fail "$kb kB: statfs, time $i"
			timeout 20 ls "$mnt" >"$tmp/out" || fail "$kb kB: ls"
			kill -0 "$pid" || fail "$kb kB: the server has ended"
		done
		patchfs umount "$mnt"
		gone "$pid"
		;;
	2)
		refused=$((refused + 1))
		test "$(wc -l <"$tmp/err")" -eq 1 ||
			fail "$kb kB: $(cat "$tmp/err")"
		;;
	*)
		# The dynamic linker: 127.
		test $rc -eq 127 || fail "$kb kB: status $rc: $(cat "$tmp/err")"
		;;
	esac
	! is_mounted "$mnt" || fail "$kb kB: still mounted"
done
echo "mounted $mounted times, refused $refused times"
{ test $mounted -gt 0 && test $refused -gt 0; } || fail "nothing was tried"
grep -q 'not enough memory.*threads of the server' \
	"$XDG_RUNTIME_DIR"/patchfs/*.log || fail "the log does not say why"
