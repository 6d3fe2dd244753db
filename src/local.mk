# SPDX-License-Identifier: MIT
# libcore.a is all but fuse, cmd and scan: what tests and fuzzers link.
noinst_LIBRARIES += libcore.a
libcore_a_SOURCES =
libcore_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) \
	$(DEFLATE_CFLAGS) $(JANSSON_CFLAGS) $(CRYPTO_CFLAGS)
CORE_LIBS = libcore.a $(ZSTD_LIBS) $(LZ4_LIBS) $(DEFLATE_LIBS) \
	$(JANSSON_LIBS) $(CRYPTO_LIBS) -lm

include %reldir%/util/local.mk
include %reldir%/store/local.mk
include %reldir%/codec/local.mk
include %reldir%/cache/local.mk
include %reldir%/sample/local.mk
include %reldir%/container/local.mk
include %reldir%/array/local.mk
include %reldir%/index/local.mk
include %reldir%/format/local.mk
include %reldir%/tree/local.mk
include %reldir%/fuse/local.mk
include %reldir%/cmd/local.mk
include %reldir%/scan/local.mk
