# SPDX-License-Identifier: MIT
# Each is run by tests/e2e/test-examples.sh.
EXTRA_DIST += \
	%reldir%/compare-speed.py \
	%reldir%/look-around.sh \
	%reldir%/make-demo.py \
	%reldir%/numpy-five-lines.py \
	%reldir%/read_slice.c \
	%reldir%/sorted_pairs.py \
	%reldir%/staged_dataset.py \
	%reldir%/staged_h5_passthrough.py \
	$(NULL)
