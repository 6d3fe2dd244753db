/* SPDX-License-Identifier: MIT */

/*
 * An image in physical units: value * slope + intercept in float32, rounded
 * after the product and after the sum. So no compiler may make one of the two
 * (local.mk).
 */

#include <config.h>

#include "array/derived_impl.h"

#include "util/half.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct rescale {
	float slope, intercept;
	unsigned size;
	char kind;
};

static void put_float(uint8_t *out, float v, const struct rescale *r)
{
	v = v * r->slope;
	v = v + r->intercept;
	memcpy(out, &v, sizeof(v));
}

#define LOOP(type, cast)                                             \
	do {                                                         \
		type v_;                                             \
		for (; i < n; i++) {                                 \
			memcpy(&v_, p + i * sizeof(v_), sizeof(v_)); \
			put_float(out + 4 * i, (float)(cast)v_, r);  \
		}                                                    \
	} while (0)

#ifdef __SSE2__
/* Four whole numbers of 32 bits. */
static void put_four(uint8_t *out, __m128i v, const struct rescale *r)
{
	__m128 f = _mm_mul_ps(_mm_cvtepi32_ps(v), _mm_set1_ps(r->slope));

	f = _mm_add_ps(f, _mm_set1_ps(r->intercept));
	_mm_storeu_si128((__m128i *)out, _mm_castps_si128(f));
}

/* Eight of 16 bits. */
static void put_eight(uint8_t *out, __m128i v, bool is_signed,
		      const struct rescale *r)
{
	__m128i high = is_signed ? _mm_srai_epi16(v, 15) : _mm_setzero_si128();

	put_four(out, _mm_unpacklo_epi16(v, high), r);
	put_four(out + 16, _mm_unpackhi_epi16(v, high), r);
}

/* As many of n values as are done 8 or 16 at a time. */
static uint64_t by_vectors(uint8_t *out, const uint8_t *p, uint64_t n,
			   const struct rescale *r)
{
	bool is_signed = r->kind == 'i';
	uint64_t i = 0;

	if (r->kind == 'f' || r->size > 2)
		return 0;
	if (r->size == 2) {
		for (; n - i >= 8; i += 8)
			put_eight(out + 4 * i,
				  _mm_loadu_si128((const __m128i *)(p + 2 * i)),
				  is_signed, r);
		return i;
	}
	for (; n - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i zero = _mm_setzero_si128();
		__m128i high = is_signed ? _mm_cmplt_epi8(v, zero) : zero;

		put_eight(out + 4 * i, _mm_unpacklo_epi8(v, high), is_signed,
			  r);
		put_eight(out + 4 * i + 32, _mm_unpackhi_epi8(v, high),
			  is_signed, r);
	}
	return i;
}
#else
#define by_vectors(out, p, n, r) 0
#endif

static void rescale_floats(const struct rescale *r, uint8_t *out,
			   const uint8_t *p, uint64_t n)
{
	uint64_t i = 0;

	switch (r->size) {
	case 2:
		for (; i < n; i++)
			put_float(out + 4 * i, half_value(get16(p + 2 * i)), r);
		break;
	case 4:
		LOOP(float, float);
		break;
	default:
		LOOP(double, double);
		break;
	}
}

static void rescale(const void *arg, void *to, const void *from, uint64_t n)
{
	const struct rescale *r = arg;
	const uint8_t *p = from;
	uint8_t *out = to;
	uint64_t i = by_vectors(out, p, n, r);

	if (r->kind == 'f') {
		rescale_floats(r, out, p, n);
		return;
	}
	switch ((r->kind == 'i' ? 16 : 0) + r->size) {
	case 1:
		LOOP(uint8_t, uint8_t);
		break;
	case 2:
		LOOP(uint16_t, uint16_t);
		break;
	case 4:
		LOOP(uint32_t, uint32_t);
		break;
	case 8: /* rounded twice, as medh5 does */
		LOOP(uint64_t, double);
		break;
	case 17:
		LOOP(int8_t, int8_t);
		break;
	case 18:
		LOOP(int16_t, int16_t);
		break;
	case 20:
		LOOP(int32_t, int32_t);
		break;
	default:
		LOOP(int64_t, double);
		break;
	}
}

static int physical_piece(struct piece *p)
{
	int err = piece_load(p, p->d->source[SOURCE_DATA], NULL);

	if (!err)
		piece_rows(p, rescale, p->arg);
	return err;
}

static int physical_read_box(const struct array *a, const struct region *item,
			     const struct region *box, void *out,
			     const uint64_t stride[NDIM_MAX], struct wait *w)
{
	const struct derived *d = (const struct derived *)a;
	const struct array *data = d->source[SOURCE_DATA];
	struct rescale r = {
		.slope = (float)d->info.slope,
		.intercept = (float)d->info.intercept,
		.size = data->item_size,
		.kind = data->kind,
	};

	return piece_each(d, item, box, out, stride, w, physical_piece, &r);
}

static uint64_t physical_decode_bytes(const struct array *a,
				      const struct region *box)
{
	const struct derived *d = (const struct derived *)a;
	const struct array *data = d->source[SOURCE_DATA];

	return data->ops->decode_bytes(data, box);
}

static const char *physical_check(const struct derived *d)
{
	const struct array *a = d->source[SOURCE_DATA];

	if (!a)
		return "its image cannot be read";
	return shape_equal(&a->shape, &d->base.shape)
		       ? NULL
		       : "its image is not of its shape";
}

const struct derived_kind_ops derived_physical = {
	.ops = {.name = "physical",
		.read_box = physical_read_box,
		.decode_bytes = physical_decode_bytes},
	.kind = 'f',
	.item_size = 4,
	.check = physical_check,
};
