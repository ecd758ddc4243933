/* The parts of the model: lists, and every stage as a function on them. */
#ifndef STK_TESTS_PIPELINE_MODEL_PARTS_H
#define STK_TESTS_PIPELINE_MODEL_PARTS_H

#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 600 }; /* results of a stage; longer lists are not worth comparing */

typedef slow_model_value      value;
typedef slow_model_result     result;
typedef slow_model_list       list;
typedef const stk_line_stage *stage;

/* Everything is kept until the model is freed. */
typedef struct block {
    struct block *next;
} block;

/* What a cache holds after its first pass. */
typedef struct cached {
    stage stage;
    bool  filled;
    list  content;
} cached;

struct slow_model {
    block *blocks;
    cached caches[STK_LINE_STAGES];
    int    cache_count;
    bool   unsure, lost_errors;
    list   results;
};

static inline void *keep(slow_model *m, size_t bytes)
{
    block *b = calloc(1, sizeof *b + bytes);
    assert_non_null(b);
    b->next = m->blocks;
    m->blocks = b;
    return b + 1;
}

static inline void push(slow_model *m, list *out, result r)
{
    if (out->count == LONGEST) {
        m->unsure = true;
        return;
    }
    if (out->count == out->capacity) {
        const size_t more = out->capacity ? 2 * out->capacity : 16;
        result      *at = keep(m, more * sizeof *at);
        if (out->count) memcpy(at, out->at, out->count * sizeof *at);
        out->at = at;
        out->capacity = more;
    }
    out->at[out->count++] = r;
}

static inline void push_all(slow_model *m, list *out, const list *more)
{
    for (size_t i = 0; i < more->count; i++)
        push(m, out, more->at[i]);
}

static inline result failure(const char *error)
{
    return (result){.error = error};
}

static inline int64_t size_of(const value *v)
{
    int64_t size = 1;
    for (int i = 0; i < v->rank; i++)
        size *= v->dim[i];
    return size;
}

static inline value new_value(slow_model *m, int rank, const int64_t *dim)
{
    value v = {.rank = rank};
    for (int i = 0; i < rank; i++)
        v.dim[i] = dim[i];
    v.numbers = keep(m, (size_t)size_of(&v) * sizeof *v.numbers);
    return v;
}

static inline result number(slow_model *m, int64_t x)
{
    result r = {.count = 1, .values = {new_value(m, 0, NULL)}};
    r.values[0].numbers[0] = x;
    return r;
}

static inline int64_t modulo(int64_t x, int64_t n)
{
    return (x % n + n) % n;
}

static inline int64_t total(const result *r)
{
    int64_t sum = 0;
    for (int v = 0; v < r->count; v++)
        for (int64_t i = 0; i < size_of(&r->values[v]); i++)
            sum += r->values[v].numbers[i];
    return sum;
}

/* Stages. errors_have_places: see batch. */
slow_model_list slow_model_range(slow_model *m, stage s);
slow_model_list slow_model_numbers(slow_model *m, stage s);
slow_model_list slow_model_vectors(slow_model *m, stage s);
slow_model_list slow_model_map(slow_model *m, stage s, list in);
slow_model_list slow_model_filter(slow_model *m, stage s, list in);
slow_model_list slow_model_take_while(slow_model *m, stage s, list in);
slow_model_list slow_model_scan(slow_model *m, stage s, list in);
slow_model_list slow_model_unique(slow_model *m, stage s, list in);
slow_model_list slow_model_ignore_errors(slow_model *m, stage s, list in);
slow_model_list slow_model_enumerate(slow_model *m, stage s, list in);
slow_model_list slow_model_take(slow_model *m, stage s, list in);
slow_model_list slow_model_skip(slow_model *m, stage s, list in);
slow_model_list slow_model_shard(slow_model *m, stage s, list in);
slow_model_list slow_model_batches(slow_model *m, stage s, list in, bool errors_have_places);
slow_model_list slow_model_unbatch(slow_model *m, stage s, list in);
slow_model_list slow_model_rebatch(slow_model *m, stage s, list in);
slow_model_list slow_model_window(slow_model *m, stage s, list in);
slow_model_list slow_model_group(slow_model *m, stage s, list in);
slow_model_list slow_model_bucket(slow_model *m, stage s, list in);
slow_model_list slow_model_flat_map(slow_model *m, stage s, list in);
slow_model_list slow_model_interleave(slow_model *m, stage s, list in);
slow_model_list slow_model_zip(slow_model *m, list a, list b);
slow_model_list slow_model_choose(slow_model *m, stage s, list a, list b, list choices);

#endif
