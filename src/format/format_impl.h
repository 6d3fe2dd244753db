/* SPDX-License-Identifier: MIT */

/* What the files of this layer share. */

#ifndef FORMAT_FORMAT_IMPL_H
#define FORMAT_FORMAT_IMPL_H

#include "format/format.h"

extern const struct format_ops format_npy;
extern const struct format_ops format_raw;

/*
 * The file is the first n bytes of out->header (none if n is 0), then the
 * values. Fills in segments and size. 0 or -EOVERFLOW.
 */
int layout_linear(const struct item_type *t, size_t n, struct layout *out);

#endif
