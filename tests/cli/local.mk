# SPDX-License-Identifier: MIT

# What the pure parts answer, for tests that ask NumPy the same.
check_PROGRAMS += %reldir%/answers
%canon_reldir%_answers_SOURCES = %reldir%/answers.c
%canon_reldir%_answers_LDADD = $(CORE_LIBS)
check_PROGRAMS += %reldir%/blosc2_chunks
%canon_reldir%_blosc2_chunks_SOURCES = %reldir%/blosc2_chunks.c
%canon_reldir%_blosc2_chunks_LDADD = $(CORE_LIBS)
check_PROGRAMS += %reldir%/label_answers
%canon_reldir%_label_answers_SOURCES = \
	%reldir%/label_answers.c tests/model/array_file.h
%canon_reldir%_label_answers_LDADD = $(CORE_LIBS)
check_PROGRAMS += %reldir%/stored_answers
%canon_reldir%_stored_answers_SOURCES = \
	%reldir%/stored_answers.c tests/model/array_file.h
%canon_reldir%_stored_answers_LDADD = $(CORE_LIBS)
EXTRA_DIST += \
	%reldir%/blosc2_filter.py \
	%reldir%/blosc2_cat.py \
	%reldir%/blosc2_frames.py \
	%reldir%/blosc2_whole.py \
	%reldir%/draws.py \
	%reldir%/foreground.py \
	%reldir%/label.py \
	%reldir%/list.py \
	%reldir%/objects.py \
	%reldir%/scan_driver.py \
	%reldir%/scan_index.py \
	%reldir%/scan_links.py \
	%reldir%/scan_refuse.py \
	%reldir%/scan_tree.py \
	%reldir%/stored.py \
	%reldir%/tables.py \
	$(NULL)
scripts += \
	%reldir%/test-blosc2.sh \
	%reldir%/test-cat.sh \
	%reldir%/test-classes.sh \
	%reldir%/test-derived.sh \
	%reldir%/test-draws.sh \
	%reldir%/test-foreground.sh \
	%reldir%/test-help.sh \
	%reldir%/test-index.sh \
	%reldir%/test-info.sh \
	%reldir%/test-label.sh \
	%reldir%/test-list.sh \
	%reldir%/test-ls.sh \
	%reldir%/test-manual.sh \
	%reldir%/test-medh5-draws.sh \
	%reldir%/test-missing.sh \
	%reldir%/test-npy.sh \
	%reldir%/test-quickstart.sh \
	%reldir%/test-scan-index.sh \
	%reldir%/test-scan-refuse.sh \
	%reldir%/test-scan-tree.sh \
	%reldir%/test-scanner.sh \
	%reldir%/test-stored.sh \
	%reldir%/test-tables.sh \
	$(NULL)
