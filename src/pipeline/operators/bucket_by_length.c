/* bucket_by_length: padded batches of elements of similar length. A group_by_window whose key is
 * the bucket, whose window is a batch, and whose reduction pads. */
#include "base/checked.h"
#include "pipeline/operators/group_by_window.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/support/invoke.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

/* Shared by the three functions; immutable. */
typedef struct buckets {
    uint32_t      references; /* atomic */
    stk_function *length;
    int64_t      *boundaries; /* ascending */
    size_t        boundary_count;
    int64_t      *sizes; /* boundary_count + 1 batch sizes */
    bool          pad_to_boundary, no_padding, drop_remainder;
    stk_shape    *shapes;  /* NULL: as long as the longest */
    stk_value    *padding; /* NULL: 0 and "" */
    size_t        value_count;
} buckets;

static void release(void *context)
{
    buckets *b = context;
    if (!b || __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL)) return;
    for (size_t i = 0; b->padding && i < b->value_count; i++)
        stk_value_release(&b->padding[i]);
    stk_function_unref(b->length);
    free(b->boundaries);
    free(b->sizes);
    free(b->shapes);
    free(b->padding);
    free(b);
}

/* The functions. */

/* How many boundaries a length reaches. */
static size_t bucket_of(const buckets *b, int64_t length)
{
    size_t low = 0, high = b->boundary_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->boundaries[middle] <= length)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static stk_status key(void *context, const stk_call *call, const stk_element *element,
                      int64_t *bucket, stk_error *err)
{
    const buckets *b = context;
    int64_t        length;
    STK_TRY(stk_call_key(b->length, call, element, &length, err));
    *bucket = (int64_t)bucket_of(b, length);
    if (!b->pad_to_boundary || (size_t)*bucket < b->boundary_count) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                    "the length is %" PRId64 ", but to be padded to a boundary it must be below "
                    "the last one, %" PRId64 "; add a boundary or drop such elements before",
                    length, b->boundary_count ? b->boundaries[b->boundary_count - 1] : 0);
}

static stk_status check_length(void *context, const stk_element_spec *input, stk_error *err)
{
    return stk_function_accepts(((const buckets *)context)->length, input, err);
}

static stk_status save_length(void *context, stk_blob *out, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(((buckets *)context)->length);
    return info->save(info->context, out, err);
}

static stk_status restore_length(void *context, stk_bytes saved, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(((buckets *)context)->length);
    return info->restore(info->context, saved, err);
}

/* A restored key may be anything. */
static stk_status size_of(const buckets *b, const stk_element *holder, size_t *bucket,
                          stk_error *err)
{
    const int64_t number = *(const int64_t *)stk_value_data(stk_element_value(holder, 0));
    *bucket = (size_t)number;
    if (number >= 0 && (size_t)number <= b->boundary_count) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                    "there is no bucket %" PRId64 "; there are %zu", number, b->boundary_count + 1);
}

static stk_status window_size(void *context, const stk_call *call, const stk_element *holder,
                              int64_t *size, stk_error *err)
{
    const buckets *b = context;
    size_t         bucket;
    (void)call;
    STK_TRY(size_of(b, holder, &bucket, err));
    *size = b->sizes[bucket];
    return STK_OK;
}

/* Dimensions that are open become one less than the bucket's boundary, the longest it can hold. */
static stk_status shapes_for(const buckets *b, size_t bucket, stk_shape **out, stk_error *err)
{
    stk_shape *shapes = malloc((b->value_count ? b->value_count : 1) * sizeof *shapes);
    *out = shapes;
    if (!shapes)
        return stk_fail(err, STK_E_NOMEM, "bucket_by_length", NULL, "no memory for %zu shapes",
                        b->value_count);
    for (size_t i = 0; i < b->value_count; i++) {
        shapes[i] = b->shapes[i];
        for (int d = 0; d < shapes[i].rank; d++)
            if (shapes[i].dim[d] < 0) shapes[i].dim[d] = b->boundaries[bucket] - 1;
    }
    return STK_OK;
}

static stk_status put_in_batches(const buckets *b, stk_dataset **data, int64_t size, bool drop,
                                 const stk_shape *shapes, stk_error *err)
{
    if (b->no_padding)
        return stk_dataset_batch(data, size, &(stk_batch_options){.drop_remainder = drop}, err);
    const stk_padded_batch_options options = {.drop_remainder = drop,
                                              .shapes = shapes,
                                              .padding = b->padding,
                                              .value_count = b->value_count};
    return stk_dataset_padded_batch(data, size, &options, err);
}

static stk_status reduce(void *context, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    const buckets *b = context;
    size_t         bucket;
    (void)call;
    STK_TRY(size_of(b, element, &bucket, err));
    stk_shape *own = NULL;
    if (b->pad_to_boundary && bucket < b->boundary_count) STK_TRY(shapes_for(b, bucket, &own, err));
    *out = stk_dataset_ref(stk_element_value(element, 1)->small.dataset);
    stk_status st =
        put_in_batches(b, out, b->sizes[bucket], b->drop_remainder, own ? own : b->shapes, err);
    free(own);
    return st;
}

