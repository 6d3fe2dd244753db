# SPDX-License-Identifier: MIT
# Programs that link fake.c have its container in place of the real one.
fake_sources = \
	tests/model/fake.c \
	tests/model/fake.h \
	tests/model/toy.c \
	tests/model/toy.h \
	tests/unit/encode.h \
	$(NULL)
fake_cppflags = $(AM_CPPFLAGS) $(ENCODE_CFLAGS) -I$(top_srcdir)/tests/model

check_PROGRAMS += %reldir%/model_array
TESTS += %reldir%/model_array
%canon_reldir%_model_array_SOURCES = %reldir%/model_array.c $(fake_sources)
%canon_reldir%_model_array_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_model_array_LDADD = $(CORE_LIBS)

unit += %reldir%/check_array
%canon_reldir%_check_array_SOURCES = %reldir%/check_array.c $(fake_sources)
%canon_reldir%_check_array_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_check_array_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_array_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_blocks
%canon_reldir%_check_blocks_SOURCES = %reldir%/check_blocks.c $(fake_sources)
%canon_reldir%_check_blocks_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_check_blocks_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_blocks_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %reldir%/model_label
TESTS += %reldir%/model_label
%canon_reldir%_model_label_SOURCES = \
	%reldir%/memory_array.h %reldir%/model_label.c
%canon_reldir%_model_label_LDADD = $(CORE_LIBS)

unit += %reldir%/check_label_units
%canon_reldir%_check_label_units_SOURCES = \
	%reldir%/check_label_units.c $(fake_sources)
%canon_reldir%_check_label_units_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_check_label_units_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_label_units_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_ambiguous
%canon_reldir%_check_ambiguous_SOURCES = \
	%reldir%/check_ambiguous.c $(fake_sources)
%canon_reldir%_check_ambiguous_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_check_ambiguous_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_ambiguous_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

check_PROGRAMS += %reldir%/model_derived
TESTS += %reldir%/model_derived
%canon_reldir%_model_derived_SOURCES = \
	%reldir%/annotation.c \
	%reldir%/annotation.h \
	%reldir%/memory_array.h \
	%reldir%/model_derived.c
%canon_reldir%_model_derived_LDADD = $(CORE_LIBS)

unit += %reldir%/check_derived
%canon_reldir%_check_derived_SOURCES = \
	%reldir%/check_derived.c %reldir%/memory_array.h
%canon_reldir%_check_derived_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_derived_LDADD = $(CORE_LIBS) $(CHECK_LIBS)
