# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/ambiguous.c \
	%reldir%/array.h \
	%reldir%/array_impl.h \
	%reldir%/band.c \
	%reldir%/block.c \
	%reldir%/blocked.c \
	%reldir%/cached.c \
	%reldir%/cached.h \
	%reldir%/carried.c \
	%reldir%/carried.h \
	%reldir%/chunked.c \
	%reldir%/contiguous.c \
	%reldir%/copy.c \
	%reldir%/cover.c \
	%reldir%/digest.c \
	%reldir%/digest.h \
	%reldir%/direct.c \
	%reldir%/frame.c \
	%reldir%/load.c \
	%reldir%/offer.c \
	%reldir%/read.c \
	%reldir%/stored.c \
	%reldir%/tell.c \
	$(NULL)
