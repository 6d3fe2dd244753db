# SPDX-License-Identifier: MIT
scripts += \
	%reldir%/check-layers.sh \
	$(NULL)
