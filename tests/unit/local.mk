# SPDX-License-Identifier: MIT
# One program a module; add it to unit and give it the two lines below.
EXTRA_DIST += %reldir%/unit.h
# What includes encode.h calls the compressors itself.
ENCODE_CFLAGS = $(DEFLATE_CFLAGS) $(LZ4_CFLAGS) $(ZSTD_CFLAGS)

unit += %reldir%/check_util
%canon_reldir%_check_util_SOURCES = %reldir%/check_util.c
%canon_reldir%_check_util_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_util_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_cache
%canon_reldir%_check_cache_SOURCES = %reldir%/check_cache.c
%canon_reldir%_check_cache_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_cache_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_cache_run
%canon_reldir%_check_cache_run_SOURCES = %reldir%/check_cache_run.c
%canon_reldir%_check_cache_run_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_cache_run_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_codec
%canon_reldir%_check_codec_SOURCES = %reldir%/check_codec.c %reldir%/encode.h
%canon_reldir%_check_codec_CPPFLAGS = $(AM_CPPFLAGS) $(ENCODE_CFLAGS)
%canon_reldir%_check_codec_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_codec_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_blosc2
%canon_reldir%_check_blosc2_SOURCES = \
	%reldir%/blosc2_both.h \
	%reldir%/check_blosc2.c \
	%reldir%/encode.h \
	$(NULL)
%canon_reldir%_check_blosc2_CPPFLAGS = $(AM_CPPFLAGS) $(ENCODE_CFLAGS)
%canon_reldir%_check_blosc2_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_blosc2_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_plain
%canon_reldir%_check_plain_SOURCES = %reldir%/check_plain.c %reldir%/encode.h
%canon_reldir%_check_plain_CPPFLAGS = $(AM_CPPFLAGS) $(ENCODE_CFLAGS)
%canon_reldir%_check_plain_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_plain_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_philox
%canon_reldir%_check_philox_SOURCES = %reldir%/check_philox.c
%canon_reldir%_check_philox_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_philox_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_sample
%canon_reldir%_check_sample_SOURCES = %reldir%/check_sample.c
%canon_reldir%_check_sample_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_sample_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_foreground
%canon_reldir%_check_foreground_SOURCES = %reldir%/check_foreground.c
%canon_reldir%_check_foreground_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_foreground_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_medh5
%canon_reldir%_check_medh5_SOURCES = %reldir%/check_medh5.c
%canon_reldir%_check_medh5_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_medh5_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_format
%canon_reldir%_check_format_SOURCES = %reldir%/check_format.c
%canon_reldir%_check_format_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_format_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_names
%canon_reldir%_check_names_SOURCES = %reldir%/check_names.c
%canon_reldir%_check_names_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_names_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_node
%canon_reldir%_check_node_SOURCES = %reldir%/check_node.c
%canon_reldir%_check_node_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_node_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_store
%canon_reldir%_check_store_SOURCES = %reldir%/check_store.c
%canon_reldir%_check_store_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_store_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_catalog
%canon_reldir%_check_catalog_SOURCES = \
	%reldir%/catalog_fixture.h \
	%reldir%/check_catalog.c \
	%reldir%/records.h \
	$(NULL)
%canon_reldir%_check_catalog_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_catalog_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_index
%canon_reldir%_check_index_SOURCES = %reldir%/check_index.c
%canon_reldir%_check_index_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_index_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_stored
%canon_reldir%_check_stored_SOURCES = \
	%reldir%/catalog_fixture.h \
	%reldir%/check_stored.c \
	%reldir%/medh5_fixture.h \
	%reldir%/records.h \
	$(NULL)
%canon_reldir%_check_stored_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_stored_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_samples
%canon_reldir%_check_samples_SOURCES = \
	%reldir%/catalog_fixture.h \
	%reldir%/check_samples.c \
	%reldir%/medh5_fixture.h \
	%reldir%/records.h \
	$(NULL)
%canon_reldir%_check_samples_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_samples_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_annotations
%canon_reldir%_check_annotations_SOURCES = \
	%reldir%/catalog_fixture.h \
	%reldir%/check_annotations.c \
	%reldir%/medh5_fixture.h \
	%reldir%/records.h \
	$(NULL)
%canon_reldir%_check_annotations_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_annotations_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_catalog_own
%canon_reldir%_check_catalog_own_SOURCES = %reldir%/check_catalog_own.c %reldir%/catalog_fixture.h %reldir%/records.h
%canon_reldir%_check_catalog_own_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_catalog_own_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_catalog_bad
%canon_reldir%_check_catalog_bad_SOURCES = \
	%reldir%/catalog_fixture.h \
	%reldir%/check_catalog_bad.c \
	%reldir%/records.h \
	$(NULL)
%canon_reldir%_check_catalog_bad_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_catalog_bad_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_scanner
%canon_reldir%_check_scanner_SOURCES = \
	%reldir%/check_scanner.c %reldir%/records.h %reldir%/scanner_test.h
%canon_reldir%_check_scanner_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_scanner_LDADD = $(CORE_LIBS) $(CHECK_LIBS)
unit += %reldir%/check_scanners
%canon_reldir%_check_scanners_SOURCES = \
	%reldir%/check_scanners.c %reldir%/records.h %reldir%/scanner_test.h
%canon_reldir%_check_scanners_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_scanners_LDADD = $(CORE_LIBS) $(CHECK_LIBS)
# What they run as a scanner: no test itself.
check_PROGRAMS += %reldir%/false_scanner
%canon_reldir%_false_scanner_SOURCES = %reldir%/false_scanner.c \
	src/scan/forkserver.c src/scan/forkserver.h

EXTRA_DIST += \
	%reldir%/tree_test.h \
	%reldir%/volume.h \
	$(NULL)

unit += %reldir%/check_listing
%canon_reldir%_check_listing_SOURCES = %reldir%/check_listing.c
%canon_reldir%_check_listing_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_listing_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_draws
%canon_reldir%_check_draws_SOURCES = %reldir%/check_draws.c
%canon_reldir%_check_draws_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_draws_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_tree
%canon_reldir%_check_tree_SOURCES = %reldir%/check_tree.c
%canon_reldir%_check_tree_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_tree_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_tree_state
%canon_reldir%_check_tree_state_SOURCES = %reldir%/check_tree_state.c
%canon_reldir%_check_tree_state_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_tree_state_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_info
%canon_reldir%_check_info_SOURCES = %reldir%/check_info.c
%canon_reldir%_check_info_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_info_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_view
%canon_reldir%_check_view_SOURCES = %reldir%/check_view.c
%canon_reldir%_check_view_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_view_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_label
%canon_reldir%_check_label_SOURCES = \
	%reldir%/check_label.c tests/model/memory_array.h
%canon_reldir%_check_label_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_label_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_sidecar
%canon_reldir%_check_sidecar_SOURCES = \
	%reldir%/check_sidecar.c tests/model/memory_array.h
%canon_reldir%_check_sidecar_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_sidecar_LDADD = $(CORE_LIBS) $(CHECK_LIBS)

unit += %reldir%/check_indices
%canon_reldir%_check_indices_SOURCES = \
	%reldir%/check_indices.c tests/model/memory_array.h
%canon_reldir%_check_indices_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
%canon_reldir%_check_indices_LDADD = $(CORE_LIBS) $(CHECK_LIBS)
