/* SPDX-License-Identifier: MIT */

/*
 * Datatypes: which are served, and words for the rest. A type is known by its
 * fields, never by its size alone: two bytes of floating point may be a
 * bfloat16, four may be anything.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <string.h>
#include <strings.h>

#include "util/cleanup.h"

#define WORDS_DEPTH 3	/* of types within types */
#define WORDS_MEMBERS 6 /* of a compound */

static bool order_of(hid_t type, char *order)
{
	H5T_order_t o = H5Tget_order(type);

	if (H5Tget_size(type) == 1)
		*order = '|';
	else if (o == H5T_ORDER_LE)
		*order = '<';
	else if (o == H5T_ORDER_BE)
		*order = '>';
	else
		return false;
	return true;
}

/* Size 1, 2, 4 or 8, and all of its bits used. */
static bool is_full(hid_t type, struct elem *e)
{
	size_t size = H5Tget_size(type);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	e->size = (uint32_t)size;
	return H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0 &&
	       order_of(type, &e->order);
}

static bool integer_of(hid_t type, struct elem *e)
{
	H5T_sign_t sign = H5Tget_sign(type);

	if (!is_full(type, e) || sign < 0)
		return false;
	e->kind = sign == H5T_SGN_NONE ? 'u' : 'i';
	return true;
}

struct float_fields {
	size_t spos, epos, esize, mpos, msize, bias;
};

static bool fields_are(hid_t type, const struct float_fields *want)
{
	struct float_fields f;

	if (H5Tget_fields(type, &f.spos, &f.epos, &f.esize, &f.mpos, &f.msize) <
		    0 ||
	    H5Tget_norm(type) != H5T_NORM_IMPLIED)
		return false;
	f.bias = H5Tget_ebias(type);
	return f.spos == want->spos && f.epos == want->epos &&
	       f.esize == want->esize && f.mpos == want->mpos &&
	       f.msize == want->msize && f.bias == want->bias;
}

static bool float_of(hid_t type, struct elem *e)
{
	static const struct float_fields half = {15, 10, 5, 0, 10, 15};
	static const struct float_fields single = {31, 23, 8, 0, 23, 127};
	static const struct float_fields twice = {63, 52, 11, 0, 52, 1023};
	const struct float_fields *want;

	if (!is_full(type, e) || e->size == 1)
		return false;
	want = e->size == 2 ? &half : e->size == 4 ? &single : &twice;
	e->kind = 'f';
	return fields_are(type, want);
}

static bool is_bfloat16(hid_t type)
{
	static const struct float_fields want = {15, 7, 8, 0, 7, 127};
	struct elem e;

	return is_full(type, &e) && e.size == 2 && fields_are(type, &want);
}

/* Member i of an enumeration over one byte is name = value. */
static bool member_is(hid_t type, unsigned i, const char *name, uint8_t value)
{
	char *s = H5Tget_member_name(type, i);
	uint8_t v[8] = {0xff};
	bool is = s && strcasecmp(s, name) == 0 &&
		  H5Tget_member_value(type, i, v) >= 0 && v[0] == value;

	H5free_memory(s);
	return is;
}

/* An enumeration over integers. A damaged file may give the two two sizes. */
static bool enum_of(hid_t type, struct elem *e)
{
	CLEANUP(cleanup_hidp) hid_t base = H5Tget_super(type);

	return base >= 0 && integer_of(base, e) && H5Tget_size(type) == e->size;
}

/* h5py's bool: {FALSE = 0, TRUE = 1} over one byte. */
static bool bool_of(hid_t type, struct elem *e)
{
	if (!enum_of(type, e) || e->size != 1 || H5Tget_nmembers(type) != 2)
		return false;
	e->kind = 'b';
	return (member_is(type, 0, "FALSE", 0) &&
		member_is(type, 1, "TRUE", 1)) ||
	       (member_is(type, 0, "TRUE", 1) &&
		member_is(type, 1, "FALSE", 0));
}

static bool find_elem(hid_t type, bool wide, struct elem *e)
{
	H5T_class_t class = H5Tget_class(type);

	if (class == H5T_INTEGER)
		return integer_of(type, e);
	if (class == H5T_FLOAT)
		return float_of(type, e);
	if (class == H5T_ENUM)
		return bool_of(type, e) || (wide && enum_of(type, e));
	if (class == H5T_BITFIELD && wide) {
		e->kind = 'u';
		return is_full(type, e);
	}
	return false;
}

static bool elem_or_none(hid_t type, bool wide, struct elem *e)
{
	*e = (struct elem){0};
	if (find_elem(type, wide, e))
		return true;
	*e = (struct elem){.size = (uint32_t)H5Tget_size(type)};
	return false;
}

