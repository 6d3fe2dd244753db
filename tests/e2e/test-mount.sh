#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs mount in the background: it returns when the mount answers, says one
# line, keeps no pipe open, and refuses what cannot work.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/mounts.sh"
make_source

# The output is a pipe here: it must not stay open. (valgrind keeps it.)
if test -n "${PATCHFS_VALGRIND:-}"; then
	patchfs mount "$tmp/src" "$mnt" >"$tmp/out" 2>&1 || fail "mount"
	out=$(cat "$tmp/out")
else
	out=$(timeout $((20 * slow)) "$builddir/run" "$builddir/patchfs" \
		mount "$tmp/src" "$mnt" 2>&1) || fail "mount: $out"
fi
cmp "$mnt/note.txt" "$tmp/src/note.txt" || fail "bytes"
test "$(echo "$out" | wc -l)" -eq 1 || fail "not one line: $out"
for w in "$tmp/src" "$mnt" cache log; do
	case $out in *"$w"*) ;; *) fail "no \"$w\": $out" ;; esac
done
log=${out##*log }
test -f "$log" || fail "no log file $log"
test "$(stat -c %a "$log" "$(dirname "$log")" | tr '\n' ' ')" = "600 700 " ||
	fail "modes of the log"
opts=$(awk -v m="$mnt" '$5 == m { print $6 "," $(NF - 2) }' \
	/proc/self/mountinfo)
for w in ro nosuid nodev noexec fuse.patchfs; do
	case ,$opts, in *,"$w",*) ;; *) fail "no $w in $opts" ;; esac
done
for change in "touch $mnt/x" "rm $mnt/note.txt" "mkdir $mnt/d" \
	"ln -s a $mnt/l" "chmod 600 $mnt/note.txt" "truncate -s 0 $mnt/note.txt" \
	"mv $mnt/note.txt $mnt/n"; do
	! err=$($change 2>&1) || fail "$change did not fail"
	case $err in *"Read-only file system"*) ;; *) fail "$change: $err" ;; esac
done
df | grep -F "$mnt" && fail "df lists the mount"
pid=$(server_pid)
test -n "$pid" || fail "no server"
if test "$(id -u)" -eq 0; then
	test "$(readlink "/proc/$pid/cwd")" = / ||
		fail "the server's directory"
	for fd in 0 1 2; do
		test "$(readlink "/proc/$pid/fd/$fd")" = /dev/null ||
			fail "fd $fd"
	done
else # what may not dump core is not to be looked into either
	! readlink "/proc/$pid/fd/0" || fail "the server is dumpable"
fi
grep -q '^Max core file size *0 *0' "/proc/$pid/limits" || fail "core files"
test "$(cat "/proc/$pid/oom_score_adj")" = \
	"$(cat /proc/self/oom_score_adj)" || fail "oom_score_adj"

# What is refused, and how: 32 with one line.
run 32 mount "$tmp/src" "$mnt"
says 'is mounted there'
mkdir "$tmp/other" "$tmp/full" "$tmp/src/inside"
touch "$tmp/full/file"
PATCHFS_LIBEXECDIR=$tmp run 2 mount "$tmp/src" "$tmp/other"
says "cannot run $tmp/patchfs-scan: No such file"
run 32 mount "$tmp/src" "$tmp/missing"
says "mkdir -p"
test ! -e "$tmp/missing" || fail "MNT was made"
run 32 mount "$tmp/src" "$tmp/full"
says 'not empty'
run 32 mount "$tmp/src" "$tmp/full/file"
says 'not a directory'
run 32 mount "$tmp/src" "$tmp/src/inside"
says 'inside'
run 32 mount "$tmp/src" "$tmp/src"
says 'inside'
run 32 mount "$tmp/src/sub" "$tmp"
says 'hide'
run 32 mount "$tmp/nothing" "$tmp/other"
says 'No such file'
run 32 mount "$mnt/sub" "$tmp/other"
says 'itself shown by patchfs'
run 32 mount /dev/null "$tmp/other"
test -s "$tmp/err" || fail "a device as SRC"
run 1 mount --view=slices+axis "$tmp/src" "$tmp/other"
says '--view=slices.axis'
head -c 3000 /dev/urandom >"$tmp/bad.h5"
run 32 mount "$tmp/bad.h5" "$tmp/other"
says 'bad.h5'
patchfs umount "$mnt"
! is_mounted "$mnt" || fail "still mounted"
gone "$pid"
# It has what was mounted when, and nothing else here.
test "$(wc -l <"$log")" -eq 1 || fail "the log: $(cat "$log")"
grep -qF " $tmp/src on $mnt: " "$log" || fail "the log: $(cat "$log")"

