# SPDX-License-Identifier: MIT
# One program a module; add it to unit and give it the two lines below.
EXTRA_DIST += %reldir%/unit.h
