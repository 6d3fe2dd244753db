#!/bin/bash
# SPDX-License-Identifier: MIT
# What a mount is worth, as ratios within one run:  make bench
#   make bench BENCH="warm epochs"     some rows
#   BENCH_QUICK=1 make bench           less of everything, within a minute
# Each line is "name value unit"; lines with # say what it was measured on;
# the rows that have a target come again as a table at the end.
# Rows: warm cold epochs workers planes crops cpu stuck index label blosc2 medh5
# entries memory.
# BENCH_DIR: where the data go (a disk; default: a directory in $TMPDIR), kept
# if given; BENCH_SLICES (200), BENCH_ENTRIES, BENCH_READS (1000000).
# Readers that are compared take turns on the same items, and the fastest
# quarter of the turns counts. Values are compared; a wrong one ends the run.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
requires_fuse
bench=$builddir/tests/bench
here=$srcdir/tests/bench
quick=${BENCH_QUICK:-}
slices=${BENCH_SLICES:-${quick:+48}}
slices=${slices:-200}
entries=${BENCH_ENTRIES:-${quick:+50000}}
reads=${BENCH_READS:-${quick:+50000}}
rounds=${quick:+2}
rounds=${rounds:-5}
data=${BENCH_DIR:-$tmp}/data-$slices
export BENCH_ROWS=$tmp/rows BENCH_ROW
: >"$BENCH_ROWS"
test $# -gt 0 || set -- warm cold epochs workers planes crops cpu stuck index \
	label blosc2 medh5 entries memory

say() { printf '%s %s %s\n' "$@"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a / b }'; }
# row NAME VALUE UNIT OP TARGET NOTE
row() {
	say "$1" "$2" "$3"
	awk -v a="$2" -v b="$5" -v op="$4" -v OFS='\t' -v name="$1" \
		-v unit="$3" -v row="$BENCH_ROW" -v note="$6" 'BEGIN {
		met = op == ">=" ? a + 0 >= b + 0 : a + 0 <= b + 0
		print name, a, unit, op " " b, met ? "met" : "MISSED", row, note
	}' >>"$BENCH_ROWS"
}
drop_caches() { # of the disk, where we may
	sync
	{ echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null || :
}
mounted() { # CACHE: the data, afresh
	umount_volume || fail "umount"
	mount_volume --cache-size="$1" "$data" 2>/dev/null
}
loaders() {
	python -W ignore "$here/bench_loaders.py" "$@" --data "$data" \
		--mnt "$mnt"
}
mount_row() {
	python "$here/bench_mount.py" "$@" --data "$data" --mnt "$mnt" \
		--rounds "$rounds"
}
has_faults() {
	grep -q '^#define ENABLE_FAULTS 1' "$builddir/config.h" || {
		echo "# $BENCH_ROW: the rest needs configure --enable-faults"
		return 1
	}
}

echo "# $(uname -srm), $(nproc) CPUs, $(awk '/^model name/ {
	sub(/.*: /, ""); print; exit }' /proc/cpuinfo), load $(cut -d' ' -f1 \
	/proc/loadavg)"
test -e "$data/items.h5" || python "$here/bench_data.py" "$data" "$slices"
python "$here/bench_loaders.py" about --data "$data" --mnt "$mnt"

