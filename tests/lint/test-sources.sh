#!/bin/bash
# SPDX-License-Identifier: MIT
# Each header compiles alone; no source file is over 600 lines; each names its
# licence in the first line.
set -eu
cd "${srcdir:?}"
bad=0
fault() { echo "FAIL: $*"; bad=1; }
CC=${CC:-cc}
command -v "$CC" >/dev/null || { echo "SKIP: needs $CC"; exit 77; }

while IFS= read -r f; do
	case $f in
	*.h)
		case $f in
		src/fuse/*) flags=$(pkg-config --cflags fuse3) ;;
		src/scan/*) flags=$(pkg-config --cflags hdf5-serial ||
			pkg-config --cflags hdf5) ;;
		*) flags= ;;
		esac
		# shellcheck disable=SC2086  # flags are words
		"$CC" -std=gnu11 -D_GNU_SOURCE -DFUSE_USE_VERSION=310 $flags -Isrc -I"$builddir" \
			-Wall -Wextra -Werror -fsyntax-only -x c "$f" ||
			fault "$f does not compile alone"
		;;
	esac
	n=$(wc -l <"$f")
	test "$n" -le 600 || fault "$f has $n lines"
	head -n 1 "$f" | grep -q 'SPDX-License-Identifier: MIT' ||
		fault "$f: no SPDX line"
done < <(find src -name '*.[ch]' | sort)
exit $bad
