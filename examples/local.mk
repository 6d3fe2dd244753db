# SPDX-License-Identifier: MIT
# Each is run by tests/e2e/test-examples.sh or test-cohort.sh.
EXTRA_DIST += \
	%reldir%/cohort.py \
	%reldir%/compare-speed.py \
	%reldir%/look-around.sh \
	%reldir%/make-demo.py \
	%reldir%/numpy-five-lines.py \
	%reldir%/read_slice.c \
	%reldir%/sample-cases.py \
	%reldir%/sample-cases.sh \
	%reldir%/segment.py \
	%reldir%/sorted_pairs.py \
	%reldir%/staged_dataset.py \
	%reldir%/staged_h5_passthrough.py \
	$(NULL)
