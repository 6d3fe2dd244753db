/* SPDX-License-Identifier: MIT */

/* Numbers as people write them. Pure. */

#include <config.h>

#include "util/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/checked.h"

int parse_decimal(const char *s, uint64_t len, uint64_t *out)
{
	uint64_t v = 0;

	if (len == 0)
		return -EINVAL;
	for (uint64_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -EINVAL;
		if (!checked_mul(v, 10, &v) ||
		    !checked_add(v, (uint64_t)(s[i] - '0'), &v))
			return -ERANGE;
	}
	*out = v;
	return 0;
}

/* The digits at the start of s; *unit is what follows them. */
static int leading_number(const char *s, uint64_t *v, const char **unit)
{
	size_t n = strspn(s, "0123456789");

	*unit = s + n;
	return parse_decimal(s, n, v);
}

int parse_size(const char *s, uint64_t *out)
{
	static const char units[] = "KMGTkmgt";
	const char *unit, *at;
	uint64_t v;
	int r = leading_number(s, &v, &unit);

	if (r)
		return r;
	if (*unit && (at = strchr(units, *unit))) {
		unsigned shift = 10 * ((unsigned)(at - units) % 4 + 1);

		if (!checked_mul(v, UINT64_C(1) << shift, &v))
			return -ERANGE;
		unit++;
		if (*unit == 'i')
			unit++;
	}
	if (*unit == 'B')
		unit++;
	if (*unit)
		return -EINVAL;
	*out = v;
	return 0;
}

int parse_duration_ms(const char *s, uint64_t *out)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {{"", 1000},
		     {"s", 1000},
		     {"ms", 1},
		     {"m", 60000},
		     {"h", 3600000}};
	const char *unit;
	uint64_t v;
	int r = leading_number(s, &v, &unit);

	if (r)
		return r;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit) == 0)
			return checked_mul(v, units[i].ms, out) ? 0 : -ERANGE;
	}
	return -EINVAL;
}

const char *format_size(uint64_t n, char buf[16])
{
	static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
					    "TiB", "PiB", "EiB"};
	double v = (double)n;
	unsigned u = 0;

	while (v >= 1024 && u < 6) {
		v /= 1024;
		u++;
	}
	if (u == 0 || v >= 100 || v == (double)(uint64_t)v)
		snprintf(buf, 16, "%.0f %s", v, units[u]);
	else
		snprintf(buf, 16, "%.1f %s", v, units[u]);
	return buf;
}
