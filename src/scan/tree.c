/* SPDX-License-Identifier: MIT */

/*
 * The walk over all objects of a file. No recursion: groups wait in a queue,
 * and each object is visited once, by its address, so that cycles and hard
 * links cost nothing. Links are never followed by name.
 *
 * The links of a group are gathered in batches, and the objects of a batch
 * are visited in the order of their addresses: names may come in any order,
 * and a source far away wants to be read from front to back. A batch bounds
 * memory too, for a group of millions.
 */

#include <config.h>

#include "scan/scan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define BATCH_LINKS 65536u
#define BATCH_BYTES (8u << 20) /* of names and targets */
#define UNKNOWN UINT32_MAX

/* A link of the batch; its name, target and file lie at text. */
struct member {
	struct cat_link rec;
	uint64_t addr; /* CAT_HARD */
	size_t text;
	enum role role;
};

/* Address to object number: open addressing, at most half full. */
struct addresses {
	uint64_t *addr;
	uint32_t *number;  /* UNKNOWN: free */
	size_t room, used; /* room: a power of two */
};

struct waiting {
	uint64_t addr;
	uint32_t number;
	enum role role;
};

/* An object that is to be visited. */
struct found {
	uint64_t addr;
	enum role role;
};

struct walk {
	struct out out;
	struct vfd *vfd;
	hid_t file;
	size_t value_max;
	struct addresses known;
	struct waiting *queue; /* groups whose links were not sent yet */
	size_t head, tail, room;
	uint32_t group; /* whose links are gathered */
	enum role role; /* of that group */
	struct member *member;
	size_t nmember;
	char *text;
	size_t ntext;
	struct found *sorted;
};

static size_t hash_slot(const struct addresses *t, uint64_t addr)
{
	uint64_t h = addr * 0x9e3779b97f4a7c15u;

	return (size_t)(h ^ h >> 32) & (t->room - 1);
}

static size_t find_slot(const struct addresses *t, uint64_t addr)
{
	size_t i = hash_slot(t, addr);

	while (t->number[i] != UNKNOWN && t->addr[i] != addr)
		i = (i + 1) & (t->room - 1);
	return i;
}

static void addresses_init(struct addresses *t, size_t room)
{
	t->room = room;
	t->used = 0;
	t->addr = scan_malloc(room * sizeof(*t->addr));
	t->number = scan_malloc(room * sizeof(*t->number));
	memset(t->number, 0xff, room * sizeof(*t->number));
}

static uint32_t number_of(const struct addresses *t, uint64_t addr)
{
	return t->number[find_slot(t, addr)];
}

static void remember(struct addresses *t, uint64_t addr, uint32_t number)
{
	size_t i;

	if (t->used * 2 >= t->room) {
		struct addresses old = *t;

		addresses_init(t, old.room * 2);
		for (i = 0; i < old.room; i++)
			if (old.number[i] != UNKNOWN)
				remember(t, old.addr[i], old.number[i]);
		free(old.addr);
		free(old.number);
	}
	i = find_slot(t, addr);
	t->used += t->number[i] == UNKNOWN;
	t->addr[i] = addr;
	t->number[i] = number;
}

static void enqueue(struct walk *w, struct waiting g)
{
	if (w->tail == w->room) {
		/* What was taken out makes room for what comes. */
		w->tail -= w->head;
		if (w->tail)
			memmove(w->queue, w->queue + w->head,
				w->tail * sizeof(*w->queue));
		w->head = 0;
		if (w->tail * 2 >= w->room) {
			w->room = w->room ? w->room * 2 : 256;
			w->queue = scan_realloc(w->queue,
						w->room * sizeof(*w->queue));
		}
	}
	w->queue[w->tail++] = g;
}

static uint32_t send_other(struct walk *w, uint64_t addr,
			   const struct text *why)
{
	uint32_t number = out_object(&w->out, CAT_OTHER, addr);

	if (why)
		out_problem(&w->out, number, why);
	return number;
}

/* Scalars and strings show their values; of a table it is asked for. */
static bool has_value(hid_t dset, enum role role)
{
	CLEANUP(cleanup_hidp) hid_t type = H5Dget_type(dset);
	CLEANUP(cleanup_hidp) hid_t space = H5Dget_space(dset);
	struct elem e;

	if (type < 0 || space < 0)
		return false;
	if (H5Tget_class(type) == H5T_STRING)
		return true;
	return (H5Sget_simple_extent_type(space) == H5S_SCALAR ||
		role == ROLE_TABLE) &&
	       type_is_number(type, &e);
}

