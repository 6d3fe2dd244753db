# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/codec.c \
	%reldir%/codec.h \
	%reldir%/codec_impl.h \
	%reldir%/deflate.c \
	%reldir%/fletcher32.c \
	%reldir%/lz4.c \
	%reldir%/shuffle.c \
	%reldir%/state.c \
	%reldir%/zstd.c \
	$(NULL)
