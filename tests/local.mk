# SPDX-License-Identifier: MIT
TEST_EXTENSIONS = .sh
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_top_srcdir)'; builddir='$(abs_top_builddir)'; \
	MALLOC_PERTURB_=$${MALLOC_PERTURB_:-$$(($$$$ % 255 + 1))}; \
	export srcdir builddir MALLOC_PERTURB_;
SH_LOG_COMPILER = $(abs_top_builddir)/run bash
LOG_COMPILER = $(abs_top_builddir)/run
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh

# Each directory of tests adds to these.
scripts =
unit =
EXTRA_DIST += \
	%reldir%/data \
	%reldir%/lib.sh \
	%reldir%/must.h \
	%reldir%/sanitizer \
	%reldir%/valgrind \
	%reldir%/.shellcheckrc \
	$(NULL)

include %reldir%/unit/local.mk
include %reldir%/model/local.mk
include %reldir%/stress/local.mk
include %reldir%/fault/local.mk
include %reldir%/fuzz/local.mk
include %reldir%/cli/local.mk
include %reldir%/e2e/local.mk
include %reldir%/lint/local.mk
include %reldir%/bench/local.mk

dist_check_SCRIPTS += $(scripts)
TESTS += $(scripts)
if HAVE_CHECK
check_PROGRAMS += $(unit)
TESTS += $(unit)
endif

check-valgrind:
	PATCHFS_VALGRIND=1 CK_FORK=no $(MAKE) check
.PHONY: check-valgrind

# All that "make check" samples, in full: hours.
soak:
	PATCHFS_FULL=1 $(MAKE) check
.PHONY: soak

# For .ci/run, which picks some.
print-tests:
	@echo $(TESTS)
.PHONY: print-tests
