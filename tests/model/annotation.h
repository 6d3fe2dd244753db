/* SPDX-License-Identifier: MIT */

/* Random annotations in memory, for tests of what is derived from them. */

#ifndef TESTS_ANNOTATION_H
#define TESTS_ANNOTATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "array/array.h"
#include "memory_array.h"

#define CLASSES_MAX 150
#define OBJECTS_MAX 40

void annotation_seed(uint64_t seed);
uint64_t rnd(void);
uint64_t between(uint64_t low, uint64_t high);
bool chance(unsigned percent);

/* The values of all float16, made from their parts. */
extern double half[65536];
void make_halves(void);

struct object {
	int64_t start[4];
	uint64_t extent[4];
	uint16_t id;
	uint64_t at; /* of its mask */
};

/* The annotation, or image, at hand. */
struct annotation {
	struct shape grid;
	uint64_t voxels;
	enum label_encoding encoding;
	struct derived_info info;
	struct derived_class class[CLASSES_MAX];
	unsigned nclass;
	struct memory_array source[SOURCES];
	bool has[SOURCES];
	struct object object[OBJECTS_MAX];
	unsigned nobject;
	uint16_t priority[CLASSES_MAX + 2];
	unsigned npriority;
	double nearest;	  /* to the threshold, of float16 */
	uint8_t *ignored; /* of each voxel */
};
extern struct annotation g;

/* Make a source of it, of zeros. */
struct memory_array *source(enum derived_source i, const struct shape *s,
			    char kind, unsigned item_size);
void make_grid(void);
void make_case(void);
void end_case(void);

static inline void put(struct memory_array *m, uint64_t i, uint64_t v)
{
	memcpy(m->data + i * m->base.item_size, &v, m->base.item_size);
}

static inline uint64_t get(const struct memory_array *m, uint64_t i)
{
	uint64_t v = 0;

	memcpy(&v, m->data + i * m->base.item_size, m->base.item_size);
	return v;
}

#endif
