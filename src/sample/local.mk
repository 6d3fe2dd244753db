# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/draw.c \
	%reldir%/philox.h \
	%reldir%/sample.c \
	%reldir%/sample.h \
	$(NULL)
