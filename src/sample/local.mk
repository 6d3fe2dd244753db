# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/sample.h \
	$(NULL)
