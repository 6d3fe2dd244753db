# SPDX-License-Identifier: MIT
libcore_a_SOURCES += \
	%reldir%/file.c \
	%reldir%/store.c \
	%reldir%/store.h \
	%reldir%/store_impl.h \
	$(NULL)
if ENABLE_FAULTS
libcore_a_SOURCES += %reldir%/fault.c
endif
