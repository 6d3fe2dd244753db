# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/store.h \
	$(NULL)
