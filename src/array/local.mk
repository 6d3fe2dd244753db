# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/array.h \
	$(NULL)
