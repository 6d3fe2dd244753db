# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/catalog.h \
	%reldir%/container.h \
	%reldir%/device.c \
	$(NULL)
