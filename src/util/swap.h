/* SPDX-License-Identifier: MIT */

#ifndef UTIL_SWAP_H
#define UTIL_SWAP_H

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

/* Numbers of 2, 4 or 8 bytes from one byte order to the other, in place; those
 * of 1 byte are left alone. No alignment is asked for. */
static inline void swap_items(void *data, uint64_t count, unsigned item_size)
{
	unsigned char *p = data;

	for (uint64_t i = 0; i < count; i++, p += item_size) {
		uint16_t v2;
		uint32_t v4;
		uint64_t v8;

		switch (item_size) {
		case 2:
			memcpy(&v2, p, 2);
			v2 = bswap_16(v2);
			memcpy(p, &v2, 2);
			break;
		case 4:
			memcpy(&v4, p, 4);
			v4 = bswap_32(v4);
			memcpy(p, &v4, 4);
			break;
		case 8:
			memcpy(&v8, p, 8);
			v8 = bswap_64(v8);
			memcpy(p, &v8, 8);
			break;
		default:
			return;
		}
	}
}

#endif
