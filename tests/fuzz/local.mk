# SPDX-License-Identifier: MIT
# A fuzz target X is tests/fuzz/fuzz_X.c with LLVMFuzzerTestOneInput, and inputs
# in corpus/X: a smallest good one, one for each thing that is refused, and what
# the fuzzer found. The program fuzz_X has two mains: here replay.c, with which
# test-corpus.sh runs the corpus in "make check"; with --enable-fuzzing
# libFuzzer's, and then
#
#   make fuzz FUZZ_SECONDS=60                      every target for so long
#   make fuzz fuzz_targets='lz4 zstd'              some
#
# searches. What it finds stays in the build tree, in fuzz-work: copy the
# reduced file to the corpus under a name that says what it is.
#
# To add a target: its name, and the four lines that all have.
fuzz_targets = \
	blosc2 \
	catalog \
	chain \
	deflate \
	fletcher32 \
	index \
	label \
	lz4 \
	names \
	shuffle \
	sidecar \
	stored \
	zstd \
	$(NULL)
fuzz_programs =

if ENABLE_FUZZING
FUZZ_MAIN =
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
else
FUZZ_MAIN = %reldir%/replay.c
FUZZ_LINK = $(AM_LDFLAGS)
endif

fuzz_programs += %reldir%/fuzz_catalog
%canon_reldir%_fuzz_catalog_SOURCES = %reldir%/fuzz_catalog.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_catalog_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_catalog_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_index
%canon_reldir%_fuzz_index_SOURCES = %reldir%/fuzz_index.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_index_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_index_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_label
%canon_reldir%_fuzz_label_SOURCES = %reldir%/fuzz_label.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_label_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_label_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_names
%canon_reldir%_fuzz_names_SOURCES = %reldir%/fuzz_names.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_names_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_names_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_sidecar
%canon_reldir%_fuzz_sidecar_SOURCES = %reldir%/fuzz_sidecar.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_sidecar_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_sidecar_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_stored
%canon_reldir%_fuzz_stored_SOURCES = \
	%reldir%/fuzz_stored.c %reldir%/stored_file.h $(FUZZ_MAIN)
%canon_reldir%_fuzz_stored_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_stored_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_blosc2
%canon_reldir%_fuzz_blosc2_SOURCES = %reldir%/fuzz_blosc2.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_blosc2_CPPFLAGS = $(FUZZ_CODEC)
%canon_reldir%_fuzz_blosc2_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_blosc2_LDADD = $(CORE_LIBS)

# Seeds of these are made, not found.
EXTRA_DIST += %reldir%/make-corpus.py %reldir%/scan_totals.h

# The codecs share a source; the filter is a number of HDF5, 0 a whole chain.
fuzz_programs += %reldir%/fuzz_chain
%canon_reldir%_fuzz_chain_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_chain_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=0
%canon_reldir%_fuzz_chain_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_chain_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_deflate
%canon_reldir%_fuzz_deflate_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_deflate_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=1
%canon_reldir%_fuzz_deflate_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_deflate_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_shuffle
%canon_reldir%_fuzz_shuffle_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_shuffle_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=2
%canon_reldir%_fuzz_shuffle_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_shuffle_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_fletcher32
%canon_reldir%_fuzz_fletcher32_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_fletcher32_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=3
%canon_reldir%_fuzz_fletcher32_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_fletcher32_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_lz4
%canon_reldir%_fuzz_lz4_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_lz4_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=32004
%canon_reldir%_fuzz_lz4_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_lz4_LDADD = $(CORE_LIBS)

fuzz_programs += %reldir%/fuzz_zstd
%canon_reldir%_fuzz_zstd_SOURCES = %reldir%/fuzz_codec.c $(FUZZ_MAIN)
%canon_reldir%_fuzz_zstd_CPPFLAGS = $(FUZZ_CODEC) -DFUZZ_FILTER=32015
%canon_reldir%_fuzz_zstd_LDFLAGS = $(FUZZ_LINK)
%canon_reldir%_fuzz_zstd_LDADD = $(CORE_LIBS)

FUZZ_CODEC = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(ENCODE_CFLAGS)

check_PROGRAMS += $(fuzz_programs)
scripts += %reldir%/test-corpus.sh
EXTRA_DIST += %reldir%/corpus

if ENABLE_FUZZING
fuzz: $(fuzz_programs)
	for t in $(fuzz_targets); do \
		$(MKDIR_P) fuzz-work/$$t && \
		./%reldir%/fuzz_$$t -max_total_time=$${FUZZ_SECONDS:-60} \
			-timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=fuzz-work/$$t- fuzz-work/$$t \
			$(top_srcdir)/%reldir%/corpus/$$t || exit 1; \
	done
else
fuzz:
	@echo "configure with --enable-fuzzing CC=clang" >&2; exit 1
endif
.PHONY: fuzz
