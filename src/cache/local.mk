# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/account.c \
	%reldir%/cache.c \
	%reldir%/cache.h \
	%reldir%/cache_impl.h \
	%reldir%/room.c \
	%reldir%/scratch.c \
	%reldir%/table.c \
	$(NULL)
