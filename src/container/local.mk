# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/catalog.c \
	%reldir%/catalog.h \
	%reldir%/catalog_build.c \
	%reldir%/catalog_check.c \
	%reldir%/catalog_medh5.c \
	%reldir%/catalog_own.c \
	%reldir%/catalog_tables.c \
	%reldir%/container.c \
	%reldir%/container.h \
	%reldir%/container_impl.h \
	%reldir%/file.c \
	%reldir%/file.h \
	%reldir%/hdf5.c \
	%reldir%/index.c \
	%reldir%/medh5.c \
	%reldir%/medh5_attr.c \
	%reldir%/medh5_encoding.c \
	%reldir%/medh5_grid.c \
	%reldir%/medh5_image.c \
	%reldir%/medh5_impl.h \
	%reldir%/medh5_index.c \
	%reldir%/medh5_label.c \
	%reldir%/medh5_meta.c \
	%reldir%/medh5_table.c \
	%reldir%/parked.c \
	%reldir%/process.c \
	%reldir%/scanner.c \
	%reldir%/scanners.c \
	%reldir%/wire.c \
	$(NULL)
