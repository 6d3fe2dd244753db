# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/checked.h \
	%reldir%/cleanup.h \
	%reldir%/hash.h \
	%reldir%/json.h \
	%reldir%/log.h \
	%reldir%/metric.h \
	%reldir%/parse.h \
	%reldir%/problem.h \
	%reldir%/shape.h \
	%reldir%/wait.h \
	$(NULL)
