/* Lines of the pipeline language as datasets of the library. */
#include "pipeline_language.h"
#include "pipeline_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the functions know; one for each function made. */
typedef struct setting {
    char    name[16];
    int64_t numbers[2];
} setting;

static const int64_t *numbers_of(const stk_value *value)
{
    return stk_value_data(value);
}

static int64_t floor_modulo(int64_t x, int64_t n)
{
    return (x % n + n) % n;
}

static int64_t total_of(const stk_element *element)
{
    int64_t total = 0;
    for (size_t i = 0; i < stk_element_count(element); i++) {
        const stk_value *value = stk_element_value(element, i);
        for (int64_t k = 0; k < stk_value_elements(value); k++)
            total += numbers_of(value)[k];
    }
    return total;
}

static bool called(const setting *s, const char *name)
{
    return strcmp(s->name, name) == 0;
}

static int64_t change_number(const setting *s, int64_t x)
{
    if (called(s, "add")) return x + s->numbers[0];
    if (called(s, "multiply")) return x * s->numbers[0];
    if (called(s, "modulo")) return floor_modulo(x, s->numbers[0]);
    return -x;
}

static stk_status change_numbers(const setting *s, const stk_call *call, stk_element **element,
                                 stk_error *err)
{
    STK_TRY(stk_element_make_unique(element, err));
    for (size_t i = 0; i < stk_element_count(*element); i++) {
        stk_value *value = stk_element_edit(*element, i), changed = {0};
        int64_t   *out;
        STK_TRY(stk_value_dense(&changed, call->ledger, STK_DTYPE_I64, &value->shape, (void **)&out,
                                err));
        for (int64_t k = 0; k < stk_value_elements(value); k++)
            out[k] = change_number(s, numbers_of(value)[k]);
        stk_value_release(value);
        *value = changed;
    }
    return STK_OK;
}

static stk_status name_numbers(const stk_call *call, stk_element **element, stk_error *err)
{
    STK_TRY(stk_element_make_unique(element, err));
    for (size_t i = 0; i < stk_element_count(*element); i++) {
        stk_value    *value = stk_element_edit(*element, i), named = {0};
        const int64_t count = stk_value_elements(value);
        char(*texts)[24] = calloc((size_t)count + 1, sizeof *texts);
        stk_bytes *names = calloc((size_t)count + 1, sizeof *names);
        assert_non_null(texts);
        assert_non_null(names);
        for (int64_t k = 0; k < count; k++) {
            const int size = snprintf(texts[k], sizeof *texts, "%" PRId64, numbers_of(value)[k]);
            names[k] = (stk_bytes){(const uint8_t *)texts[k], (size_t)size};
        }
        stk_status st = value->shape.rank
                            ? stk_value_strings(&named, call->ledger, &value->shape, names, err)
                            : stk_value_bytes(&named, call->ledger, names[0], err);
        free(texts);
        free(names);
        if (st) return st;
        stk_value_release(value);
        *value = named;
    }
    return STK_OK;
}

