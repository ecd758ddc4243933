/* Specs: copied, relaxed, compared with elements. */
#include "pipeline/element/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/text.h>

static stk_value_spec *new_values(stk_element_spec *out, size_t count, stk_arena *arena,
                                  stk_error *err)
{
    stk_value_spec *values = stk_arena_array(arena, count ? count : 1, sizeof *values, err);
    *out = (stk_element_spec){.known = values != NULL, .count = count, .values = values};
    return values;
}

static stk_status copy_name(stk_value_spec *to, const char *name, stk_arena *arena, stk_error *err)
{
    to->name = stk_arena_text(arena, name, strlen(name), err);
    return to->name ? STK_OK : STK_E_NOMEM;
}

/* Specs come from callers too: what the rest of the code relies on is checked once, here. */
static stk_status check_value(const stk_value_spec *value, size_t index, stk_error *err)
{
    if ((unsigned)value->kind > STK_VALUE_DATASET || (unsigned)value->dtype >= STK_DTYPE_COUNT)
        return stk_fail(err, STK_E_INVALID, "spec", value->name,
                        "value %zu is declared as kind %u of type %u; there are kinds 0 to %d and "
                        "types 0 to %d",
                        index, (unsigned)value->kind, (unsigned)value->dtype, STK_VALUE_DATASET,
                        STK_DTYPE_COUNT - 1);
    if (value->ragged < 0 || (value->kind == STK_VALUE_RAGGED && value->ragged > STK_MAX_RANK))
        return stk_fail(err, STK_E_INVALID, "spec", value->name,
                        "value %zu is declared with %d ragged dimensions; 0 to %d are possible",
                        index, value->ragged, STK_MAX_RANK);
    if (!value->rank_known) return STK_OK;
    if (value->shape.rank < 0 || value->shape.rank > STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "spec", value->name,
                        "value %zu is declared with rank %d; 0 to %d is possible", index,
                        value->shape.rank, STK_MAX_RANK);
    for (int i = 0; i < value->shape.rank; i++)
        if (value->shape.dim[i] < -1)
            return stk_fail(err, STK_E_SHAPE, "spec", value->name,
                            "dimension %d of value %zu is declared as %" PRId64
                            "; give 0 or more, or -1 where it is not known",
                            i, index, value->shape.dim[i]);
    return STK_OK;
}

/* Datasets of datasets: what is deeper inside is not known, so that a plan of many windows has
 * specs of a bounded size. */
enum { MOST_INNER = 8 };

static stk_status copy_spec(stk_element_spec *out, const stk_element_spec *spec, int depth,
                            stk_arena *arena, stk_error *err);

/* value's inner spec := a copy of it; none where it is not known. */
static stk_status copy_inner(stk_value_spec *value, int depth, stk_arena *arena, stk_error *err)
{
    const stk_element_spec *inner = value->inner;
    value->inner = NULL;
    if (value->kind != STK_VALUE_DATASET || !inner || !inner->known || depth == MOST_INNER)
        return STK_OK;
    stk_element_spec *copy = stk_arena_alloc(arena, sizeof *copy, err);
    if (!copy) return STK_E_NOMEM;
    value->inner = copy;
    return copy_spec(copy, inner, depth + 1, arena, err);
}

stk_status stk_spec_own_inner(stk_value_spec *value, stk_arena *arena, stk_error *err)
{
    return copy_inner(value, 0, arena, err);
}

stk_status stk_spec_copy(stk_element_spec *out, const stk_element_spec *spec, stk_arena *arena,
                         stk_error *err)
{
    return copy_spec(out, spec, 0, arena, err);
}

