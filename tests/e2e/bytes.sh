# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Sourced by test-bytes-*.sh: compare every item of the fixtures with NumPy.

# compare_all [OPTIONS OF compare.py]: each container in $tmp/src, mounted.
compare_all() {
	local f name n=0
	for f in "$tmp"/src/*.h5; do
		name=${f##*/}
		python "$srcdir/tests/e2e/compare.py" "$@" "$f" \
			"$mnt/${name%.h5}" || fail "$name"
		n=$((n + 1))
	done
	test $n -gt 0 || fail "no containers"
}

# compare_kinds KIND...: through the page cache, then again with each request
# going to the server, small files at every offset, in a cache that is small.
compare_kinds() {
	make_data "$@"
	mount_volume "$tmp/src"
	compare_all --items 6
	umount_volume || fail "umount"
	mount_volume --direct-io --cache-size=1M "$tmp/src"
	compare_all --items 3 --every-offset 1 --no-mmap
}
