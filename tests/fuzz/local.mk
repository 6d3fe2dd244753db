# SPDX-License-Identifier: MIT
# A fuzz target is one source with two mains: replay.c runs the corpus in
# "make check"; with --enable-fuzzing the library's main searches. What it finds
# stays in the build tree, under fuzz-work.
EXTRA_DIST += %reldir%/corpus
fuzz_targets =

if !ENABLE_FUZZING
fuzz:
	@echo "configure with --enable-fuzzing CC=clang" >&2; exit 1
endif
.PHONY: fuzz