/* Building. */

static void *copy_of(const void *from, size_t count, size_t each, bool *complete)
{
    size_t bytes;
    void  *copy = stk_mul_overflows(count, each, &bytes) ? NULL : malloc(bytes ? bytes : 1);
    if (copy && bytes) memcpy(copy, from, bytes);
    if (!copy) *complete = false;
    return copy;
}

/* padded_batch would report these errors only with the first batch. */
static stk_status check_padding(const stk_bucket_options *o, stk_error *err)
{
    for (size_t i = 0; o->shapes && i < o->value_count; i++)
        if (o->shapes[i].rank < 0 || o->shapes[i].rank >= STK_MAX_RANK)
            return stk_fail(err, STK_E_SHAPE, "bucket_by_length", NULL,
                            "the padded shape of value %zu has rank %d; 0 to %d is possible", i,
                            o->shapes[i].rank, STK_MAX_RANK - 1);
    for (size_t i = 0; o->padding && i < o->value_count; i++)
        if (o->padding[i].kind != STK_VALUE_DENSE || o->padding[i].shape.rank)
            return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                            "the padding of value %zu has rank %d; it must be a dense scalar", i,
                            o->padding[i].shape.rank);
    return STK_OK;
}

static stk_status check_options(const stk_bucket_options *o, stk_error *err)
{
    if (!o || !o->batch_sizes || (o->boundary_count && !o->boundaries))
        return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                        "boundaries and one batch size more than boundaries are needed");
    if (o->batch_size_count != o->boundary_count + 1)
        return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                        "%zu boundaries make %zu buckets, but there are %zu batch sizes",
                        o->boundary_count, o->boundary_count + 1, o->batch_size_count);
    for (size_t i = 1; i < o->boundary_count; i++)
        if (o->boundaries[i] <= o->boundaries[i - 1])
            return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                            "boundary %zu is %" PRId64 " after %" PRId64 "; they must ascend", i,
                            o->boundaries[i], o->boundaries[i - 1]);
    for (size_t i = 0; i <= o->boundary_count; i++)
        if (o->batch_sizes[i] < 1)
            return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                            "the batch size of bucket %zu is %" PRId64 "; it must be at least 1", i,
                            o->batch_sizes[i]);
    STK_TRY(check_padding(o, err));
    if (!o->pad_to_boundary) return STK_OK;
    if (o->no_padding || !o->boundary_count || o->boundaries[0] < 1)
        return stk_fail(err, STK_E_INVALID, "bucket_by_length", NULL,
                        "to pad to a boundary there must be padding, and boundaries from 1 on");
    return STK_OK;
}

/* Shapes to pad to a boundary: those of the input, if none are given. */
static stk_status shapes_of_spec(buckets *b, const stk_element_spec *spec, stk_error *err)
{
    for (size_t i = 0; i < spec->count || !spec->known; i++)
        if (!spec->known || !spec->values[i].rank_known)
            return stk_fail(err, STK_E_INVALID, "bucket_by_length",
                            spec->known ? spec->values[i].name : NULL,
                            "its shape is not known, so what is to be padded to a boundary is not "
                            "either; give shapes");
    b->value_count = spec->count;
    b->shapes = malloc((spec->count ? spec->count : 1) * sizeof *b->shapes);
    if (!b->shapes)
        return stk_fail(err, STK_E_NOMEM, "bucket_by_length", NULL, "no memory for %zu shapes",
                        spec->count);
    for (size_t i = 0; i < spec->count; i++)
        b->shapes[i] = spec->values[i].shape;
    return STK_OK;
}

static stk_status fill_buckets(buckets *b, stk_function *length, const stk_bucket_options *o,
                               const stk_element_spec *spec, stk_error *err)
{
    bool complete = true;
    b->references = 1;
    b->length = stk_function_ref(length);
    b->boundary_count = o->boundary_count;
    b->pad_to_boundary = o->pad_to_boundary;
    b->no_padding = o->no_padding;
    b->drop_remainder = o->drop_remainder;
    b->boundaries = copy_of(o->boundaries, o->boundary_count, sizeof *b->boundaries, &complete);
    b->sizes = copy_of(o->batch_sizes, o->boundary_count + 1, sizeof *b->sizes, &complete);
    b->value_count = o->value_count;
    if (o->shapes) b->shapes = copy_of(o->shapes, o->value_count, sizeof *b->shapes, &complete);
    if (o->padding) b->padding = calloc(o->value_count + 1, sizeof *b->padding);
    if (!complete || (o->padding && !b->padding))
        return stk_fail(err, STK_E_NOMEM, "bucket_by_length", NULL, "no memory for %zu buckets",
                        o->boundary_count + 1);
    for (size_t i = 0; o->padding && i < o->value_count; i++)
        b->padding[i] = stk_value_ref(&o->padding[i]);
    if (b->pad_to_boundary && !b->shapes) return shapes_of_spec(b, spec, err);
    return STK_OK;
}

