# SPDX-License-Identifier: MIT
scripts += \
	%reldir%/check-layers.sh \
	%reldir%/test-sources.sh \
	$(NULL)
