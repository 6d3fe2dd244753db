#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of README.md's first screen print what it says, and each
# command under EXAMPLES of a manual runs.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
requires_fuse
export XDG_RUNTIME_DIR=$tmp/run HOME=$tmp/home
mkdir -m 700 "$XDG_RUNTIME_DIR"
cleanup() { fusermount3 -uz "$mnt" 2>/dev/null || :; }

mkdir "$tmp/src" "$tmp/bin"
python - "$tmp/src" <<'END'
import sys
import h5py, numpy as np
a = np.arange(8 * 200 * 300, dtype="f4").reshape(8, 200, 300)
for name in ("train_sino", "train", "scan"):
    with h5py.File("%s/%s.h5" % (sys.argv[1], name), "w") as f:
        f.create_dataset("sino", data=a, chunks=(1, 200, 300))
        if name != "train_sino":
            f.create_dataset("label", data=(a % 7 == 0).astype("u1"))
END
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$PYTHON")" \
	>"$tmp/bin/python3"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$builddir/run" \
	"$builddir/patchfs" >"$tmp/bin/patchfs"
chmod +x "$tmp"/bin/*
PATH=$tmp/bin:$PATH

# README.md: "    $ COMMAND", then what it prints, if that is shown.
sed -n '/with data of your own/,/^No h5py/s/^    //p' "$srcdir/README.md" |
	sed "s|/data/mayo/staged|$tmp/only|g; s|/scratch/me/mnt|$mnt|g" \
		>"$tmp/readme"
test "$(grep -c '^\$ patchfs' "$tmp/readme")" -ge 3 || fail "README.md"
mkdir "$tmp/only"
mv "$tmp/src/train_sino.h5" "$tmp/only"
command='' shown=''
check_command() {
	local out
	test -n "$command" || return 0
	out=$(set +o pipefail; eval "$command") ||
		fail "README.md: $command: status $?"
	test -z "$shown" || test "$out" = "${shown%$'\n'}" ||
		fail "README.md: $command: $out"
}
while IFS= read -r line; do
	case $line in
	'$ '*)
		check_command
		command=${line#??} shown=''
		;;
	*) shown+=$line$'\n' ;;
	esac
done <"$tmp/readme"
check_command

# The manuals.
export MNT=$mnt
for cmd in '' -mount -ls -cat -info -list -index -stats -umount; do
	pod=$srcdir/man/patchfs$cmd.pod
	sed -n '/^=head1 EXAMPLES/,/^=head1 [^E]/s/^    //p' "$pod" |
		grep -v fuse.patchfs | sed "s|/data/staged|$tmp/src|g" \
		>"$tmp/examples"
	grep -q patchfs "$tmp/examples" || fail "$pod: no example"
	(cd "$tmp/src" && bash -eu "$tmp/examples") >"$tmp/out" ||
		fail "$pod: an example fails: $(<"$tmp/examples")"
	test "$cmd" != -stats || grep -q '^cache_size ' "$tmp/out" ||
		fail "$pod: $(<"$tmp/out")"
done
! mountpoint -q "$mnt" || fail "still mounted"