static stk_status copy_spec(stk_element_spec *out, const stk_element_spec *spec, int depth,
                            stk_arena *arena, stk_error *err)
{
    *out = (stk_element_spec){0};
    if (!spec->known) return STK_OK;
    if (spec->count && !spec->values)
        return stk_fail(err, STK_E_INVALID, "spec", NULL,
                        "%zu values are declared and none is described", spec->count);
    stk_value_spec *values = new_values(out, spec->count, arena, err);
    if (!values) return STK_E_NOMEM;
    for (size_t i = 0; i < spec->count; i++) {
        STK_TRY(check_value(&spec->values[i], i, err));
        values[i] = spec->values[i];
        char        number[24];
        const char *name = spec->values[i].name;
        if (!name) snprintf(number, sizeof number, "%zu", i);
        STK_TRY(copy_name(&values[i], name ? name : number, arena, err));
        STK_TRY(copy_inner(&values[i], depth, arena, err));
    }
    return STK_OK;
}

stk_status stk_spec_of_element(stk_element_spec *out, const stk_element *element, stk_arena *arena,
                               stk_error *err)
{
    const size_t    count = stk_element_count(element);
    stk_value_spec *values = new_values(out, count, arena, err);
    if (!values) return STK_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const stk_value *value = stk_element_value(element, i);
        char             number[24];
        snprintf(number, sizeof number, "%zu", i);
        values[i] = (stk_value_spec){.kind = value->kind,
                                     .dtype = value->dtype,
                                     .rank_known = value->kind == STK_VALUE_DENSE,
                                     .shape = value->shape,
                                     .ragged = value->levels};
        if (value->kind == STK_VALUE_RAGGED) values[i].shape.dim[0] = value->count;
        STK_TRY(copy_name(&values[i], number, arena, err));
    }
    return STK_OK;
}

static void relax_shape(stk_value_spec *to, const stk_value_spec *with)
{
    if (!to->rank_known || !with->rank_known || to->shape.rank != with->shape.rank) {
        to->rank_known = false;
        to->shape = stk_shape_scalar();
        return;
    }
    for (int i = 0; i < to->shape.rank; i++)
        if (to->shape.dim[i] != with->shape.dim[i]) to->shape.dim[i] = -1;
}

static int levels_of(const stk_value_spec *value)
{
    return value->ragged ? value->ragged : 1;
}

/* Datasets of unlike elements are like each other all the same: nothing is known of what is in
 * them.
 */
static stk_status relax_inner(stk_value_spec *to, const stk_element_spec *a,
                              const stk_element_spec *b, const char *component, stk_arena *arena,
                              stk_error *err)
{
    stk_error unlike;
    to->inner = NULL;
    if (!a || !b) return STK_OK;
    stk_element_spec *inner = stk_arena_alloc(arena, sizeof *inner, err);
    if (!inner) return STK_E_NOMEM;
    const stk_status st = stk_spec_relax(inner, a, b, component, arena, &unlike);
    if (!st && inner->known) to->inner = inner;
    if (!stk_status_is_environment(st)) return STK_OK;
    if (err) *err = unlike;
    return st;
}

stk_status stk_spec_relax(stk_element_spec *out, const stk_element_spec *a,
                          const stk_element_spec *b, const char *component, stk_arena *arena,
                          stk_error *err)
{
    *out = (stk_element_spec){0};
    if (!a->known || !b->known) return STK_OK;
    if (a->count != b->count)
        return stk_fail(err, STK_E_TYPE, component, NULL,
                        "one input has %zu values an element, another has %zu; give both the same",
                        a->count, b->count);
    STK_TRY(stk_spec_copy(out, a, arena, err));
    stk_value_spec *values = (stk_value_spec *)out->values;
    for (size_t i = 0; i < a->count; i++) {
        const stk_value_spec *x = &a->values[i], *y = &b->values[i];
        const bool            unknown = !x->dtype || !y->dtype;
        if (x->kind != y->kind || (!unknown && x->dtype != y->dtype))
            return stk_fail(err, STK_E_TYPE, component, x->name,
                            "value %zu is %s in one input and %s in another; cast one of them", i,
                            stk_dtype_name(x->dtype), stk_dtype_name(y->dtype));
        if (x->kind == STK_VALUE_RAGGED && levels_of(x) != levels_of(y))
            return stk_fail(err, STK_E_TYPE, component, x->name,
                            "value %zu has %d ragged dimensions in one input and %d in another", i,
                            levels_of(x), levels_of(y));
        if (unknown) values[i].dtype = STK_DTYPE_NONE;
        if (y->ragged > x->ragged) values[i].ragged = y->ragged;
        relax_shape(&values[i], y);
        STK_TRY(relax_inner(&values[i], values[i].inner, y->inner, component, arena, err));
    }
    return STK_OK;
}

