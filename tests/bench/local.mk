# SPDX-License-Identifier: MIT

# Programs that measure in process; "make bench" runs them all, and then
# bench.sh, which measures mounts. Lines are "name value unit".
bench_programs = \
	%reldir%/bench_cache \
	%reldir%/bench_codec \
	$(NULL)
bench_helpers = \
	%reldir%/bench_blosc2 \
	%reldir%/bench_client \
	%reldir%/bench_decode \
	%reldir%/bench_label \
	$(NULL)
EXTRA_PROGRAMS += $(bench_programs) $(bench_helpers)
%canon_reldir%_bench_cache_SOURCES = %reldir%/bench_cache.c $(fake_sources)
%canon_reldir%_bench_cache_CPPFLAGS = $(fake_cppflags)
%canon_reldir%_bench_cache_LDADD = $(CORE_LIBS)
%canon_reldir%_bench_codec_SOURCES = %reldir%/bench_codec.c
%canon_reldir%_bench_codec_CPPFLAGS = \
	$(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(ENCODE_CFLAGS)
%canon_reldir%_bench_codec_LDADD = $(CORE_LIBS)
%canon_reldir%_bench_blosc2_SOURCES = %reldir%/bench_blosc2.c
%canon_reldir%_bench_blosc2_LDADD = $(CORE_LIBS)
%canon_reldir%_bench_client_SOURCES = %reldir%/bench_client.c
%canon_reldir%_bench_decode_SOURCES = %reldir%/bench_decode.c
%canon_reldir%_bench_decode_LDADD = $(CORE_LIBS)
%canon_reldir%_bench_label_SOURCES = \
	%reldir%/bench_label.c tests/model/array_file.h
%canon_reldir%_bench_label_LDADD = $(CORE_LIBS)
EXTRA_DIST += \
	%reldir%/bench.sh \
	%reldir%/bench_blosc2.py \
	%reldir%/bench_common.py \
	%reldir%/bench_data.py \
	%reldir%/bench_label.py \
	%reldir%/bench_loaders.py \
	%reldir%/bench_medh5.py \
	%reldir%/bench_mount.py \
	$(NULL)
CLEANFILES += $(bench_programs) $(bench_helpers)

# BENCH="ROW..." takes some of the rows of bench.sh, BENCH_QUICK=1 less of all.
bench: all $(bench_programs) $(bench_helpers)
	test -n "$(BENCH)$$BENCH_QUICK" || for p in $(bench_programs); do ./run ./$$p || exit 1; done
	srcdir='$(abs_top_srcdir)' builddir='$(abs_top_builddir)' \
		./run bash '$(abs_top_srcdir)/%reldir%/bench.sh' $(BENCH)
.PHONY: bench