bool type_is_served(hid_t type, struct elem *e)
{
	return elem_or_none(type, false, e);
}

bool type_is_number(hid_t type, struct elem *e)
{
	return elem_or_none(type, true, e);
}

static void words(hid_t type, unsigned depth, struct text *t);

static void words_base(hid_t type, unsigned depth, struct text *t)
{
	CLEANUP(cleanup_hidp) hid_t base = H5Tget_super(type);

	if (base < 0)
		text_add(t, "a type that cannot be read");
	else
		words(base, depth + 1, t);
}

static void words_compound(hid_t type, unsigned depth, struct text *t)
{
	int n = H5Tget_nmembers(type);

	text_add(t, "compound of %d member%s", n, n == 1 ? "" : "s");
	if (n < 1)
		return;
	text_add(t, " (");
	for (int i = 0; i < n && i < WORDS_MEMBERS; i++) {
		char *name = H5Tget_member_name(type, (unsigned)i);
		CLEANUP(cleanup_hidp)
		hid_t member = H5Tget_member_type(type, (unsigned)i);

		text_add(t, "%s%.40s: ", i ? ", " : "", name ? name : "?");
		H5free_memory(name);
		if (member < 0)
			text_add(t, "?");
		else
			words(member, depth + 1, t);
	}
	text_add(t, n > WORDS_MEMBERS ? ", ...)" : ")");
}

static void words_array(hid_t type, unsigned depth, struct text *t)
{
	hsize_t dim[H5S_MAX_RANK];
	int n = H5Tget_array_ndims(type);

	text_add(t, "array of ");
	if (n > 0 && n <= H5S_MAX_RANK && H5Tget_array_dims2(type, dim) >= 0)
		for (int i = 0; i < n; i++)
			text_add(t, "%llu%s", (unsigned long long)dim[i],
				 i + 1 < n ? "x" : " ");
	words_base(type, depth, t);
}

static void words_opaque(hid_t type, struct text *t)
{
	char *tag = H5Tget_tag(type);

	text_add(t, "opaque, %zu bytes", H5Tget_size(type));
	if (tag && tag[0])
		text_add(t, " (%.40s)", tag);
	H5free_memory(tag);
}

static void words_enum(hid_t type, unsigned depth, struct text *t)
{
	int n = H5Tget_nmembers(type);

	text_add(t, "enumeration over ");
	words_base(type, depth, t);
	text_add(t, " with %d name%s", n, n == 1 ? "" : "s");
}

static void words_class(hid_t type, unsigned depth, struct text *t)
{
	H5T_class_t class = H5Tget_class(type);
	size_t bits = H5Tget_precision(type);

	switch (class) {
	case H5T_INTEGER:
		text_add(t, "integer of %zu bits in %zu bytes", bits,
			 H5Tget_size(type));
		break;
	case H5T_FLOAT:
		if (is_bfloat16(type))
			text_add(t, "bfloat16");
		else
			text_add(t, "floating point of %zu bits, not IEEE's",
				 bits);
		break;
	case H5T_TIME:
		text_add(t, "time");
		break;
	case H5T_STRING:
		if (H5Tis_variable_str(type) > 0)
			text_add(t, "variable-length string");
		else
			text_add(t, "string of %zu bytes", H5Tget_size(type));
		break;
	case H5T_BITFIELD:
		text_add(t, "bit field of %zu bits", bits);
		break;
	case H5T_OPAQUE:
		words_opaque(type, t);
		break;
	case H5T_COMPOUND:
		words_compound(type, depth, t);
		break;
	case H5T_REFERENCE:
		text_add(t, H5Tequal(type, H5T_STD_REF_DSETREG) > 0
				    ? "region reference"
				    : "reference");
		break;
	case H5T_ENUM:
		words_enum(type, depth, t);
		break;
	case H5T_VLEN:
		text_add(t, "variable-length sequence of ");
		words_base(type, depth, t);
		break;
	case H5T_ARRAY:
		words_array(type, depth, t);
		break;
	case H5T_NO_CLASS:
	case H5T_NCLASSES:
	default:
		text_add(t, "unknown type class %d", (int)class);
		break;
	}
}

static void words(hid_t type, unsigned depth, struct text *t)
{
	struct elem e;

	if (depth >= WORDS_DEPTH)
		text_add(t, "...");
	else if (type_is_served(type, &e) && e.kind == 'b')
		text_add(t, "bool");
	else if (e.kind)
		text_add(t, "%c%c%u", e.order, e.kind, e.size);
	else
		words_class(type, depth, t);
}

void type_words(hid_t type, struct text *t)
{
	words(type, 0, t);
}
