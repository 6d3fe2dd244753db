# SPDX-License-Identifier: MIT
# The scanner: the only program with HDF5 on its link line.
libexec_PROGRAMS += patchfs-scan
patchfs_scan_SOURCES = \
	%reldir%/array.c \
	%reldir%/forkserver.c \
	%reldir%/forkserver.h \
	%reldir%/index.c \
	%reldir%/main.c \
	%reldir%/medh5.c \
	%reldir%/out.c \
	%reldir%/pages.c \
	%reldir%/sandbox.c \
	%reldir%/scan_impl.h \
	%reldir%/super.c \
	%reldir%/text.c \
	%reldir%/tree.c \
	%reldir%/type.c \
	%reldir%/value.c \
	%reldir%/vfd.c \
	%reldir%/wire.c \
	$(NULL)
patchfs_scan_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) -DH5_USE_110_API
patchfs_scan_LDADD = $(HDF5_LIBS)
