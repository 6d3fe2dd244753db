/* SPDX-License-Identifier: MIT */

/* Numbers as people write them. 0 or -EINVAL (-ERANGE: too large). */

#ifndef UTIL_PARSE_H
#define UTIL_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Digits alone, any number of leading zeros; len bytes of s, all used. */
int parse_decimal(const char *s, uint64_t len, uint64_t *out);
/* "4096", "64K", "512M", "2G", "1T"; powers of 1024; a trailing B or iB. */
int parse_size(const char *s, uint64_t *out);
/* "30", "30s", "500ms", "5m", "2h"; result in milliseconds. */
int parse_duration_ms(const char *s, uint64_t *out);
/* "1.5 GiB", "64 KiB", "12 B": at most 15 characters. */
const char *format_size(uint64_t n, char buf[16]);

#endif
