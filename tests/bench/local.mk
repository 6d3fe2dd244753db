# SPDX-License-Identifier: MIT

# Programs that measure in process; "make bench" runs them all.
bench_programs = \
	%reldir%/bench_codec \
	$(NULL)
EXTRA_PROGRAMS += $(bench_programs)
%canon_reldir%_bench_codec_SOURCES = %reldir%/bench_codec.c
%canon_reldir%_bench_codec_CPPFLAGS = \
	$(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit $(ENCODE_CFLAGS)
%canon_reldir%_bench_codec_LDADD = $(CORE_LIBS)

bench: $(bench_programs)
	for p in $(bench_programs); do ./run ./$$p || exit 1; done
.PHONY: bench
