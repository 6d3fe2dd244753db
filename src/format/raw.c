/* SPDX-License-Identifier: MIT */

/* The values alone, C order, little endian. Nothing in the file says which. */

#include <config.h>

#include "format/format_impl.h"

static bool raw_accepts(const struct item_type *t)
{
	return t->item_size > 0;
}

static int raw_layout(const struct item_type *t, struct layout *out)
{
	return layout_linear(t, 0, out);
}

const struct format_ops format_raw = {
	.ext = "raw",
	.help = "the values alone, C order, little endian",
	.accepts = raw_accepts,
	.layout = raw_layout,
};
