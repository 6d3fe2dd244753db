# SPDX-License-Identifier: MIT
bin_PROGRAMS += patchfs
patchfs_SOURCES = \
	$(FRONT_SOURCES) \
	%reldir%/arrays.c \
	%reldir%/cat.c \
	%reldir%/cmd.c \
	%reldir%/cmd.h \
	%reldir%/cmd_impl.h \
	%reldir%/complain.c \
	%reldir%/holders.c \
	%reldir%/index.c \
	%reldir%/info.c \
	%reldir%/list.c \
	%reldir%/ls.c \
	%reldir%/main.c \
	%reldir%/memory.c \
	%reldir%/mount.c \
	%reldir%/mount_conf.c \
	%reldir%/mount_conf.h \
	%reldir%/notice.c \
	%reldir%/place.c \
	%reldir%/run.c \
	%reldir%/source.c \
	%reldir%/stats.c \
	%reldir%/umount.c \
	$(NULL)
patchfs_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS) \
	-DLIBEXECDIR='"$(libexecdir)"'
patchfs_LDADD = $(CORE_LIBS) $(FUSE_LIBS)
