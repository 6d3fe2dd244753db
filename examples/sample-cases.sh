#!/bin/sh
# SPDX-License-Identifier: MIT
# ./examples/sample-cases.sh SRC MNT VIEW ARRAY    with SRC mounted on MNT
# Needs patchfs in the PATH; not installed:
# build/run sh examples/sample-cases.sh SRC MNT VIEW ARRAY
# The same as sample-cases.py for whatever reads files.
test $# -eq 4 || { echo "usage: sample-cases.sh SRC MNT VIEW ARRAY" >&2; exit 1; }
for epoch in 0 1 2; do
	patchfs list --view="$3" --array="$4" --per-case=2 --epoch="$epoch" "$1" |
		while read -r path; do
			echo "$path $(wc -c <"$2/$path")"
		done
done
