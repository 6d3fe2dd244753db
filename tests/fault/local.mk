# SPDX-License-Identifier: MIT
check_PROGRAMS += %reldir%/fault_array
TESTS += %reldir%/fault_array
%canon_reldir%_fault_array_SOURCES = %reldir%/fault_array.c $(fake_sources)
%canon_reldir%_fault_array_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_fault_array_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_array_LDADD = $(CORE_LIBS)
