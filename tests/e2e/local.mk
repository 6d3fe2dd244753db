# SPDX-License-Identifier: MIT
scripts += \
	%reldir%/test-bytes-filters.sh \
	%reldir%/test-bytes-indexes.sh \
	%reldir%/test-bytes-layouts.sh \
	%reldir%/test-bytes-masks.sh \
	%reldir%/test-bytes-staged.sh \
	%reldir%/test-bytes-types.sh \
	%reldir%/test-change.sh \
	%reldir%/test-clients.sh \
	%reldir%/test-corrupt.sh \
	%reldir%/test-cwd.sh \
	%reldir%/test-decode-once.sh \
	%reldir%/test-examples.sh \
	%reldir%/test-hostile.sh \
	%reldir%/test-latency.sh \
	%reldir%/test-limits.sh \
	%reldir%/test-memory.sh \
	%reldir%/test-names.sh \
	%reldir%/test-refused.sh \
	%reldir%/test-slow.sh \
	%reldir%/test-torch.sh \
	%reldir%/test-walk.sh \
	$(NULL)
EXTRA_DIST += \
	%reldir%/bytes.sh \
	%reldir%/compare.py \
	%reldir%/damage.py \
	$(NULL)