/* For display and fingerprints. */

static stk_status describe_numbers(stk_blob *out, const int64_t *numbers, size_t count,
                                   stk_error *err)
{
    for (size_t i = 0; i < count; i++)
        STK_TRY(stk_describe(out, err, i ? " %" PRId64 : "%" PRId64, numbers[i]));
    return STK_OK;
}

static stk_status describe_key(const buckets *b, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_describe_function(out, b->length, err));
    STK_TRY(stk_describe(out, err, " at "));
    return describe_numbers(out, b->boundaries, b->boundary_count, err);
}

static stk_status describe_sizes(const buckets *b, stk_blob *out, stk_error *err)
{
    return describe_numbers(out, b->sizes, b->boundary_count + 1, err);
}

static stk_status describe_reduce(const buckets *b, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_describe(out, err, "%s%s",
                         b->no_padding        ? "none"
                         : b->pad_to_boundary ? "to the boundary"
                                              : "to the longest",
                         b->drop_remainder ? ", drop" : ""));
    for (size_t i = 0; b->shapes && i < b->value_count; i++) {
        char shape[128];
        STK_TRY(stk_describe(out, err, " %s", stk_shape_text(&b->shapes[i], shape, sizeof shape)));
    }
    uint64_t hash = 0;
    for (size_t i = 0; b->padding && i < b->value_count; i++)
        hash = stk_value_hash(hash, &b->padding[i]);
    return b->padding ? stk_describe(out, err, ", with %016" PRIx64, hash) : STK_OK;
}

/* A function over b, which gets one reference more. */
static stk_status new_function(stk_function **out, buckets *b, stk_function_info info,
                               stk_status (*describe)(const buckets *, stk_blob *, stk_error *),
                               stk_error *err)
{
    stk_blob details;
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = describe(b, &details, err);
    if (!st) st = stk_blob_append(&details, "", 1, err);
    info.details = (const char *)details.data;
    info.context = b;
    info.release = release;
    if (!st) st = stk_function_new(out, &info, err);
    if (!st) __atomic_fetch_add(&b->references, 1, __ATOMIC_RELAXED);
    stk_blob_release(&details);
    return st;
}

static stk_status new_functions(stk_group_params *p, buckets *b, const stk_element_spec *output,
                                stk_error *err)
{
    const stk_function_info *length = stk_function_info_of(b->length);
    stk_function_info        keys = {
               .name = "bucket", .traits = length->traits, .check = check_length, .key = key};
    if (length->save && length->restore) {
        keys.save = save_length;
        keys.restore = restore_length;
    }
    STK_TRY(new_function(&p->key, b, keys, describe_key, err));
    STK_TRY(new_function(&p->window_size, b,
                         (stk_function_info){.name = "batch size", .key = window_size},
                         describe_sizes, err));
    return new_function(&p->reduce, b,
                        (stk_function_info){.name = "pad", .output = output, .expand = reduce},
                        describe_reduce, err);
}

/* Padded batches of the input itself: their spec is that of the results, and wrong shapes and
 * padding fail at once. The number of rows depends on the bucket, so no size is known beforehand,
 * as in TensorFlow: ragged_batch depends on that. */
static stk_status try_batches(const buckets *b, stk_dataset *data, stk_dataset **out,
                              stk_error *err)
{
    *out = stk_dataset_ref(data);
    return put_in_batches(b, out, b->sizes[0], false, b->shapes, err);
}

static stk_status append(stk_dataset **data, buckets *b, stk_error *err)
{
    stk_group_params p = {0};
    stk_dataset     *batches = NULL;
    stk_status       st = try_batches(b, *data, &batches, err);
    if (!st) st = new_functions(&p, b, stk_dataset_spec(batches), err);
    if (!st) st = stk_group_append(data, &stk_operator_bucket_by_length, &p, err);
    stk_dataset_unref(batches);
    stk_function_unref(p.key);
    stk_function_unref(p.window_size);
    stk_function_unref(p.reduce);
    return st;
}

stk_status stk_dataset_bucket_by_length(stk_dataset **data, stk_function *length,
                                        const stk_bucket_options *options, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(length);
    if (!info->key)
        return stk_fail(err, STK_E_INVALID, "bucket_by_length", info->name,
                        "the function is no key function; give one that says an element's length");
    STK_TRY(check_options(options, err));
    buckets *b = calloc(1, sizeof *b);
    if (!b) return stk_fail(err, STK_E_NOMEM, "bucket_by_length", NULL, "no memory for buckets");
    stk_status st = fill_buckets(b, length, options, stk_dataset_spec(*data), err);
    if (!st) st = append(data, b, err);
    release(b);
    return st;
}
