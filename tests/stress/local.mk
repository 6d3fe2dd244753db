# SPDX-License-Identifier: MIT
stress = \
	%reldir%/stress_array \
	%reldir%/stress_cache \
	$(NULL)
check_PROGRAMS += $(stress)
TESTS += $(stress)

%canon_reldir%_stress_cache_SOURCES = \
	%reldir%/stress_cache.c %reldir%/stress.h
%canon_reldir%_stress_cache_LDADD = $(CORE_LIBS)

%canon_reldir%_stress_array_SOURCES = \
	%reldir%/stress_array.c %reldir%/stress.h $(fake_sources)
%canon_reldir%_stress_array_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_stress_array_LDADD = $(CORE_LIBS)
