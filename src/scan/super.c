/* SPDX-License-Identifier: MIT */

/*
 * A first look at the superblock, before libhdf5 has one: is this HDF5 at
 * all, is all of it there, and is somebody writing to it? libhdf5 skips the
 * last question when the driver has no lock, and answers the second without
 * the numbers. Layout: "Disk Format: Level 0A" of the HDF5 file format.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/checked.h"

#define SUPER_BYTES 128u /* more than any version needs */
#define FLAG_WRITE 0x01u
#define FLAG_SWMR 0x04u

static uint64_t le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* The superblock lies at 0, 512, 1024, 2048, ... */
static bool find_super(struct pages *p, uint64_t *at, uint8_t *super)
{
	static const uint8_t sign[8] = "\x89HDF\r\n\x1a\n";
	uint64_t size = pages_file_size(p);

	for (uint64_t a = 0; a < size; a = a ? a * 2 : 512) {
		int r = pages_read(p, a, SUPER_BYTES, super);

		pages_check(p);
		if (r == 0 && memcmp(super, sign, sizeof(sign)) == 0) {
			*at = a;
			return true;
		}
		if (a > size / 2)
			break;
	}
	return false;
}

void super_check(struct pages *p, bool allow_live)
{
	uint8_t s[SUPER_BYTES];
	uint64_t at = 0, size = pages_file_size(p), base, eof;
	unsigned version, width, base_at;

	if (!find_super(p, &at, s))
		wire_fail(-EOPNOTSUPP, "not an HDF5 file");
	version = s[8];
	if (version > 3) /* a later libhdf5 may know it */
		return;
	width = version < 2 ? s[13] : s[9];
	base_at = version < 2 ? (version == 0 ? 24 : 28) : 12;
	if (size - at < base_at || size - at < base_at + 4 * (uint64_t)width)
		wire_fail(-EBADMSG,
			  "truncated: its %" PRIu64
			  " bytes end in the superblock; copy it again",
			  size);
	if (width != 2 && width != 4 && width != 8)
		return; /* libhdf5 says what is wrong with it */
	if (version == 3 && s[11] & (FLAG_WRITE | FLAG_SWMR) && !allow_live)
		wire_fail(-EBUSY,
			  "open for writing by another program, or left so by "
			  "one that crashed: run h5clear -s, or mount with "
			  "--allow-live");
	base = le(s + base_at, width);
	eof = le(s + base_at + 2 * width, width);
	/* Both are wrong alike where something was put before the file. */
	if (eof < base || !checked_add(eof - base, at, &eof))
		return;
	if (eof > size)
		wire_fail(-EBADMSG,
			  "truncated: it should have %" PRIu64
			  " bytes and has %" PRIu64 "; copy it again",
			  eof, size);
}
