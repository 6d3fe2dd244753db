#!/bin/sh
# SPDX-License-Identifier: MIT
# ./examples/look-around.sh MNT/train_truth/image
# What a shell sees: lists, sizes, facts; a slice's values by od alone.
set -eu
array=${1:?MNT/CONTAINER/ARRAY is needed}
ls "$array"
find "$array/slices" -name "*.npy" | wc -l
stat -c '%s bytes, blocks of %o' "$array/slices/000000.npy"
head -n 12 "$array/info.json"
# A slice without header, as a C program or ImageJ would take it.
od -A d -t f4 -N 32 "$array/slices/000001.raw"
# Where patch 3 of the grid lies, and 3 random ones.
tr -s ' \n' ' ' <"$array/patches+size-16x16/000003.json"
for i in 0 1 2; do
	tr -s ' \n' ' ' <"$array/random+size-16x16+seed-7/$i.json"
	echo
done
head -n 3 "$array/patches+size-16x16/index.csv"
