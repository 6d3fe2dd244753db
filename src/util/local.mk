# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/checked.h \
	%reldir%/cleanup.h \
	%reldir%/half.c \
	%reldir%/half.h \
	%reldir%/hash.c \
	%reldir%/hash.h \
	%reldir%/json.c \
	%reldir%/json.h \
	%reldir%/log.c \
	%reldir%/log.h \
	%reldir%/metric.c \
	%reldir%/metric.h \
	%reldir%/near.c \
	%reldir%/near.h \
	%reldir%/parse.c \
	%reldir%/parse.h \
	%reldir%/problem.c \
	%reldir%/problem.h \
	%reldir%/shape.c \
	%reldir%/shape.h \
	%reldir%/swap.h \
	%reldir%/text.c \
	%reldir%/text.h \
	%reldir%/wait.h \
	$(NULL)
