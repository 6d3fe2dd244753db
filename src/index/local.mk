# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/build.c \
	%reldir%/build_impl.h \
	%reldir%/check.c \
	%reldir%/collect.c \
	%reldir%/index.c \
	%reldir%/index.h \
	%reldir%/index_impl.h \
	%reldir%/indices.c \
	%reldir%/indices.h \
	%reldir%/merge.c \
	%reldir%/scan.c \
	%reldir%/sidecar.c \
	%reldir%/sidecar.h \
	%reldir%/stored.c \
	%reldir%/stored.h \
	%reldir%/stored_check.c \
	%reldir%/stored_impl.h \
	%reldir%/stored_load.c \
	%reldir%/tile.c \
	%reldir%/trim.c \
	%reldir%/write.c \
	$(NULL)
