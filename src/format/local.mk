# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/format.c \
	%reldir%/format.h \
	%reldir%/format_impl.h \
	%reldir%/npy.c \
	%reldir%/raw.c \
	$(NULL)
