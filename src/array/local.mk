# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/array.h \
	%reldir%/cached.c \
	%reldir%/cached.h \
	$(NULL)
