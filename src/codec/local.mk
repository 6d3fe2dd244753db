# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/bitshuffle.c \
	%reldir%/blosc2.c \
	%reldir%/blosc2_block.c \
	%reldir%/blosc2_chunk.c \
	%reldir%/blosc2_frame.c \
	%reldir%/blosc2_impl.h \
	%reldir%/blosc2_meta.c \
	%reldir%/blosclz.c \
	%reldir%/codec.c \
	%reldir%/codec.h \
	%reldir%/codec_impl.h \
	%reldir%/deflate.c \
	%reldir%/fletcher32.c \
	%reldir%/lz4.c \
	%reldir%/shuffle.c \
	%reldir%/state.c \
	%reldir%/weave.h \
	%reldir%/zstd.c \
	$(NULL)
