/* The state in a checkpoint, behind a right head and checksum, restored into pipelines that use
 * most operators with state (not bucket_by_length, padded and sparse batches, caches on disk,
 * snapshot, quarantine, text, generator). Whatever it says, restoring fails cleanly or the pipeline
 * runs on, within its memory. First byte: which pipeline, and whether passes rewrite it. */
#include "base/crc32c.h"
#include "memory_filesystem.h"
#include "pipeline/iterator/iterator_internal.h"

#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CEILING = 64 << 20, MOST_RESULTS = 2000, COUNT = 40, NO_PASSES = 128 };

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

static int64_t number_of(const stk_element *element)
{
    return stk_element_value(element, 0)->small.i64;
}

static stk_status add(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context, (void)call;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value *value = stk_element_edit(*element, 0);
    value->small.i64 = (int64_t)((uint64_t)value->small.i64 + 1);
    return STK_OK;
}

static stk_status is_even(void *context, const stk_call *call, const stk_element *element,
                          bool *keep, stk_error *err)
{
    (void)context, (void)call, (void)err;
    *keep = number_of(element) % 2 == 0;
    return STK_OK;
}

static stk_status key_of(void *context, const stk_call *call, const stk_element *element,
                         int64_t *key, stk_error *err)
{
    (void)context, (void)call, (void)err;
    *key = number_of(element) & 3;
    return STK_OK;
}

/* x -> a few numbers from x on, whatever x is. */
static stk_status some(void *context, const stk_call *call, const stk_element *element,
                       stk_dataset **out, stk_error *err)
{
    (void)context, (void)call;
    const int64_t x = number_of(element) & 0xffff;
    return stk_dataset_range(out, x, x + (x & 3), 1, err);
}

static stk_status total(void *context, const stk_call *call, stk_element **state,
                        stk_element **element, stk_error *err)
{
    (void)context, (void)call;
    STK_TRY(stk_element_make_unique(state, err));
    stk_value *sum = stk_element_edit(*state, 0);
    sum->small.i64 = (int64_t)((uint64_t)sum->small.i64 + (uint64_t)number_of(*element));
    return STK_OK;
}

static stk_function *function(stk_function_info info)
{
    stk_function *made;
    stk_error     err;
    demand(!stk_function_new(&made, &info, &err));
    return made;
}

static stk_dataset *range(int64_t count)
{
    stk_dataset *data;
    stk_error    err;
    demand(!stk_dataset_range(&data, 0, count, 1, &err));
    return data;
}

/* Puts an operator on top. */
#define PUT(data, op, ...) demand(!stk_dataset_##op(&(data), __VA_ARGS__, &err))