static uint32_t send_dataset(struct walk *w, hid_t dset, struct found f)
{
	struct text why = {0};
	bool can_read = false;
	uint32_t number;

	if (array_send(&w->out, dset, f.addr, &number, &can_read, &why) < 0)
		return send_other(w, f.addr, &why);
	value_attributes(&w->out, dset, number, role_attribute_max(f.role));
	if (f.role == ROLE_TABLE && table_send(&w->out, w->vfd, dset, number))
		return number;
	if (can_read && has_value(dset, f.role))
		value_dataset(&w->out, dset, number,
			      role_value_max(f.role, w->value_max));
	return number;
}

/* The object, with its attributes. */
static void visit(struct walk *w, struct found f)
{
	CLEANUP(cleanup_hidp) hid_t obj = H5Oopen_by_addr(w->file, f.addr);
	H5I_type_t type;
	uint32_t number;

	if (w->out.objects == UNKNOWN)
		wire_fail(-EFBIG, "too many objects");
	if (obj < 0) {
		struct text why = {0};

		text_add(&why, "object cannot be opened");
		text_add_why(&why);
		number = send_other(w, f.addr, &why);
	} else if ((type = H5Iget_type(obj)) == H5I_GROUP) {
		number = out_object(&w->out, CAT_GROUP, f.addr);
		if (f.role == ROLE_NONE)
			f.role = role_of_group(obj);
		value_attributes(&w->out, obj, number,
				 role_attribute_max(f.role));
		enqueue(w, (struct waiting){f.addr, number, f.role});
	} else if (type == H5I_DATASET) {
		number = send_dataset(w, obj, f);
	} else {
		number = send_other(w, f.addr, NULL);
	}
	pages_check(w->vfd->pages);
	remember(&w->known, f.addr, number);
}

/* Of one object under two names the one with a role comes first. */
static int by_value(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->role < y->role) - (x->role > y->role);
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct member *x = a, *y = b;
	const char *text = arg;
	uint32_t nx = x->rec.name_len, ny = y->rec.name_len;
	int r = memcmp(text + x->text, text + y->text, nx < ny ? nx : ny);

	return r ? r : (nx > ny) - (nx < ny);
}

/* Objects first, then the links that name them, sorted by name. */
static void send_batch(struct walk *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->nmember; i++) {
		const struct member *m = &w->member[i];

		if (m->rec.kind == CAT_HARD &&
		    number_of(&w->known, m->addr) == UNKNOWN)
			w->sorted[n++] = (struct found){m->addr, m->role};
	}
	qsort(w->sorted, n, sizeof(*w->sorted), by_value);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || w->sorted[i].addr != w->sorted[i - 1].addr)
			visit(w, w->sorted[i]);
	qsort_r(w->member, w->nmember, sizeof(*w->member), by_name, w->text);
	for (size_t i = 0; i < w->nmember; i++) {
		struct member *m = &w->member[i];

		if (m->rec.kind == CAT_HARD)
			m->rec.target = number_of(&w->known, m->addr);
		out_begin(&w->out, CAT_LINK, &m->rec, sizeof(m->rec));
		out_add(&w->out, w->text + m->text,
			(size_t)m->rec.name_len + m->rec.target_len +
				m->rec.file_len);
		out_end(&w->out);
		w->out.links++;
	}
	w->nmember = 0;
	w->ntext = 0;
}

static void add_text(struct walk *w, const char *s, size_t n)
{
	memcpy(w->text + w->ntext, s, n);
	w->ntext += n;
}

static void bad_link(struct walk *w, const char *name, const char *what)
{
	struct text t = {0};

	text_add(&t, "link %.80s %s", name, what);
	text_add_why(&t);
	out_problem(&w->out, w->group, &t);
}

/*
 * Where a soft or external link leads to. The value is asked for by name, and
 * a name with a slash (no writer makes one) would be taken for a path.
 */