stk_status stk_spec_relax_to(stk_element_spec *spec, const stk_element *element,
                             const char *component, stk_error *err)
{
    char where[256];
    stk_element_where(element, where, sizeof where);
    if (spec->count != stk_element_count(element))
        return stk_fail(err, STK_E_TYPE, component, where,
                        "it has %zu values, the elements before it have %zu",
                        stk_element_count(element), spec->count);
    stk_value_spec *values = (stk_value_spec *)spec->values;
    for (size_t i = 0; i < spec->count; i++) {
        const stk_value     *value = stk_element_value(element, i);
        const stk_value_spec shown = {.rank_known = value->kind == STK_VALUE_DENSE,
                                      .shape = value->shape};
        if (value->kind != values[i].kind || value->dtype != values[i].dtype ||
            (value->kind == STK_VALUE_RAGGED && value->levels != levels_of(&values[i])))
            return stk_fail(err, STK_E_TYPE, component, where,
                            "value %zu is %s, in the elements before it %s", i,
                            stk_dtype_name(value->dtype), stk_dtype_name(values[i].dtype));
        relax_shape(&values[i], &shown);
    }
    return STK_OK;
}

stk_status stk_spec_batched(stk_element_spec *out, const stk_element_spec *spec, int64_t leading,
                            stk_arena *arena, stk_error *err)
{
    STK_TRY(stk_spec_copy(out, spec, arena, err));
    stk_value_spec *values = (stk_value_spec *)out->values;
    for (size_t i = 0; i < out->count; i++) {
        stk_value_spec *value = &values[i];
        if (!value->rank_known || value->kind != STK_VALUE_DENSE) continue;
        if (value->shape.rank == STK_MAX_RANK)
            return stk_fail(err, STK_E_SHAPE, "batch", value->name,
                            "a batch of values of rank %d would have rank %d; at most %d is "
                            "possible",
                            STK_MAX_RANK, STK_MAX_RANK + 1, STK_MAX_RANK);
        for (int d = value->shape.rank; d > 0; d--)
            value->shape.dim[d] = value->shape.dim[d - 1];
        value->shape.dim[0] = leading;
        value->shape.rank++;
        value->ragged = 0;
    }
    return STK_OK;
}

int stk_element_spec_find(const stk_element_spec *spec, const char *name)
{
    for (size_t i = 0; spec->known && i < spec->count; i++)
        if (spec->values[i].name && strcmp(spec->values[i].name, name) == 0) return (int)i;
    return -1;
}

static bool equal_values(const stk_value_spec *a, const stk_value_spec *b)
{
    if (a->kind != b->kind || a->dtype != b->dtype || a->rank_known != b->rank_known ||
        a->ragged != b->ragged || !stk_shape_equal(&a->shape, &b->shape) ||
        strcmp(a->name ? a->name : "", b->name ? b->name : "") != 0)
        return false;
    return a->inner && b->inner ? stk_spec_equal(a->inner, b->inner) : a->inner == b->inner;
}

bool stk_spec_equal(const stk_element_spec *a, const stk_element_spec *b)
{
    if (!a->known || !b->known) return a->known == b->known;
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!equal_values(&a->values[i], &b->values[i])) return false;
    return true;
}

static stk_status add(stk_blob *out, const char *text, stk_error *err)
{
    return stk_blob_append(out, text, strlen(text), err);
}

