# SPDX-License-Identifier: MIT
check_PROGRAMS += %reldir%/fault_array
TESTS += %reldir%/fault_array
%canon_reldir%_fault_array_SOURCES = \
	%reldir%/fault_array.c %reldir%/failing.h $(fake_sources)
%canon_reldir%_fault_array_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_fault_array_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_array_LDADD = $(CORE_LIBS)

check_PROGRAMS += %reldir%/fault_tree
TESTS += %reldir%/fault_tree
%canon_reldir%_fault_tree_SOURCES = \
	%reldir%/fault_tree.c %reldir%/failing.h
%canon_reldir%_fault_tree_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit
%canon_reldir%_fault_tree_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_tree_LDADD = $(CORE_LIBS)

check_PROGRAMS += %reldir%/fault_label
TESTS += %reldir%/fault_label
%canon_reldir%_fault_label_SOURCES = \
	%reldir%/fault_label.c %reldir%/failing.h tests/model/memory_array.h
%canon_reldir%_fault_label_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_label_LDADD = $(CORE_LIBS)

check_PROGRAMS += %reldir%/fault_samples
TESTS += %reldir%/fault_samples
%canon_reldir%_fault_samples_SOURCES = \
	%reldir%/fault_samples.c %reldir%/failing.h tests/fuzz/scan_totals.h
%canon_reldir%_fault_samples_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_samples_LDADD = $(CORE_LIBS)

check_PROGRAMS += %reldir%/fault_stored
TESTS += %reldir%/fault_stored
%canon_reldir%_fault_stored_SOURCES = \
	%reldir%/fault_stored.c %reldir%/failing.h \
	tests/fuzz/scan_totals.h tests/fuzz/stored_file.h
%canon_reldir%_fault_stored_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%canon_reldir%_fault_stored_LDADD = $(CORE_LIBS)