static bool add_target(struct walk *w, hid_t group, const char *name,
		       const H5L_info_t *info, struct member *m)
{
	CLEANUP(cleanup_freep) char *value = NULL;
	const char *file = "", *path;
	size_t n = info->u.val_size;
	unsigned flags;

	if (n == 0 || n > CAT_NAME_MAX || strchr(name, '/') || !name[0] ||
	    !strcmp(name, ".")) {
		bad_link(w, name, "has no usable target");
		return false;
	}
	value = scan_malloc(n + 1);
	memset(value, 0, n + 1);
	if (H5Lget_val(group, name, value, n, H5P_DEFAULT) < 0) {
		bad_link(w, name, "cannot be read");
		return false;
	}
	path = value;
	if (m->rec.kind == CAT_EXTERNAL_LINK &&
	    H5Lunpack_elink_val(value, n, &flags, &file, &path) < 0) {
		bad_link(w, name, "cannot be read");
		return false;
	}
	m->rec.target_len = (uint32_t)strlen(path);
	m->rec.file_len = (uint32_t)strlen(file);
	add_text(w, path, m->rec.target_len);
	add_text(w, file, m->rec.file_len);
	return true;
}

static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info,
			void *arg)
{
	struct walk *w = arg;
	struct member *m;
	size_t len = strlen(name);

	if (len > CAT_NAME_MAX) {
		bad_link(w, name, "has a name that is too long");
		return 0;
	}
	/* The name, and a target of as many bytes at most. */
	if (w->nmember == BATCH_LINKS ||
	    w->ntext + 2 * CAT_NAME_MAX > BATCH_BYTES)
		send_batch(w);
	m = &w->member[w->nmember];
	*m = (struct member){.text = w->ntext};
	m->rec.parent = w->group;
	m->rec.name_len = (uint32_t)len;
	add_text(w, name, len);
	if (info->type == H5L_TYPE_HARD) {
		m->rec.kind = CAT_HARD;
		m->addr = info->u.address;
		m->role = role_of_member(w->role, name, len);
	} else if (info->type == H5L_TYPE_SOFT ||
		   info->type == H5L_TYPE_EXTERNAL) {
		m->rec.kind = info->type == H5L_TYPE_SOFT ? CAT_SOFT
							  : CAT_EXTERNAL_LINK;
		if (!add_target(w, group, name, info, m)) {
			w->ntext = m->text;
			return 0;
		}
	} else {
		m->rec.kind = CAT_UD_LINK;
	}
	w->nmember++;
	return 0;
}

static void send_links(struct walk *w, struct waiting g)
{
	CLEANUP(cleanup_hidp) hid_t group = H5Oopen_by_addr(w->file, g.addr);
	struct text why = {0};

	w->group = g.number;
	w->role = g.role;
	/*
	 * For another than the native order libhdf5 makes a table, and frees
	 * what it never set when that fails.
	 */
	if (group < 0 || H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL,
				    each_link, w) < 0) {
		text_add(&why, "members cannot be listed");
		text_add_why(&why);
	}
	pages_check(w->vfd->pages);
	send_batch(w);
	if (why.n)
		out_problem(&w->out, g.number, &why);
}

static void walk_fini(struct walk *w)
{
	out_fini(&w->out);
	free(w->known.addr);
	free(w->known.number);
	free(w->queue);
	free(w->member);
	free(w->text);
	free(w->sorted);
}

void scan_tree(hid_t file, const struct scan_request *req, struct vfd *v)
{
	struct walk w = {
		.vfd = v,
		.file = file,
		.value_max = req->value_max,
		.member = scan_malloc(BATCH_LINKS * sizeof(struct member)),
		.text = scan_malloc(BATCH_BYTES),
		.sorted = scan_malloc(BATCH_LINKS * sizeof(struct found)),
	};
	struct scan_end end = {0};
	H5O_info_t root;

	out_init(&w.out);
	addresses_init(&w.known, 1024);
	if (H5Oget_info2(file, &root, H5O_INFO_BASIC) < 0 ||
	    root.type != H5O_TYPE_GROUP) {
		struct text why = {0};

		text_add_why(&why);
		pages_check(v->pages);
		wire_fail(-EBADMSG,
			  "the root group cannot be opened%s; copy it again",
			  why.s);
	}
	visit(&w, (struct found){root.addr, ROLE_NONE});
	while (w.head < w.tail)
		send_links(&w, w.queue[w.head++]);
	out_flush(&w.out);
	end.objects = w.out.objects;
	end.links = w.out.links;
	wire_end(&end);
	walk_fini(&w);
}
