# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/format.h \
	$(NULL)