/* Puts one on top that takes a function, which it then holds. */
#define PUT_WITH(data, op, info, ...)                                                              \
    do {                                                                                           \
        stk_function *held = function((stk_function_info)info);                                    \
        PUT(data, op, held, ##__VA_ARGS__);                                                        \
        stk_function_unref(held);                                                                  \
    } while (0)
#define INFO(...)                                                                                  \
    {                                                                                              \
        .name = "fuzz", __VA_ARGS__                                                                \
    }

static stk_dataset *queues(void)
{
    stk_error    err;
    stk_dataset *data = range(COUNT);
    PUT_WITH(data, map, INFO(.map = add), NULL);
    PUT_WITH(data, filter, INFO(.test = is_even));
    PUT(data, shuffle, 8, NULL);
    PUT(data, batch, 3, NULL);
    PUT(data, repeat, 2);
    PUT(data, prefetch, 2);
    return data;
}

static stk_dataset *inner_ones(void)
{
    const stk_interleave_options wide = {.cycle = 3, .block = 2, .parallel = 2};
    stk_error                    err;
    stk_dataset                 *data = range(COUNT);
    PUT_WITH(data, interleave, INFO(.expand = some), &wide);
    PUT_WITH(data, flat_map, INFO(.expand = some));
    demand(!stk_dataset_enumerate(&data, 5, &err));
    PUT(data, skip, 2);
    PUT(data, take, 200);
    PUT(data, shard, 2, 1);
    return data;
}

static stk_dataset *windows(void)
{
    stk_error    err;
    stk_dataset *data = range(COUNT);
    PUT(data, window, 4, &(stk_window_options){.shift = 2, .stride = 1});
    PUT(data, prefetch, 1);
    return data;
}

static stk_dataset *kept(void)
{
    stk_error    err;
    stk_element *zero;
    stk_dataset *data = range(COUNT), *other = range(COUNT);
    PUT(data, cache, NULL);
    PUT(data, shuffle, COUNT, NULL);
    demand(!stk_element_new(&zero, 1, &err));
    stk_value_i64(stk_element_edit(zero, 0), 0);
    stk_function *sum = function((stk_function_info)INFO(.scan = total));
    PUT(data, scan, zero, sum);
    stk_function_unref(sum);
    stk_element_unref(zero);
    demand(!stk_dataset_unique(&data, &err));
    stk_dataset *const inputs[] = {data, other};
    demand(!stk_dataset_concatenate(&data, inputs, 2, &err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(other);
    PUT(data, ignore_errors, false);
    return data;
}

static stk_dataset *mixed(void)
{
    stk_error    err;
    stk_dataset *inputs[] = {range(COUNT), range(COUNT / 2), range(3)}, *data;
    PUT(inputs[2], repeat, 4);
    demand(!stk_dataset_sample_from(&data, inputs, 3, NULL, &err));
    PUT(data, batch, 4, NULL);
    PUT(data, rebatch, &(int64_t){3}, 1, NULL);
    demand(!stk_dataset_unbatch(&data, &err));
    PUT(data, batch, 2, NULL);
    for (int i = 0; i < 3; i++)
        stk_dataset_unref(inputs[i]);
    return data;
}

/* The datasets of a group, each an element. */
static stk_status group(void *context, const stk_call *call, const stk_element *element,
                        stk_dataset **out, stk_error *err)
{
    (void)context, (void)call;
    *out = stk_dataset_ref(stk_element_value(element, 1)->small.dataset);
    return stk_dataset_batch(out, 3, NULL, err);
}

static stk_dataset *groups(void)
{
    const double               target[] = {0.4, 0.3, 0.2, 0.1};
    const stk_resample_options resample = {.target = target, .class_count = 4};
    stk_error                  err;
    stk_dataset               *data = range(COUNT);
    stk_function              *key = function((stk_function_info)INFO(.key = key_of));
    stk_function              *reduce = function((stk_function_info)INFO(.expand = group));
    PUT(data, rejection_resample, key, &resample);
    PUT(data, group_by_window, key, reduce, 5, NULL);
    stk_function_unref(key);
    stk_function_unref(reduce);
    return data;
}

static stk_dataset *side_by_side(void)
{
    stk_error    err;
    stk_dataset *inputs[] = {range(COUNT), range(COUNT)}, *choices = range(2), *chosen, *data;
    PUT(inputs[0], global_shuffle, NULL);
    PUT_WITH(inputs[1], take_while, INFO(.test = is_even));
    PUT(choices, repeat, COUNT);
    demand(!stk_dataset_choose_from(&chosen, inputs, 2, choices, NULL, &err));
    stk_dataset *both[] = {inputs[0], chosen};
    demand(!stk_dataset_zip(&data, both, 2, &err));
    PUT(data, shuffle, 5, NULL);
    PUT(data, repeat, 2); /* becomes shuffle_repeat */
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    stk_dataset_unref(choices);
    stk_dataset_unref(chosen);
    return data;
}

/* Three records of a TFRecord file. */
static stk_dataset *records(const stk_filesystem *fs)
{
    stk_error    err;
    stk_dataset *data;
    demand(!stk_dataset_tfrecord_files(&data, fs, &(const char *){"file"}, 1, NULL, &err));
    PUT(data, ragged_batch, 2, NULL);
    PUT(data, repeat, 3);
    PUT(data, prefetch, 2);
    return data;
}

static stk_status window_of(void *context, const stk_call *call, const stk_element *element,
                            stk_dataset **out, stk_error *err)
{
    (void)context, (void)call, (void)err;
    *out = stk_dataset_ref(stk_element_value(element, 0)->small.dataset);
    return STK_OK;
}

/* Ragged values of two levels, cut in the middle, and windows of them. */
static stk_dataset *ragged(void)
{
    stk_error    err;
    stk_dataset *data = range(COUNT);
    PUT(data, batch, 3, NULL);
    PUT(data, ragged_batch, 2, NULL);
    PUT(data, batch, 2, NULL);
    PUT(data, rebatch, &(int64_t){3}, 1, NULL);
    demand(!stk_dataset_unbatch(&data, &err));
    PUT(data, window, 3, &(stk_window_options){.shift = 1, .stride = 1});
    PUT_WITH(data, flat_map, INFO(.expand = window_of));
    return data;
}

static const stk_filesystem *file(void)
{
    static memory_filesystem fs;
    static stk_blob          content;
    stk_error                err;
    if (fs.path) return &fs.fs;
    stk_blob_init(&content, NULL, STK_MEMORY_INDEX);
    for (int i = 0; i < 3; i++)
        demand(!stk_tfrecord_frame(&content, stk_bytes_of("record", (size_t)(i + 3)), &err));
    fs = memory_filesystem_of("file", stk_blob_bytes(&content));
    return &fs.fs;
}

static stk_dataset *pipeline(unsigned number)
{
    static stk_dataset *(*const all[])(void) = {queues, inner_ones,   windows, kept,  mixed,
                                                groups, side_by_side, NULL,    ragged};
    stk_dataset *(*const make)(void) = all[number % (sizeof all / sizeof all[0])];
    return make ? make() : records(file());
}

static void put_crc(stk_blob *out)
{
    stk_error      err;
    const uint32_t crc = stk_crc32c(0, out->data, out->size);
    const uint8_t  bytes[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
                               (uint8_t)(crc >> 24)};
    demand(!stk_blob_append(out, bytes, sizeof bytes, &err));
}

/* A checkpoint with this state. */
static void wrap(stk_blob *out, const stk_iterator *it, stk_bytes state)
{
    stk_error     err;
    stk_state_out into = {.blob = out};
    demand(!stk_blob_append(out, "STKP", 4, &err));
    demand(!stk_state_put_u64(&into, 1, &err));
    demand(!stk_state_put_u64(&into, it->plan->fingerprint, &err));
    for (int i = 0; i < 3; i++) /* seed, generation, elements */
        demand(!stk_state_put_u64(&into, 1, &err));
    demand(!stk_blob_append(out, state.data, state.size, &err));
    put_crc(out);
}

static void run_on(stk_iterator *it)
{
    for (int i = 0; i < MOST_RESULTS; i++) {
        stk_element *element;
        stk_error    err;
        stk_status   st = stk_iterator_next(it, &element, &err);
        if (st) demand(!element && err.message[0]);
        if (!st && !element) return;
        stk_element_unref(element);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const stk_iterator_options options = {.threads = 1,
                                          .seed = 1,
                                          .memory_bytes = CEILING,
                                          .passes_off = data[0] & NO_PASSES ? STK_PASS_ALL : 0};
    stk_error                  err = {0};
    stk_iterator              *it;
    stk_blob                   saved;
    stk_dataset               *plan = pipeline(data[0] % NO_PASSES);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    demand(!stk_iterator_start(&it, plan, &options, &err));
    wrap(&saved, it, stk_bytes_of(data + 1, size - 1));
    if (stk_iterator_restore(it, stk_blob_bytes(&saved), &err)) demand(err.message[0] != 0);
    run_on(it);
    stk_iterator_free(it);
    stk_dataset_unref(plan);
    stk_blob_release(&saved);
    return 0;
}
