# SPDX-License-Identifier: MIT
# physical.c rounds a product and then a sum: never both at once.
AM_CFLAGS += -ffp-contract=off
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
	%reldir%/class_mask.c \
	%reldir%/classes.c \
	%reldir%/column.c \
	%reldir%/contiguous.c \
	%reldir%/copy.c \
	%reldir%/cover.c \
	%reldir%/derived.c \
	%reldir%/derived_impl.h \
	%reldir%/digest.c \
	%reldir%/digest.h \
	%reldir%/direct.c \
	%reldir%/frame.c \
	%reldir%/ignore.c \
	%reldir%/instances.c \
	%reldir%/labels.c \
	%reldir%/load.c \
	%reldir%/offer.c \
	%reldir%/open.c \
	%reldir%/physical.c \
	%reldir%/piece.c \
	%reldir%/read.c \
	%reldir%/stored.c \
	%reldir%/tell.c \
	%reldir%/valid.c \
	%reldir%/voxel.c \
	$(NULL)
