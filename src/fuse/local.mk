# SPDX-License-Identifier: MIT
# The front is part of the program alone: tests link no libfuse.
FRONT_SOURCES = \
	%reldir%/buffer.c \
	%reldir%/count.c \
	%reldir%/front.h \
	%reldir%/front_impl.h \
	%reldir%/grant.c \
	%reldir%/init.c \
	%reldir%/interrupt.c \
	%reldir%/loop.c \
	%reldir%/mount.c \
	%reldir%/mounts.c \
	%reldir%/mounts.h \
	%reldir%/ops.c \
	%reldir%/queue.c \
	%reldir%/readonly.c \
	$(NULL)