/* Puts an element of one value in the place of *element; the value is taken over. */
static stk_status put(stk_element **element, stk_value *value, stk_error *err)
{
    stk_element *made;
    stk_status   st = stk_element_new(&made, 1, err);
    if (st) {
        stk_value_release(value);
        return st;
    }
    *stk_element_edit(made, 0) = *value;
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status fill(const stk_call *call, stk_element **element, stk_error *err)
{
    const int64_t   x = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(floor_modulo(x, 5));
    stk_value       value = {0};
    int64_t        *out;
    STK_TRY(stk_value_dense(&value, call->ledger, STK_DTYPE_I64, &shape, (void **)&out, err));
    for (int64_t i = 0; i < shape.dim[0]; i++)
        out[i] = x;
    return put(element, &value, err);
}

static stk_status fail_on(const setting *s, const stk_element *element, stk_error *err)
{
    const stk_value *value = stk_element_value(element, 0);
    for (int64_t i = 0; i < stk_value_elements(value); i++)
        if (numbers_of(value)[i] == s->numbers[0])
            return stk_fail(err, STK_E_INVALID, "test", NULL, "the number is %" PRId64,
                            s->numbers[0]);
    return STK_OK;
}

static stk_status map_function(void *context, const stk_call *call, stk_element **element,
                               stk_error *err)
{
    const setting *s = context;
    stk_value      value = {0};
    if (called(s, "fail_on")) return fail_on(s, *element, err);
    if (called(s, "fill")) return fill(call, element, err);
    if (called(s, "name")) return name_numbers(call, element, err);
    if (called(s, "total")) {
        stk_value_i64(&value, total_of(*element));
        return put(element, &value, err);
    }
    if (called(s, "first")) {
        value = stk_value_ref(stk_element_value(*element, 0));
        return put(element, &value, err);
    }
    return change_numbers(s, call, element, err);
}

static stk_status test_function(void *context, const stk_call *call, const stk_element *element,
                                bool *keep, stk_error *err)
{
    const setting *s = context;
    const int64_t  total = total_of(element);
    (void)call;
    *keep = true;
    if (called(s, "refuse"))
        return total != s->numbers[0]
                   ? STK_OK
                   : stk_fail(err, STK_E_INVALID, "test", NULL, "the total is %" PRId64, total);
    *keep = called(s, "below") ? total < s->numbers[0]
                               : floor_modulo(total, s->numbers[0]) == s->numbers[1];
    return STK_OK;
}

static stk_status key_function(void *context, const stk_call *call, const stk_element *element,
                               int64_t *key, stk_error *err)
{
    const setting *s = context;
    (void)call;
    (void)err;
    *key = called(s, "length") ? stk_value_elements(stk_element_value(element, 0))
                               : floor_modulo(total_of(element), s->numbers[0]);
    return STK_OK;
}

/* The state and the result: all totals so far. */
static stk_status list_totals(const stk_call *call, stk_element **state, stk_element **element,
                              stk_error *err)
{
    const stk_value *before = stk_element_value(*state, 0);
    const int64_t    count = before->shape.dim[0];
    const stk_shape  shape = stk_shape_1d(count + 1);
    stk_value        value = {0};
    int64_t         *out;
    STK_TRY(stk_value_dense(&value, call->ledger, STK_DTYPE_I64, &shape, (void **)&out, err));
    if (count) memcpy(out, numbers_of(before), (size_t)count * sizeof *out);
    out[count] = total_of(*element);
    STK_TRY(put(element, &value, err));
    stk_element_unref(*state);
    *state = stk_element_ref(*element);
    return STK_OK;
}

static stk_status scan_function(void *context, const stk_call *call, stk_element **state,
                                stk_element **element, stk_error *err)
{
    stk_value value = {0};
    if (called(context, "list")) return list_totals(call, state, element, err);
    stk_value_i64(&value, stk_test_number(*state) + total_of(*element));
    STK_TRY(put(element, &value, err));
    stk_element_unref(*state);
    *state = stk_element_ref(*element);
    return STK_OK;
}

static stk_status copies(const stk_element *element, int64_t count, stk_dataset **out,
                         stk_error *err)
{
    stk_element *list[4];
    if (count == 0) return stk_dataset_range(out, 0, 0, 1, err);
    for (int64_t i = 0; i < count; i++)
        list[i] = (stk_element *)element;
    return stk_dataset_elements(out, list, (size_t)count, err);
}

/* What flat_map and its kin open for an element. */
typedef struct expansion {
    setting       setting; /* first: the same functions read it */
    stk_function *failing; /* the inner map, made when the function is */
} expansion;

/* Stages on top of it. */
typedef struct inner_stages {
    int64_t         size;   /* without a line: of batches */
    const stk_line *stages; /* or NULL */
} inner_stages;

static stk_dataset *build_on(stk_dataset *data, const stk_line *line);

static stk_status put_stages(void *context, stk_dataset **data, stk_error *err)
{
    const inner_stages *inner = context;
    if (!inner->stages) return stk_dataset_batch(data, inner->size, NULL, err);
    *data = build_on(*data, inner->stages);
    return STK_OK;
}

static stk_function *make_function(const setting *what, const stk_line_type *type,
                                   stk_function_info info);

static void release_expansion(void *context)
{
    stk_function_unref(((expansion *)context)->failing);
    free(context);
}

static stk_status expand_function(void *context, const stk_call *call, const stk_element *element,
                                  stk_dataset **out, stk_error *err)
{
    const expansion *e = context;
    const int64_t    count = floor_modulo(stk_test_number(element), 4);
    (void)call;
    if (called(&e->setting, "copies")) return copies(element, count, out, err);
    STK_TRY(stk_dataset_range(out, 0, count, 1, err));
    if (!e->failing) return STK_OK;
    stk_status st = stk_dataset_map(out, e->failing, NULL, err);
    if (st) {
        stk_dataset_unref(*out);
        *out = NULL;
    }
    return st;
}

static stk_status output_as_input(void *context, const stk_element_spec *input,
                                  stk_element_spec *out, stk_error *err)
{
    (void)context;
    (void)err;
    *out = *input;
    return STK_OK;
}

static stk_status output_of_first(void *context, const stk_element_spec *input,
                                  stk_element_spec *out, stk_error *err)
{
    (void)context;
    (void)err;
    *out = *input;
    if (out->known) out->count = 1;
    return STK_OK;
}

static stk_function *new_function(const setting *what, const stk_line_type *type,
                                  stk_function_info info)
{
    stk_error        err;
    stk_function    *function;
    char             details[64];
    stk_value_spec   values[STK_LINE_VALUES] = {0};
    stk_element_spec spec = {.known = true, .values = values};
    snprintf(details, sizeof details, "%" PRId64 " %" PRId64, what->numbers[0], what->numbers[1]);
    info.name = what->name;
    info.details = details;
    if (type && !type->ragged && !type->sparse) {
        spec.count = (size_t)type->count;
        for (size_t i = 0; i < spec.count; i++) {
            values[i].dtype = type->text ? STK_DTYPE_BYTES : STK_DTYPE_I64;
            values[i].rank_known = true;
            values[i].shape.rank = type->rank[i];
            for (int k = 0; k < type->rank[i]; k++)
                values[i].shape.dim[k] = -1;
        }
        info.output = &spec;
    }
    EXPECT_OK(stk_function_new(&function, &info, &err));
    return function;
}

/* type is that of the results; NULL where they are no elements. */
static stk_function *make_function(const setting *what, const stk_line_type *type,
                                   stk_function_info info)
{
    setting *context = malloc(sizeof *context);
    assert_non_null(context);
    *context = *what;
    info.context = context;
    info.release = free;
    return new_function(what, type, info);
}

static bool is_window(const setting *what)
{
    return called(what, "window") || called(what, "group");
}

/* The test's own functions say what their datasets hold; the library's find it out. */
static stk_function *make_own_expansion(const setting *what, const stk_dataset *data)
{
    static const stk_value_spec   number = {.dtype = STK_DTYPE_I64, .rank_known = true};
    static const stk_element_spec numbers = {.known = true, .count = 1, .values = &number};
    expansion                    *context = calloc(1, sizeof *context);
    assert_non_null(context);
    context->setting = *what;
    if (called(what, "failing"))
        context->failing = make_function(&(setting){"fail_on", {1}}, &(stk_line_type){.count = 1},
                                         (stk_function_info){.map = map_function});
    return new_function(
        what, NULL,
        (stk_function_info){.expand = expand_function,
                            .context = context,
                            .release = release_expansion,
                            .output = called(what, "copies") ? stk_dataset_spec(data) : &numbers});
}

static stk_function *make_expansion(const setting *what, stk_dataset *data, const stk_line_stage *s)
{
    stk_error     err;
    stk_function *expand, *whole;
    if (is_window(what))
        EXPECT_OK(stk_function_flatten(&expand, STK_ALL_VALUES, &err));
    else if (called(what, "rows"))
        EXPECT_OK(stk_function_slices(&expand, &err));
    else
        expand = make_own_expansion(what, data);
    if (!s->child_count && !is_window(what)) return expand;
    inner_stages *inner = calloc(1, sizeof *inner);
    assert_non_null(inner);
    *inner = (inner_stages){what->numbers[0], s->child_count ? s->children[0] : NULL};
    EXPECT_OK(stk_function_pipeline(&whole,
                                    &(stk_pipeline_info){.expand = expand,
                                                         .details = what->name,
                                                         .context = inner,
                                                         .release = free,
                                                         .apply = put_stages},
                                    &err));
    stk_function_unref(expand);
    return whole;
}

/* Stages. */

static setting setting_of(const char *name, int64_t first, int64_t second)
{
    setting s = {.numbers = {first, second}};
    snprintf(s.name, sizeof s.name, "%s", name);
    return s;
}

static void build_map(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const setting            what = setting_of(s->function, s->numbers[0], 0);
    const stk_map_options    options = {.parallel = s->parallel,
                                        .order = s->relaxed ? STK_ORDER_RELAXED : STK_ORDER_DEFAULT};
    static const char *const shape_changers[] = {"fill", "total", "first", "name"};
    stk_function_info        info = {.map = map_function, .output_of = output_as_input};
    for (size_t i = 0; i < COUNT_OF(shape_changers); i++)
        if (called(&what, shape_changers[i])) info.output_of = NULL;
    if (called(&what, "first")) info.output_of = output_of_first;
    stk_function *f = make_function(&what, type, info);
    APPLY(*data, map, f, &options);
    stk_function_unref(f);
}

static void build_test(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const bool    filter = stk_line_stage_is(s, "filter");
    const setting what = setting_of(s->function, s->numbers[0], s->numbers[1]);
    stk_function *f = make_function(&what, NULL, (stk_function_info){.test = test_function});
    (void)type;
    if (filter)
        APPLY(*data, filter, f);
    else
        APPLY(*data, take_while, f);
    stk_function_unref(f);
}

static void build_expansion(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    (void)type;
    const setting what = setting_of(s->function, 0, 0);
    stk_function *f = make_expansion(&what, *data, s);
    if (stk_line_stage_is(s, "flat_map")) {
        APPLY(*data, flat_map, f);
    } else {
        const stk_interleave_options options = {.cycle = s->cycle,
                                                .block = s->block,
                                                .parallel = s->parallel > 0 ? s->parallel : 0,
                                                .order = s->relaxed ? STK_ORDER_RELAXED
                                                                    : STK_ORDER_DEFAULT};
        APPLY(*data, interleave, f, &options);
    }
    stk_function_unref(f);
}

static void build_window(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    (void)type;
    const setting            what = setting_of("window", s->numbers[0], 0);
    const stk_window_options options = {
        .shift = s->shift, .stride = s->stride, .drop_remainder = s->drop};
    stk_function *f = make_expansion(&what, *data, s);
    APPLY(*data, window, s->numbers[0], &options);
    APPLY(*data, flat_map, f);
    stk_function_unref(f);
}

static void build_group(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    (void)type;
    const setting by = setting_of("modulo", s->numbers[0], 0);
    const setting into = setting_of("group", s->numbers[1], 0);
    stk_function *key = make_function(&by, NULL, (stk_function_info){.key = key_function});
    stk_function *reduce = make_expansion(&into, *data, s);
    APPLY(*data, group_by_window, key, reduce, s->numbers[1], NULL);
    stk_function_unref(key);
    stk_function_unref(reduce);
}

static void build_bucket(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const setting            by = setting_of("length", 0, 0);
    const int                edges = s->count / 2;
    const stk_bucket_options options = {.boundaries = s->numbers,
                                        .boundary_count = (size_t)edges,
                                        .batch_sizes = s->numbers + edges,
                                        .batch_size_count = (size_t)edges + 1,
                                        .pad_to_boundary = s->pad,
                                        .no_padding = s->plain,
                                        .drop_remainder = s->drop};
    stk_function *key = make_function(&by, NULL, (stk_function_info){.key = key_function});
    (void)type;
    APPLY(*data, bucket_by_length, key, &options);
    stk_function_unref(key);
}

static void build_scan(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const setting what = setting_of(s->function, 0, 0);
    stk_error     err;
    stk_element  *zero;
    void         *none;
    stk_function *f = make_function(&what, type, (stk_function_info){.scan = scan_function});
    EXPECT_OK(stk_element_new(&zero, 1, &err));
    stk_value_i64(stk_element_edit(zero, 0), 0);
    if (called(&what, "list"))
        EXPECT_OK(stk_value_dense(stk_element_edit(zero, 0), NULL, STK_DTYPE_I64,
                                  &(stk_shape){.rank = 1}, &none, &err));
    APPLY(*data, scan, zero, f);
    stk_element_unref(zero);
    stk_function_unref(f);
}

/* type is that of the batches: one dimension more than what is padded. */
static void build_padded(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    stk_shape                shapes[STK_LINE_VALUES] = {0};
    stk_value                padding[STK_LINE_VALUES] = {0};
    stk_padded_batch_options options = {.drop_remainder = s->drop};
    for (int i = 0; i < type->count; i++) {
        shapes[i].rank = type->rank[i] - 1;
        for (int d = 0; d < shapes[i].rank; d++)
            shapes[i].dim[d] = s->to;
        stk_value_i64(&padding[i], s->with);
    }
    if (s->to >= 0) options.shapes = shapes;
    if (s->with >= 0) options.padding = padding;
    if (s->to >= 0 || s->with >= 0) options.value_count = (size_t)type->count;
    APPLY(*data, padded_batch, s->numbers[0], &options);
}

static void build_batch(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const stk_batch_options plain = {.drop_remainder = s->drop};
    if (stk_line_stage_is(s, "rebatch")) {
        APPLY(*data, rebatch, s->numbers, (size_t)s->count, &plain);
    } else if (stk_line_stage_is(s, "batch")) {
        APPLY(*data, batch, s->numbers[0], &plain);
    } else if (stk_line_stage_is(s, "sparse_batch")) {
        stk_shape row = {.rank = type->rank[0] - 1};
        for (int d = 0; d < row.rank; d++)
            row.dim[d] = s->to;
        APPLY(*data, sparse_batch, s->numbers[0], &row);
    } else if (stk_line_stage_is(s, "ragged_batch")) {
        APPLY(*data, ragged_batch, s->numbers[0], &plain);
    } else {
        build_padded(data, s, type);
    }
}

static void build_sample(stk_dataset **out, stk_dataset *const *inputs, const stk_line_stage *s)
{
    stk_error                err;
    const double             weights[2] = {(double)s->numbers[0], (double)s->numbers[1]};
    const stk_sample_options options = {
        .weights = weights, .weight_count = 2, .stop_on_empty = s->stop, .seed = 1, .seeded = true};
    EXPECT_OK(stk_dataset_sample_from(out, inputs, 2, &options, &err));
}

static void build_join(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    stk_error    err;
    stk_dataset *other = stk_line_build(s->children[0]);
    stk_dataset *choices = s->child_count > 1 ? stk_line_build(s->children[1]) : NULL;
    stk_dataset *inputs[3] = {*data, other, choices}, *out = *data;
    (void)type;
    if (stk_line_stage_is(s, "zip"))
        EXPECT_OK(stk_dataset_zip(&out, inputs, 1 + (size_t)s->child_count, &err));
    else if (stk_line_stage_is(s, "sample"))
        build_sample(&out, inputs, s);
    else if (stk_line_stage_is(s, "choose"))
        EXPECT_OK(stk_dataset_choose_from(&out, inputs, 2, choices,
                                          &(stk_choose_options){.stop_on_empty = s->stop}, &err));
    else
        EXPECT_OK(stk_dataset_concatenate(&out, inputs, 2, &err));
    if (out != inputs[0]) {
        stk_dataset_unref(*data);
        *data = out;
    }
    stk_dataset_unref(other);
    stk_dataset_unref(choices);
}

static void build_vectors(stk_dataset **data, const stk_line_stage *s)
{
    size_t  lengths[STK_LINE_NUMBERS];
    int64_t numbers[STK_LINE_NUMBERS * 10];
    size_t  all = 0;
    for (int i = 0; i < s->count; i++) {
        lengths[i] = (size_t)(s->numbers[i] % 10);
        for (size_t k = 0; k < lengths[i]; k++)
            numbers[all++] = 10 * i + (int64_t)k;
    }
    *data = stk_test_vectors((size_t)s->count, lengths, numbers);
}

/* Stages that need nothing but numbers. */
static void build_small(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    const int64_t n = s->numbers[0];
    (void)type;
    if (stk_line_stage_is(s, "range")) {
        *data = stk_test_range(n, s->numbers[1], s->numbers[2]);
    } else if (stk_line_stage_is(s, "numbers")) {
        *data = stk_test_numbers((size_t)s->count, s->numbers);
    } else if (stk_line_stage_is(s, "vectors")) {
        build_vectors(data, s);
    } else if (stk_line_stage_is(s, "take")) {
        APPLY(*data, take, n);
    } else if (stk_line_stage_is(s, "skip")) {
        APPLY(*data, skip, n);
    } else if (stk_line_stage_is(s, "shard")) {
        APPLY(*data, shard, n, s->numbers[1]);
    } else if (stk_line_stage_is(s, "repeat")) {
        APPLY(*data, repeat, n);
    } else if (stk_line_stage_is(s, "forever")) {
        APPLY(*data, repeat, -1);
        APPLY(*data, take, n);
    } else if (stk_line_stage_is(s, "enumerate")) {
        APPLY(*data, enumerate, n);
    } else {
        APPLY(*data, prefetch, n);
    }
}

/* Stages without numbers, and shuffle. */
static void build_plain(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type)
{
    stk_error err;
    (void)type;
    if (stk_line_stage_is(s, "unbatch")) {
        EXPECT_OK(stk_dataset_unbatch(data, &err));
    } else if (stk_line_stage_is(s, "unique")) {
        EXPECT_OK(stk_dataset_unique(data, &err));
    } else if (stk_line_stage_is(s, "cache")) {
        APPLY(*data, cache, NULL);
    } else if (stk_line_stage_is(s, "ignore_errors")) {
        APPLY(*data, ignore_errors, false);
    } else if (stk_line_stage_is(s, "options")) {
        APPLY(*data, options, &(stk_pipeline_options){.order = STK_ORDER_RELAXED});
    } else {
        const stk_shuffle_options options = {.seed = (uint64_t)s->seed, .seeded = s->seed >= 0};
        APPLY(*data, shuffle, s->numbers[0], &options);
    }
}

static const struct {
    const char *name;
    void (*build)(stk_dataset **data, const stk_line_stage *s, const stk_line_type *type);
} builders[] = {
    {"map", build_map},
    {"filter", build_test},
    {"take_while", build_test},
    {"flat_map", build_expansion},
    {"interleave", build_expansion},
    {"window", build_window},
    {"group", build_group},
    {"bucket", build_bucket},
    {"scan", build_scan},
    {"batch", build_batch},
    {"padded_batch", build_batch},
    {"ragged_batch", build_batch},
    {"sparse_batch", build_batch},
    {"rebatch", build_batch},
    {"zip", build_join},
    {"concatenate", build_join},
    {"choose", build_join},
    {"sample", build_join},
    {"unbatch", build_plain},
    {"unique", build_plain},
    {"cache", build_plain},
    {"ignore_errors", build_plain},
    {"options", build_plain},
    {"shuffle", build_plain},
};

/* Takes over data, which stands for the stage "given". */
static stk_dataset *build_on(stk_dataset *data, const stk_line *line)
{
    for (int i = data ? 1 : 0; i < line->count; i++) {
        size_t b = 0;
        while (b < COUNT_OF(builders) && !stk_line_stage_is(&line->stages[i], builders[b].name))
            b++;
        (b < COUNT_OF(builders) ? builders[b].build : build_small)(&data, &line->stages[i],
                                                                   &line->types[i]);
    }
    return data;
}

stk_dataset *stk_line_build(const stk_line *line)
{
    return build_on(NULL, line);
}
