# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/tree.h \
	$(NULL)