# ------------------------------------------------------------ warm, cold
requests() {
	awk '/^requests_(lookup|read|getattr|readdir|readdirplus|other) / {
		n += $2 } END { print n }' "$mnt/.patchfs/stats"
}
row_warm() {
	local n=500 a=0 b=0 x own begin ram i
	mounted 2G
	ram=$(mktemp -d /dev/shm/patchfs-bench.XXXXXX)
	find "$mnt/items/x/slices" -name '*.npy' | sort | head -n $n >"$tmp/list"
	rm -rf "$data/plain"
	mkdir "$data/plain"
	while IFS= read -r f; do
		cp "$f" "$ram/"
		cp "$f" "$data/plain/"
	done <"$tmp/list"
	find "$ram" -name '*.npy' | sort >"$tmp/list.ram"
	own=$(requests)
	own=$(($(requests) - own)) # what asking costs
	begin=$(requests)
	for ((i = 0; i < 3 * rounds; i++)); do
		x=$("$bench/bench_client" 3 <"$tmp/list")
		a=$(printf '%s\n' "$a" "${x% *}" | sort -g | tail -n 1)
		x=$("$bench/bench_client" 3 <"$tmp/list.ram")
		b=$(printf '%s\n' "$b" "${x% *}" | sort -g | tail -n 1)
	done
	x=$(($(requests) - begin - own))
	rm -rf "$ram"
	row warm_client "$(ratio "$a" "$b")" "x tmpfs" ">=" 0.9 \
		"items of 64 KiB, $a and $b files/s"
	row warm_client_requests "$x" requests "<=" 0 "to the server"
	mount_row warm
	rm -rf "$data/plain"
}
row_cold() {
	mounted 2G
	mount_row cold
}

# ------------------------------------------------------------ loaders
ceiling() { # NAME THREADS FILTER...: chunks a second, CPU ms a chunk
	local name=$1 threads=$2
	shift 2
	loaders chunks --file slices --name "$name" >"$tmp/chunks"
	"$bench/bench_decode" "$data/slices.h5" "$threads" 1048576 "$@" \
		<"$tmp/chunks"
}
row_epochs() {
	local c copies n f
	for n in gzip shuffle_gzip shuffle_lz4; do
		case $n in
		gzip) f="1:1" ;;
		shuffle_gzip) f="2:4 1:1" ;;
		shuffle_lz4) f="2:4 32004" ;;
		esac
		# shellcheck disable=SC2086  # a list
		c=$(ceiling $n "$(nproc)" $f)
		say "ceiling_${n}_all_cores" "${c% *}" chunks/s
		# shellcheck disable=SC2086
		c=$(ceiling $n 1 $f)
		say "ceiling_${n}_1_thread" "${c% *}" chunks/s
		say "ceiling_${n}_cpu" "${c#* }" ms
		mounted 256M
		copies=$(loaders copies --name $n --pid "$daemon") ||
			fail "copies"
		say "copies_through_fuse_$n" "${copies% *}" items/s
		say "copies_through_fuse_${n}_cpu" "${copies#* }" ms
		# A quarter of the data, so that it is full as it is at work.
		mounted "$((slices / 4))M"
		loaders epochs --name $n --ceiling "${c% *}" --cpu "${c#* }" \
			--copies "${copies% *}" --pid "$daemon" \
			--cache "$((slices / 4))M"
	done
}
row_workers() {
	local n w
	python -c 'import torch' 2>/dev/null || {
		echo "# workers: no PyTorch"
		return 0
	}
	for n in gzip shuffle_lz4; do
		for w in 2 4; do
			test -z "$quick" || test "$n$w" = gzip2 || continue
			mounted "$((slices / 4))M"
			loaders workers --name "$n" --workers "$w" \
				--cache "$((slices / 4))M"
		done
	done
	rm -rf "$data/raw"
}
row_planes() {
	mounted 2G
	loaders planes
}
row_crops() {
	local n
	for n in gzip lz4; do
		mounted 2G
		loaders crops --name $n --pid "$daemon"
	done
}
row_cpu() {
	mounted 32M
	loaders cpu --pid "$daemon" --cache 32M
}

