#!/bin/bash
# SPDX-License-Identifier: MIT
# What a mount is worth, as ratios within one run:  make bench
#   make bench BENCH="warm epochs"     some rows
# Each line is "name value unit"; lines with # say what it was measured on.
# Rows: warm cold epochs workers planes crops cpu stuck index entries memory.
# BENCH_DIR: where the data go (a disk; default: a directory in $TMPDIR);
# BENCH_SLICES (200), BENCH_ENTRIES (1000000), BENCH_READS (1000000).
# Values are compared as they come; a wrong one ends the run.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
requires_fuse
bench=$builddir/tests/bench
here=$srcdir/tests/bench
slices=${BENCH_SLICES:-200}
data=${BENCH_DIR:-$tmp}/data
test $# -gt 0 || set -- warm cold epochs workers planes crops cpu stuck index \
	entries memory

say() { printf '%s %s %s\n' "$@"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
drop_caches() { # of the disk, where we may
	sync
	{ echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null || :
}
mounted() { # the data, afresh
	umount_volume || fail "umount"
	mount_volume --cache-size="${cache:-2G}" "$data"
}
loaders() { python "$here/bench_loaders.py" "$@" --data "$data" --mnt "$mnt"; }

echo "# $(uname -srm), $(nproc) CPUs, $(awk '/^model name/ {
	sub(/.*: /, ""); print; exit }' /proc/cpuinfo)"
echo "# repeat: make bench BENCH=\"$*\" BENCH_SLICES=$slices"
test -e "$data/items.h5" || python "$here/bench_data.py" "$data" "$slices"
python "$here/bench_loaders.py" about --data "$data" --mnt "$mnt"

# ------------------------------------------------------------ warm, cold
row_warm() {
	local n=500 a b before after
	mounted
	ram=$(mktemp -d /dev/shm/patchfs-bench.XXXXXX)
	find "$mnt/items/x/slices" -name '*.npy' | sort | head -n $n >"$tmp/list"
	while IFS= read -r f; do cp "$f" "$ram/"; done <"$tmp/list"
	find "$ram" -name '*.npy' | sort >"$tmp/list.ram"
	"$bench/bench_client" 2 <"$tmp/list" >/dev/null
	before=$(requests)
	before=$(($(requests) - before)) # what asking costs
	a=$(requests)
	"$bench/bench_client" 40 <"$tmp/list" >"$tmp/warm"
	after=$(($(requests) - a))
	b=$("$bench/bench_client" 40 <"$tmp/list.ram")
	a=$(cat "$tmp/warm")
	say warm_client "${a% *}" files/s
	say warm_client_tmpfs "${b% *}" files/s
	say warm_client_ratio "$(ratio "${a% *}" "${b% *}")" x_of_tmpfs
	say warm_client_requests $((after - before)) requests
	rm -rf "$ram"
	mkdir -p "$data/plain"
	head -n $n "$tmp/list" | while IFS= read -r f; do
		cp "$f" "$data/plain/"
	done
	loaders warm
	rm -rf "$data/plain"
}
requests() {
	awk '/^requests_(lookup|read|getattr|readdir|readdirplus|other) / {
		n += $2 } END { print n }' "$mnt/.patchfs/stats"
}
row_cold() {
	mounted
	loaders cold
}

# ------------------------------------------------------------ epochs
ceiling() { # ceiling NAME THREADS BYTES FILTER...: chunks a second
	local file=$1 name=$2 threads=$3
	shift 3
	python "$here/bench_loaders.py" chunks --data "$data" --mnt "$mnt" \
		--file "$file" --name "$name" >"$tmp/chunks"
	"$bench/bench_decode" "$data/$file.h5" "$threads" "$@" <"$tmp/chunks"
}
row_epochs() {
	local c
	for name in gzip shuffle_gzip shuffle_lz4; do
		case $name in
		gzip) f="1:1" ;;
		shuffle_gzip) f="2:4 1:1" ;;
		shuffle_lz4) f="2:4 32004" ;;
		esac
		# shellcheck disable=SC2086  # a list
		c=$(ceiling slices $name 1 1048576 $f)
		say "ceiling_${name}_1_thread" "$c" chunks/s
		# shellcheck disable=SC2086
		say "ceiling_${name}_all_cores" \
			"$(ceiling slices $name "$(nproc)" 1048576 $f)" chunks/s
		mounted
		loaders epochs --name $name --ceiling "$c"
	done
}
row_workers() {
	python -c 'import torch' 2>/dev/null || {
		echo "# workers: no PyTorch"
		return 0
	}
	for name in gzip shuffle_lz4; do
		for w in 2 4; do
			mounted
			loaders workers --name $name --workers $w
		done
	done
}
row_planes() {
	mounted
	loaders planes
}
row_crops() {
	for name in gzip lz4; do
		mounted
		loaders crops --name $name
	done
}
row_cpu() {
	mounted
	loaders cpu --pid "$daemon"
}

# ------------------------------------------------------------ trouble
row_stuck() {
	grep -q '^#define ENABLE_FAULTS 1' "$builddir/config.h" || {
		echo "# stuck: configure with --enable-faults"
		return 0
	}
	: >"$tmp/fault"
	PATCHFS_FAULT=$tmp/fault
	export PATCHFS_FAULT
	mounted
	expect_log 'items'
	loaders stuck --fault "$tmp/fault"
	unset PATCHFS_FAULT
}
row_index() {
	make_data grid
	for delay in 0 2; do
		umount_volume || fail "umount"
		if test $delay -gt 0; then
			grep -q '^#define ENABLE_FAULTS 1' "$builddir/config.h" ||
				continue
			echo "* delay $delay" >"$tmp/fault"
			export PATCHFS_FAULT=$tmp/fault
		fi
		mount_volume "$tmp/src"
		t=$(date +%s%N)
		head -c 1 "$mnt/grid/x/slices/000500.raw" >/dev/null
		say "first_byte_of_1e6_chunks_${delay}_ms" \
			"$(ratio $(($(date +%s%N) - t)) 1e9)" s
	done
	unset PATCHFS_FAULT
	umount_volume || fail "umount"
}
row_entries() {
	local n=${BENCH_ENTRIES:-1000000} d=${BENCH_DIR:-$tmp}/entries
	mkdir -p "$d"
	echo "# $n files on $(stat -f -c %T "$d")"
	python -c 'import os, sys
for i in range(int(sys.argv[2])):
    os.close(os.open("%s/%06d.npy" % (sys.argv[1], i), os.O_CREAT))' "$d" "$n"
	mounted
	loaders entries --dir "$d" --count "$n"
	rm -rf "$d"
}
row_memory() {
	cache=256M mounted
	loaders memory --pid "$daemon" --reads "${BENCH_READS:-1000000}"
}

for row; do
	drop_caches
	"row_$row"
done
