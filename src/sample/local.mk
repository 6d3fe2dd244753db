# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/draw.c \
	%reldir%/foreground.c \
	%reldir%/foreground.h \
	%reldir%/medh5.c \
	%reldir%/order.c \
	%reldir%/order.h \
	%reldir%/philox.h \
	%reldir%/sample.c \
	%reldir%/sample.h \
	%reldir%/sample_impl.h \
	$(NULL)
