/* The model's stages that put elements together, and take them apart. */
#include "model_parts.h"

/* Batches. */

static bool same_shape(const value *a, const value *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

/* Copies a number of `from` to the place it has in `to`, whose row `row` is as large or larger. */
static void copy_into_row(value *to, int64_t row, const value *from)
{
    for (int64_t i = 0; i < size_of(from); i++) {
        int64_t left = i, place = 0, unit = 1;
        for (int d = from->rank - 1; d >= 0; d--) {
            place += left % from->dim[d] * unit;
            left /= from->dim[d];
            unit *= to->dim[d + 1];
        }
        to->numbers[row * unit + place] = from->numbers[i];
    }
}

/* Elements below one another. With pad, each dimension is that of the largest, or `to` (-1: not
 * said) for vectors. */
static result stacked(slow_model *m, const result *rows, size_t count, bool pad, int64_t to)
{
    result out = {.count = rows[0].count};
    for (int v = 0; v < out.count; v++) {
        const value *first = &rows[0].values[v];
        int64_t      dim[STK_LINE_RANK] = {(int64_t)count};
        memcpy(dim + 1, first->dim, sizeof dim - sizeof *dim);
        for (size_t i = 0; i < count; i++) {
            const value *other = &rows[i].values[v];
            if (!pad && !same_shape(first, other)) return failure("!invalid_argument");
            for (int d = 0; d < other->rank; d++)
                if (other->dim[d] > dim[d + 1]) dim[d + 1] = other->dim[d];
        }
        if (to >= 0 && dim[1] > to) return failure("!damaged_data");
        if (to >= 0) dim[1] = to;
        out.values[v] = new_value(m, first->rank + 1, dim);
        for (size_t i = 0; i < count; i++)
            copy_into_row(&out.values[v], (int64_t)i, &rows[i].values[v]);
    }
    return out;
}

/* An error ends the batch at hand, whose elements are lost, unless errors have places: then it
 * costs the batch that its place is in. */
list slow_model_batches(slow_model *m, stage s, list in, bool errors_have_places)
{
    const bool   pad = stk_line_stage_is(s, "padded_batch");
    const size_t size = (size_t)s->numbers[0];
    list         out = {0};
    for (size_t i = 0, end; i < in.count; i = end) {
        const char *error = NULL;
        for (end = i; end < in.count && end - i < size; end++) {
            if (error && !errors_have_places) break;
            if (!error) error = in.at[end].error;
        }
        if (error)
            push(m, &out, failure(error));
        else if (end - i == size || !s->drop)
            push(m, &out, stacked(m, &in.at[i], end - i, pad, s->to));
    }
    return out;
}

static value row_of(slow_model *m, const value *v, int64_t row)
{
    value         out = new_value(m, v->rank - 1, v->dim + 1);
    const int64_t size = size_of(&out);
    memcpy(out.numbers, v->numbers + row * size, (size_t)size * sizeof *out.numbers);
    return out;
}

list slow_model_unbatch(slow_model *m, stage s, list in)
{
    list out = {0};
    (void)s;
    for (size_t i = 0; i < in.count; i++) {
        const result *r = &in.at[i];
        if (r->error) push(m, &out, *r);
        for (int64_t row = 0; !r->error && row < r->values[0].dim[0]; row++) {
            result one = {.count = r->count};
            for (int v = 0; v < r->count; v++)
                one.values[v] = row_of(m, &r->values[v], row);
            push(m, &out, one);
        }
    }
    return out;
}

/* As batches of the rows, of the sizes in turn. An error ends the batch at hand, whose size is then
 * tried again; rows of the input that were not used yet are left for it. */
list slow_model_rebatch(slow_model *m, stage s, list in)
{
    list   rows = slow_model_unbatch(m, s, in), out = {0};
    size_t at = 0;
    for (int turn = 0; at < rows.count;) {
        const size_t size = (size_t)s->numbers[turn % s->count];
        size_t       end = at;
        while (end < rows.count && end - at < size && !rows.at[end].error)
            end++;
        if (end < rows.count && end - at < size) {
            push(m, &out, rows.at[end]);
            at = end + 1;
            continue;
        }
        if (end - at == size || !s->drop)
            push(m, &out, stacked(m, &rows.at[at], end - at, false, -1));
        at = end;
        turn++;
    }
    return out;
}

/* Windows and groups, each batched. */

list slow_model_window(slow_model *m, stage s, list in)
{
    list         out = {0};
    const size_t size = (size_t)s->numbers[0], stride = (size_t)s->stride;
    for (size_t start = 0; start < in.count; start += (size_t)s->shift) {
        list        part = {0};
        const char *error = NULL;
        for (size_t i = start; i < in.count && part.count < size; i += stride) {
            if (!error) error = in.at[i].error;
            push(m, &part, in.at[i]);
        }
        if (s->drop && start + (size - 1) * stride >= in.count) break;
        push(m, &out, error ? failure(error) : stacked(m, part.at, part.count, false, -1));
    }
    return out;
}

enum { KEYS = 8 };

typedef struct grouping {
    size_t size[KEYS];
    int    count;
    bool   pad, drop;
    int (*key)(stage s, const result *r);
    int64_t to[KEYS]; /* -1: the longest */
} grouping;

static void flush(slow_model *m, const grouping *g, int key, list *group, list *out)
{
    if (group->count && (group->count == g->size[key] || !g->drop))
        push(m, out, stacked(m, group->at, group->count, g->pad, g->to[key]));
    *group = (list){0};
}

/* A full group is given at once; at the end the others are, in the order of their keys. */
static list grouped(slow_model *m, stage s, list in, const grouping *g)
{
    list groups[KEYS] = {0}, out = {0};
    for (size_t i = 0; i < in.count; i++) {
        if (in.at[i].error) {
            push(m, &out, in.at[i]);
            continue;
        }
        const int key = g->key(s, &in.at[i]);
        push(m, &groups[key], in.at[i]);
        if (groups[key].count == g->size[key]) flush(m, g, key, &groups[key], &out);
    }
    for (int key = 0; key < g->count; key++)
        flush(m, g, key, &groups[key], &out);
    return out;
}

static int key_of_total(stage s, const result *r)
{
    return (int)modulo(total(r), s->numbers[0]);
}

list slow_model_group(slow_model *m, stage s, list in)
{
    grouping g = {.count = (int)s->numbers[0], .key = key_of_total};
    for (int i = 0; i < KEYS; i++) {
        g.size[i] = (size_t)s->numbers[1];
        g.to[i] = -1;
    }
    return grouped(m, s, in, &g);
}

static int key_of_length(stage s, const result *r)
{
    int key = 0;
    while (key < s->count / 2 && r->values[0].dim[0] >= s->numbers[key])
        key++;
    return key;
}

list slow_model_bucket(slow_model *m, stage s, list in)
{
    const int edges = s->count / 2;
    grouping  g = {.count = edges + 1, .key = key_of_length, .pad = true, .drop = s->drop};
    for (int i = 0; i <= edges; i++) {
        g.size[i] = (size_t)s->numbers[edges + i];
        g.to[i] = s->pad && i < edges ? s->numbers[i] - 1 : -1;
    }
    return grouped(m, s, in, &g);
}
