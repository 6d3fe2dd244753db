# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/cache.h \
	$(NULL)
