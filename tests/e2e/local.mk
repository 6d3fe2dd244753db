# SPDX-License-Identifier: MIT
scripts += \
	%reldir%/test-ambiguous.sh \
	%reldir%/test-blocks-random.sh \
	%reldir%/test-blocks.sh \
	%reldir%/test-bytes-blosc2.sh \
	%reldir%/test-bytes-filters.sh \
	%reldir%/test-bytes-indexes.sh \
	%reldir%/test-bytes-layouts.sh \
	%reldir%/test-bytes-masks.sh \
	%reldir%/test-bytes-staged.sh \
	%reldir%/test-bytes-types.sh \
	%reldir%/test-change.sh \
	%reldir%/test-clients.sh \
	%reldir%/test-cohort.sh \
	%reldir%/test-corrupt.sh \
	%reldir%/test-cwd.sh \
	%reldir%/test-decode-once.sh \
	%reldir%/test-descriptors.sh \
	%reldir%/test-documents.sh \
	%reldir%/test-examples.sh \
	%reldir%/test-foreground.sh \
	%reldir%/test-hostile.sh \
	%reldir%/test-kill.sh \
	%reldir%/test-latency.sh \
	%reldir%/test-limits.sh \
	%reldir%/test-little-memory.sh \
	%reldir%/test-medh5-foreground.sh \
	%reldir%/test-medh5.sh \
	%reldir%/test-memory.sh \
	%reldir%/test-mount-fd.sh \
	%reldir%/test-mount-options.sh \
	%reldir%/test-mount-stale.sh \
	%reldir%/test-mount.sh \
	%reldir%/test-names.sh \
	%reldir%/test-priority.sh \
	%reldir%/test-refused.sh \
	%reldir%/test-requests.sh \
	%reldir%/test-scan-signals.sh \
	%reldir%/test-signals.sh \
	%reldir%/test-slow.sh \
	%reldir%/test-torch.sh \
	%reldir%/test-umount-scan.sh \
	%reldir%/test-umount.sh \
	%reldir%/test-walk.sh \
	$(NULL)
EXTRA_DIST += \
	%reldir%/bytes.sh \
	%reldir%/compare.py \
	%reldir%/damage.py \
	%reldir%/foreground.py \
	%reldir%/medh5.py \
	%reldir%/medh5_foreground.py \
	%reldir%/mounts.sh \
	%reldir%/priority.py \
	$(NULL)