# A run directory that is not ours alone is not used.
chmod 755 "$XDG_RUNTIME_DIR/patchfs"
run 0 mount "$tmp/src" "$mnt"
grep -q 'no log file' "$tmp/err" || fail "a run directory for everybody"
patchfs umount "$mnt"
chmod 700 "$XDG_RUNTIME_DIR/patchfs"

# mount(8)'s way, by its helper, and by mount.fuse3.
run 0 "$tmp/src" "$mnt" -o \
	rw,nodev,suid,noatime,_netdev,nofail,x-systemd.automount,user=me,cache_size=64M
grep -q 'cache 64 MiB' "$tmp/out" || fail "-o cache_size: $(cat "$tmp/out")"
grep -qx 'cache-size 67108864' "$mnt/.patchfs/config" || fail "config"
patchfs umount "$mnt"
helper=$builddir/mount-helpers/mount.patchfs
PATCHFS=$builddir/patchfs sh "$helper" "$tmp/src" "$mnt" -sv \
	-o ro,threads=3 -t patchfs >/dev/null || fail "mount.patchfs"
grep -qx 'threads 3' "$mnt/.patchfs/config" || fail "mount.patchfs -o"
patchfs umount "$mnt"
PATCHFS=$builddir/patchfs sh "$helper" "$tmp/src" "$mnt" -f -o ro ||
	fail "mount.patchfs -f"
! is_mounted "$mnt" || fail "mount.patchfs -f has mounted"
if command -v mount.fuse3 >/dev/null && test "$(id -u)" -eq 0; then
	mount.fuse3 "$builddir/patchfs#$tmp/src" "$mnt" -o ro >/dev/null ||
		fail "mount.fuse3"
	cmp "$mnt/sub/inner.txt" "$tmp/src/sub/inner.txt" || fail "mount.fuse3"
	patchfs umount "$mnt"
fi

# Odd names of source and mount point, relative paths, through a link.
mkdir "$tmp/a,b \\c" "$tmp/m n,o"
echo odd >"$tmp/a,b \\c/note.txt"
ln -s "m n,o" "$tmp/link"
(cd "$tmp" && patchfs mount "a,b \\c" link >/dev/null) || fail "odd names"
grep -qx odd "$tmp/m n,o/note.txt" || fail "odd names"
grep -qF 'a,b\040\134c' /proc/self/mountinfo || fail "the device's name"
(cd "$tmp" && patchfs umount link) || fail "odd names: umount"
! grep -qF 'm\040n,o' /proc/self/mountinfo || fail "still mounted"

# An empty source mounts, with a warning; in a job's short step one more.
mkdir "$tmp/empty"
SLURM_STEP_ID=0 run 0 mount "$tmp/empty" "$mnt"
grep -q 'is empty' "$tmp/err" || fail "empty: $(cat "$tmp/err")"
grep -q 'step 0' "$tmp/err" || fail "step: $(cat "$tmp/err")"
patchfs umount "$mnt"
SLURM_STEP_ID=4294967291 run 0 mount "$tmp/src" "$mnt"
test ! -s "$tmp/err" || fail "batch step: $(cat "$tmp/err")"
patchfs umount "$mnt"
