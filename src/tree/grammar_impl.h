/* SPDX-License-Identifier: MIT */

/* The keys of foreground views, and priority, for the grammar. Any thread. */

#ifndef TREE_GRAMMAR_IMPL_H
#define TREE_GRAMMAR_IMPL_H

#include "tree/view.h"

/* Set a key from its value of n > 0 bytes. 0 or -EINVAL. */
int draw_set_labels(struct view_spec *s, const char *v, size_t n);
int draw_add_class(struct view_spec *s, const char *v, size_t n);
int draw_set_fraction(struct view_spec *s, const char *v, size_t n);
int draw_set_weights(struct view_spec *s, const char *v, size_t n);
int draw_set_border(struct view_spec *s, const char *v, size_t n);
int draw_set_index(struct view_spec *s, const char *v, size_t n);
int draw_set_rule(struct view_spec *s, const char *v, size_t n);
int draw_set_epoch(struct view_spec *s, const char *v, size_t n);
int add_priority(struct view_spec *s, const char *v, size_t n);

/* Keys of the canonical name: those before pad, and those after it. */
void draw_print_what(const struct view_draw *d, char out[NAME_BYTES_MAX + 1],
		     size_t *n);
void draw_print_how(const struct view_draw *d, char out[NAME_BYTES_MAX + 1],
		    size_t *n);
void print_priority(const struct view_spec *s, char out[NAME_BYTES_MAX + 1],
		    size_t *n);

/* Appends to out[*n]; what does not fit only counts. */
void view_put(char out[NAME_BYTES_MAX + 1], size_t *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
