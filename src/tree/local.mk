# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/dirs.c \
	%reldir%/dirs.h \
	%reldir%/grammar.c \
	%reldir%/names.c \
	%reldir%/names.h \
	%reldir%/node.h \
	%reldir%/number.c \
	%reldir%/number.h \
	%reldir%/rows.c \
	%reldir%/rows.h \
	%reldir%/tree.h \
	%reldir%/view.c \
	%reldir%/view.h \
	$(NULL)
