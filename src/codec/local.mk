# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/codec.h \
	$(NULL)