static stk_status add_value(const stk_value_spec *value, size_t index, stk_blob *out,
                            stk_error *err)
{
    static const char *const kinds[] = {"", "ragged ", "sparse ", "dataset"};
    char                     text[288], name[128], shape[128] = "[?]";
    stk_text_escape(name, sizeof name, value->name ? value->name : "?");
    if (value->rank_known) stk_shape_text(&value->shape, shape, sizeof shape);
    const char *dtype = value->kind == STK_VALUE_DATASET ? "" : stk_dtype_name(value->dtype);
    if (value->kind == STK_VALUE_DATASET) shape[0] = 0;
    snprintf(text, sizeof text, "%s%s: %s%s%s", index ? ", " : "", name, kinds[value->kind],
             value->dtype || !*dtype ? dtype : "?", shape);
    STK_TRY(add(out, text, err));
    if (!value->inner) return STK_OK;
    STK_TRY(add(out, " of ", err));
    return stk_spec_text(value->inner, out, err);
}

stk_status stk_spec_text(const stk_element_spec *spec, stk_blob *out, stk_error *err)
{
    if (!spec->known) return add(out, "(?)", err);
    STK_TRY(add(out, "(", err));
    for (size_t i = 0; i < spec->count; i++)
        STK_TRY(add_value(&spec->values[i], i, out, err));
    return add(out, ")", err);
}

char *stk_element_spec_text(const stk_element_spec *spec, char *text, int capacity)
{
    stk_blob whole;
    if (capacity <= 0) return text;
    *text = 0;
    stk_blob_init(&whole, NULL, STK_MEMORY_OUTPUT);
    if (!stk_spec_text(spec, &whole, NULL))
        snprintf(text, (size_t)capacity, "%.*s", (int)whole.size, (const char *)whole.data);
    stk_blob_release(&whole);
    return text;
}

static bool shape_fits(const stk_value_spec *spec, const stk_value *value)
{
    if (!spec->rank_known || value->kind != STK_VALUE_DENSE) return true;
    if (spec->shape.rank != value->shape.rank) return false;
    for (int i = 0; i < spec->shape.rank; i++)
        if (spec->shape.dim[i] >= 0 && spec->shape.dim[i] != value->shape.dim[i]) return false;
    return true;
}

stk_status stk_spec_check(const stk_element_spec *spec, const stk_element *element,
                          const char *component, stk_error *err)
{
    if (!spec->known) return STK_OK;
    char where[256];
    if (spec->count != stk_element_count(element))
        return stk_fail(err, STK_E_TYPE, component, stk_element_where(element, where, sizeof where),
                        "the element has %zu values, %zu were declared", stk_element_count(element),
                        spec->count);
    for (size_t i = 0; i < spec->count; i++) {
        const stk_value_spec *want = &spec->values[i];
        const stk_value      *have = stk_element_value(element, i);
        if (want->kind == STK_VALUE_RAGGED && have->kind == want->kind &&
            have->levels != levels_of(want))
            return stk_fail(err, STK_E_TYPE, component,
                            stk_element_where(element, where, sizeof where),
                            "value %zu (%s) has %d ragged dimensions, %d were declared", i,
                            want->name, have->levels, levels_of(want));
        if (want->kind != have->kind || (want->dtype && want->dtype != have->dtype))
            return stk_fail(err, STK_E_TYPE, component,
                            stk_element_where(element, where, sizeof where),
                            "value %zu (%s) is %s, %s was declared", i, want->name,
                            stk_dtype_name(have->dtype), stk_dtype_name(want->dtype));
        char a[128], b[128];
        if (!shape_fits(want, have))
            return stk_fail(err, STK_E_SHAPE, component,
                            stk_element_where(element, where, sizeof where),
                            "value %zu (%s) has shape %s, %s was declared", i, want->name,
                            stk_shape_text(&have->shape, a, sizeof a),
                            stk_shape_text(&want->shape, b, sizeof b));
    }
    return STK_OK;
}