# ------------------------------------------------------------ trouble
row_stuck() {
	has_faults || return 0
	: >"$tmp/fault"
	export PATCHFS_FAULT=$tmp/fault
	mounted 2G
	expect_log 'items'
	mount_row stuck --fault "$tmp/fault"
	unset PATCHFS_FAULT
}
row_index() {
	local delay t grid=${BENCH_DIR:-$tmp}/grid
	test -e "$grid/grid.h5" || {
		mkdir -p "$grid"
		python "$srcdir/tests/data/make-data.py" --out "$grid" grid
	}
	for delay in 0 2; do
		umount_volume || fail "umount"
		if test $delay -gt 0; then
			has_faults || break
			echo "* delay $delay" >"$tmp/fault"
			export PATCHFS_FAULT=$tmp/fault
		fi
		mount_volume "$grid" 2>/dev/null
		t=$(date +%s%N)
		head -c 1 "$mnt/grid/x/slices/000500.raw" >/dev/null
		row "first_byte_of_1e6_chunks_${delay}_ms" \
			"$(ratio $(($(date +%s%N) - t)) 1e9)" s "<=" \
			$((delay ? 6 : 1)).5 \
			"version-1 B-tree, $(stat_value store_reads) source reads"
	done
	unset PATCHFS_FAULT
	umount_volume || fail "umount"
}
row_label() {
	builddir=$builddir python "$here/bench_label.py" "$bench/bench_label" \
		"$data" ${quick:+--quick}
}
row_blosc2() {
	python -c 'import hdf5plugin' 2>/dev/null || {
		echo "# blosc2: no hdf5plugin"
		return 0
	}
	python "$here/bench_blosc2.py" "$bench/bench_blosc2" "$data" \
		${quick:+--quick}
}
row_medh5() { # beside the package, where it is: pip install medh5==2.2.3
	local own=${BENCH_DIR:-$tmp}/medh5${quick:+-quick} i w out=
	python -c 'import medh5' 2>/dev/null || {
		echo "# medh5: no package medh5"
		return 0
	}
	run_medh5() {
		python -W ignore "$here/bench_medh5.py" "$@" --data "$own" \
			--mnt "$mnt" --pid "${daemon:-0}" ${quick:+--cases 3}
	}
	mount_medh5() {
		umount_volume || fail "umount"
		mount_volume --cache-size=2G "$own" 2>/dev/null
	}
	run_medh5 about
	test -e "$own" || if test -n "$quick"; then
		run_medh5 make
	else
		run_medh5 make --large
	fi
	mount_medh5
	run_medh5 windows
	mount_medh5
	run_medh5 draws
	for ((i = 0; i < rounds; i++)); do
		mount_medh5
		out+=$(run_medh5 index)$'\n' || fail "index"
	done
	# The least of each: the index, layers as stored, labelmap(), dense().
	read -r -a i < <(printf %s "$out" | awk '
		{ for (k = 1; k <= 4; k++) if (NR == 1 || $k < m[k]) m[k] = $k }
		END { for (k = 1; k <= 4; k++) printf "%.1f ", 1000 * m[k]
			print "" }')
	row medh5_exact_index "$(ratio "${i[0]}" "${i[1]}")" "x one read" "<=" \
		2 "${i[0]} ms, medh5: layers ${i[1]}, labelmap ${i[2]}, dense ${i[3]}"
	python -c 'import torch' 2>/dev/null || {
		echo "# medh5: no PyTorch"
		return 0
	}
	for w in 0 2 4; do
		mount_medh5
		run_medh5 pairs --workers $w
	done
}
row_entries() {
	local n=${entries:-1000000} d=${BENCH_DIR:-$tmp}/entries
	mkdir -p "$d"
	echo "# $n files on $(stat -f -c %T "$d")"
	python -c 'import os, sys
for i in range(int(sys.argv[2])):
    os.close(os.open("%s/%06d.npy" % (sys.argv[1], i), os.O_CREAT))' "$d" "$n"
	mounted 2G
	mount_row entries --dir "$d" --count "$n"
	rm -rf "$d"
}
row_memory() {
	mounted 256M
	mount_row memory --pid "$daemon" --reads "${reads:-1000000}"
}

for BENCH_ROW; do
	test -n "$quick" || drop_caches
	"row_$BENCH_ROW"
done

echo
awk -F'\t' '{ printf "%-32s %8s %-11s target %-8s %-7s %s\n", $1, $2, $3, $4,
	$5, $7
	if (!seen[$6]++) rows = rows " " $6 }
	END { print "repeat a row: make bench BENCH=\"" substr(rows, 2) "\"" }' \
	"$BENCH_ROWS"
