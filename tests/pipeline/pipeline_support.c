#include "pipeline_support.h"

#include "pipeline/iterator/iterator_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct text {
    char  *data;
    size_t size, capacity;
} text;

static void say(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->capacity - t->size < 4096) {
        t->capacity = t->capacity * 2 + 8192;
        t->data = realloc(t->data, t->capacity);
        assert_non_null(t->data);
    }
    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->data + t->size, t->capacity - t->size, format, arguments);
    va_end(arguments);
}

static void say_scalar(text *t, stk_dtype dtype, const void *data)
{
    switch (dtype) {
    case STK_DTYPE_U8:
        say(t, "%u", *(const uint8_t *)data);
        break;
    case STK_DTYPE_I8:
        say(t, "%d", *(const int8_t *)data);
        break;
    case STK_DTYPE_BOOL:
        say(t, *(const uint8_t *)data ? "true" : "false");
        break;
    case STK_DTYPE_I32:
        say(t, "%" PRId32, *(const int32_t *)data);
        break;
    case STK_DTYPE_I64:
        say(t, "%" PRId64, *(const int64_t *)data);
        break;
    case STK_DTYPE_F32:
        say(t, "%g", (double)*(const float *)data);
        break;
    case STK_DTYPE_F64:
        say(t, "%g", *(const double *)data);
        break;
    case STK_DTYPE_BYTES: {
        const stk_bytes *bytes = data;
        say(t, "'%.*s'", (int)bytes->size, (const char *)bytes->data);
        break;
    }
    default:
        say(t, "?");
        break;
    }
}

static const uint8_t *say_dense(text *t, const stk_value *value, int dimension, const uint8_t *at)
{
    if (dimension == value->shape.rank) {
        say_scalar(t, value->dtype, at);
        return at + stk_dtype_bytes(value->dtype);
    }
    say(t, "[");
    for (int64_t i = 0; i < value->shape.dim[dimension]; i++) {
        if (i && dimension == value->shape.rank - 1) say(t, " ");
        at = say_dense(t, value, dimension + 1, at);
    }
    say(t, "]");
    return at;
}

/* Rows [first, first + count) of a level. */
static const uint8_t *say_ragged(text *t, const stk_value *value, int level, int64_t first,
                                 int64_t count, const uint8_t *data)
{
    const int64_t *splits = value->splits_or_indices;
    int64_t        rows = value->count;
    for (int i = 0; i < level; i++) {
        const int64_t below = splits[rows];
        splits += rows + 1;
        rows = below;
    }
    say(t, "{");
    for (int64_t i = first; i < first + count; i++) {
        stk_value row = *value;
        row.shape.dim[0] = splits[i + 1] - splits[i];
        data = level + 1 < value->levels
                   ? say_ragged(t, value, level + 1, splits[i], row.shape.dim[0], data)
                   : say_dense(t, &row, 0, data);
    }
    say(t, "}");
    return data;
}

/* How to run; serial: nothing runs ahead. */
typedef struct manner {
    const stk_iterator_options *options;
    bool                        serial;
} manner;

static void run_into(text *t, stk_dataset *data, const manner *how, size_t limit);

static void say_value(text *t, const stk_value *value)
{
    const uint8_t *data = stk_value_data(value);
    if (value->kind == STK_VALUE_DATASET) {
        say(t, "<");
        run_into(t, value->small.dataset,
                 &(manner){&(stk_iterator_options){.threads = 1, .seed = 7}, false}, 1000);
        say(t, ">");
    } else if (value->kind == STK_VALUE_RAGGED) {
        say_ragged(t, value, 0, 0, value->count, data);
    } else if (value->kind == STK_VALUE_SPARSE) {
        char shape[64];
        say(t, "sparse%s{", stk_shape_text(&value->shape, shape, sizeof shape));
        for (int64_t i = 0; i < value->count; i++) {
            say(t, i ? " (" : "(");
            for (int d = 0; d < value->shape.rank; d++)
                say(t, d ? ",%" PRId64 : "%" PRId64,
                    value->splits_or_indices[i * value->shape.rank + d]);
            say(t, ")");
            say_scalar(t, value->dtype, data + (size_t)i * stk_dtype_bytes(value->dtype));
        }
        say(t, "}");
    } else {
        say_dense(t, value, 0, data);
    }
}

static void say_element(text *t, const stk_element *element)
{
    const size_t count = stk_element_count(element);
    if (count != 1) say(t, "(");
    for (size_t i = 0; i < count; i++) {
        if (i) say(t, " ");
        say_value(t, stk_element_value(element, i));
    }
    if (count != 1) say(t, ")");
}

/* Without blanks, which separate results. */
static void say_status(text *t, stk_status st)
{
    say(t, "!");
    for (const char *c = stk_status_name(st); *c; c++)
        say(t, "%c", *c == ' ' ? '_' : *c);
}

/* One result; false at the end. */
static bool say_next(text *t, stk_iterator *it)
{
    stk_element *element;
    stk_error    err;
    stk_status   st = stk_iterator_next(it, &element, &err);
    if (!st && !element) return false;
    if (t->size && t->data[t->size - 1] != '<') say(t, " ");
    if (st)
        say_status(t, st);
    else
        say_element(t, element);
    stk_element_unref(element);
    return true;
}

static void run_from(text *t, stk_iterator *it, size_t limit)
{
    size_t count = 0;
    while (count < limit && say_next(t, it))
        count++;
    say(t, count == limit ? " ..." : t->size ? " ." : ".");
    if (count == limit) return;
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    assert_null(element);
}

static void run_into(text *t, stk_dataset *data, const manner *how, size_t limit)
{
    stk_error        err;
    stk_iterator    *it;
    const stk_status st = stk_iterator_start(&it, data, how->options, &err);
    if (st == STK_E_CEILING) {
        say(t, "!%s", stk_status_name(st));
        return;
    }
    EXPECT_OK(st);
    if (how->serial) stk_run_set_serial(it->run, true);
    text own = {0};
    say(&own, "%s", "");
    run_from(&own, it, limit);
    stk_iterator_free(it);
    if (t->size && t->data[t->size - 1] == '<' && own.size >= 2) own.data[own.size -= 2] = 0;
    say(t, "%.0s", "");
    for (size_t i = 0; i < own.size; i += 2000)
        say(t, "%.2000s", own.data + i);
    free(own.data);
}

static const char *run_and_keep(stk_dataset *data, const manner *how, size_t limit)
{
    static text kept[16];
    static int  turn;
    text       *t = &kept[turn++ % 16];
    t->size = 0;
    run_into(t, data, how, limit ? limit : 10000);
    return t->data;
}

const char *stk_test_run(stk_dataset *data, const stk_iterator_options *options, size_t limit)
{
    return run_and_keep(data, &(manner){options, false}, limit);
}

const char *stk_test_run_serially(stk_dataset *data, const stk_iterator_options *options,
                                  size_t limit)
{
    return run_and_keep(data, &(manner){options, true}, limit);
}

const char *stk_test_element_text(const stk_element *element)
{
    static text t;
    t.size = 0;
    say_element(&t, element);
    return t.data;
}

static void expect_text(const char *expected, const char *actual, const char *how, const char *file,
                        int line)
{
    if (strcmp(expected, actual) == 0) return;
    print_error("%s:%d: %s\n  expected %s\n  got      %s\n", file, line, how, expected, actual);
    fail();
}

static void check_runs(stk_dataset *data, size_t limit, const char *expected, const char *file,
                       int line)
{
    static const int threads[] = {1, 2, 3, 8};
    char             how[128];
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        stk_iterator_options options = {.threads = threads[i], .seed = 7};
        snprintf(how, sizeof how, "%d threads", threads[i]);
        expect_text(expected, stk_test_run(data, &options, limit), how, file, line);
        options.passes_off = STK_PASS_ALL;
        snprintf(how, sizeof how, "%d threads, no passes", threads[i]);
        expect_text(expected, stk_test_run(data, &options, limit), how, file, line);
    }
    for (unsigned pass = 1; pass < STK_PASS_ALL; pass *= 2) {
        const stk_iterator_options options = {.threads = 2, .seed = 7, .passes_off = pass};
        const char                *name = stk_pass_name((stk_pass)pass);
        snprintf(how, sizeof how, "2 threads, without the pass %s", name ? name : "?");
        expect_text(expected, stk_test_run(data, &options, limit), how, file, line);
    }
}

/* Saves twice. */
const char *stk_test_run_with_checkpoint(stk_dataset *data, size_t taken, size_t limit,
                                         unsigned passes_off, int before, int after)
{
    static text   t;
    stk_error     err;
    stk_iterator *it;
    stk_blob      saved, again;
    t.size = 0;
    say(&t, "%s", "");
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&again, NULL, STK_MEMORY_INDEX);
    stk_iterator_options options = {.threads = before, .seed = 7, .passes_off = passes_off};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (size_t i = 0; i < taken && say_next(&t, it); i++) {
    }
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    EXPECT_OK(stk_iterator_save(it, &again, &err));
    /* Going on after a save must not disturb what was saved. */
    stk_element *element;
    if (stk_iterator_next(it, &element, &err) == STK_OK) stk_element_unref(element);
    stk_iterator_free(it);
    options.threads = after;
    options.seed = 99; /* the checkpoint knows better */
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    if (taken % 2) { /* restoring over a running one must work as well */
        if (stk_iterator_next(it, &element, &err) == STK_OK) stk_element_unref(element);
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&again), &err));
    }
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    run_from(&t, it, limit - taken);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_blob_release(&again);
    return t.data;
}

static void check_checkpoints(stk_dataset *data, size_t limit, const char *expected,
                              const char *file, int line)
{
    static const int threads[] = {1, 2, 3, 8, 1};
    size_t           results = 0;
    for (const char *c = expected; *c; c++)
        results += *c == ' ';
    if (results > limit) results = limit;
    const size_t step = results > 40 ? results / 40 : 1;
    for (size_t taken = 0; taken <= results; taken += step)
        for (int i = 0; i < 2; i++) {
            char      how[128];
            const int turn = (int)(taken / step) % 4;
            snprintf(how, sizeof how, "checkpoint after %zu results%s, %d threads then %d", taken,
                     i ? " without passes" : "", threads[turn], threads[turn + 1]);
            expect_text(expected,
                        stk_test_run_with_checkpoint(data, taken, limit, i ? STK_PASS_ALL : 0,
                                                     threads[turn], threads[turn + 1]),
                        how, file, line);
        }
    const bool ends = results < limit && strcmp(expected + strlen(expected) - 1, ".") == 0;
    if (ends) /* one that has seen the end stays there */
        expect_text(expected, stk_test_run_with_checkpoint(data, results + 1, limit, 0, 2, 3),
                    "checkpoint after the end", file, line);
}

void stk_test_gives(stk_dataset *data, const char *expected, const char *file, int line)
{
    check_runs(data, 10000, expected, file, line);
    check_checkpoints(data, 10000, expected, file, line);
    stk_dataset_unref(data);
}

void stk_test_gives_once(stk_dataset *data, const char *expected, const char *file, int line)
{
    check_runs(data, 10000, expected, file, line);
    stk_dataset_unref(data);
}

void stk_test_begins(stk_dataset *data, size_t count, const char *expected, const char *file,
                     int line)
{
    check_runs(data, count, expected, file, line);
    check_checkpoints(data, count, expected, file, line);
    stk_dataset_unref(data);
}

stk_dataset *stk_test_range(int64_t start, int64_t stop, int64_t step)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_range(&data, start, stop, step, &err));
    return data;
}

static stk_dataset *of_elements(stk_element **elements, size_t count)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_elements(&data, elements, count, &err));
    for (size_t i = 0; i < count; i++)
        stk_element_unref(elements[i]);
    free(elements);
    return data;
}

stk_dataset *stk_test_numbers(size_t count, const int64_t *numbers)
{
    stk_error     err;
    stk_element **elements = calloc(count + 1, sizeof(stk_element *));
    for (size_t i = 0; i < count; i++) {
        EXPECT_OK(stk_element_new(&elements[i], 1, &err));
        stk_value_i64(stk_element_edit(elements[i], 0), numbers[i]);
    }
    return of_elements(elements, count);
}

stk_dataset *stk_test_vectors(size_t count, const size_t *lengths, const int64_t *numbers)
{
    stk_error     err;
    stk_element **elements = calloc(count + 1, sizeof(stk_element *));
    for (size_t i = 0; i < count; i++) {
        const stk_shape shape = stk_shape_1d((int64_t)lengths[i]);
        void           *data;
        EXPECT_OK(stk_element_new(&elements[i], 1, &err));
        EXPECT_OK(stk_value_dense(stk_element_edit(elements[i], 0), NULL, STK_DTYPE_I64, &shape,
                                  &data, &err));
        if (lengths[i]) memcpy(data, numbers, lengths[i] * sizeof *numbers);
        numbers += lengths[i];
    }
    return of_elements(elements, count);
}

/* Functions live until the program ends; the list keeps them reachable for the leak checker. */
static stk_function *functions[4096];
static size_t        function_count;

static void __attribute__((destructor)) free_functions(void)
{
    for (size_t i = 0; i < function_count; i++)
        stk_function_unref(functions[i]);
}

static stk_function *keep(const stk_function_info *info)
{
    stk_error     err;
    stk_function *function;
    EXPECT_OK(stk_function_new(&function, info, &err));
    assert_true(function_count < COUNT_OF(functions));
    functions[function_count++] = function;
    return function;
}

stk_function *stk_test_map(const char *name, stk_map_fn map, void *context, unsigned traits)
{
    return keep(
        &(stk_function_info){.name = name, .map = map, .context = context, .traits = traits});
}

stk_function *stk_test_test(const char *name, stk_predicate_fn test, void *context)
{
    return keep(&(stk_function_info){.name = name, .test = test, .context = context});
}

stk_function *stk_test_key(const char *name, stk_key_fn key, void *context)
{
    return keep(&(stk_function_info){.name = name, .key = key, .context = context});
}

stk_function *stk_test_expand(const char *name, stk_expand_fn expand, void *context)
{
    return keep(&(stk_function_info){.name = name, .expand = expand, .context = context});
}

stk_function *stk_test_scan(const char *name, stk_scan_fn scan, void *context)
{
    return keep(&(stk_function_info){.name = name, .scan = scan, .context = context});
}

int64_t stk_test_number(const stk_element *element)
{
    return *(const int64_t *)stk_value_data(stk_element_value(element, 0));
}

static stk_status change(stk_element **element, int64_t number, stk_error *err)
{
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), number);
    return STK_OK;
}

static stk_status add(void *n, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    return change(element, stk_test_number(*element) + (int64_t)(intptr_t)n, err);
}

static stk_status multiply(void *n, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    return change(element, stk_test_number(*element) * (int64_t)(intptr_t)n, err);
}

static stk_status fail_on(void *n, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    if (stk_test_number(*element) != (int64_t)(intptr_t)n) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "test", NULL, "the number is %" PRId64,
                    stk_test_number(*element));
}

static stk_status divides(void *n, const stk_call *call, const stk_element *element, bool *keep_it,
                          stk_error *err)
{
    (void)call;
    (void)err;
    *keep_it = stk_test_number(element) % (int64_t)(intptr_t)n == 0;
    return STK_OK;
}

static stk_status modulo(void *n, const stk_call *call, const stk_element *element, int64_t *key,
                         stk_error *err)
{
    (void)call;
    (void)err;
    *key = stk_test_number(element) % (int64_t)(intptr_t)n;
    return STK_OK;
}

static stk_status copies(void *context, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t count = stk_test_number(element);
    stk_element  *list[64];
    for (int64_t i = 0; i < count && i < 64; i++)
        list[i] = (stk_element *)element;
    return stk_dataset_elements(out, list, (size_t)count, err);
}

static stk_function *numbered(const char *name, int64_t n, stk_function_info info)
{
    char details[32];
    snprintf(details, sizeof details, "%" PRId64, n);
    info.name = name;
    info.details = details;
    info.context = (void *)(intptr_t)n;
    return keep(&info);
}

stk_function *stk_test_add(int64_t n)
{
    return numbered("add", n, (stk_function_info){.map = add});
}

stk_function *stk_test_multiply(int64_t n)
{
    return numbered("multiply", n, (stk_function_info){.map = multiply});
}

stk_function *stk_test_fail_on(int64_t n)
{
    return numbered("fail_on", n, (stk_function_info){.map = fail_on});
}

stk_function *stk_test_divides(int64_t n)
{
    return numbered("divides", n, (stk_function_info){.test = divides});
}

stk_function *stk_test_modulo(int64_t n)
{
    return numbered("modulo", n, (stk_function_info){.key = modulo});
}

stk_function *stk_test_copies(void)
{
    return numbered("copies", 0, (stk_function_info){.expand = copies});
}

void stk_test_watchdog(unsigned seconds)
{
    alarm(seconds);
}

typedef struct frugal {
    stk_test_build_fn build;
    size_t            expected;
} frugal;

static stk_status count_all(stk_iterator *it, size_t limit, size_t *count, stk_error *err)
{
    for (*count = 0; *count < limit; ++*count) {
        stk_element *element;
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element) return STK_OK;
        stk_element_unref(element);
    }
    return STK_OK;
}

/* Half of the results, then the rest from a checkpoint. Without passes: queues put in by them get
 * by with less memory, and then nothing fails. */
static stk_status run_in_halves(stk_dataset *data, size_t expected, stk_error *err)
{
    const stk_iterator_options options = {.threads = 1, .seed = 7, .passes_off = STK_PASS_ALL};
    stk_iterator              *it, *other = NULL;
    size_t                     first = 0, rest = 0;
    stk_blob                   saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = count_all(it, expected / 2, &first, err);
    if (!st) st = stk_iterator_save(it, &saved, err);
    if (!st) st = stk_iterator_start(&other, data, &options, err);
    if (!st) st = stk_iterator_restore(other, stk_blob_bytes(&saved), err);
    if (!st) st = count_all(other, SIZE_MAX, &rest, err);
    if (!st && first + rest != expected)
        st = stk_fail(err, STK_E_NOMEM, "test", NULL, "%zu results of %zu", first + rest, expected);
    stk_iterator_free(it);
    stk_iterator_free(other);
    stk_blob_release(&saved);
    return st;
}

static stk_status run_frugally(void *context, stk_error *err)
{
    const frugal *f = context;
    stk_dataset  *data = NULL;
    stk_status    st = f->build(&data, err);
    if (!st) st = run_in_halves(data, f->expected, err);
    stk_dataset_unref(data);
    return st;
}

void stk_test_without_memory(stk_test_build_fn build, size_t expected)
{
    frugal f = {build, expected};
    stk_test_fail_each_allocation(run_frugally, &f);
}

enum { CRC_BYTES = 4, RESULTS_AFTER_DAMAGE = 40 };

/* Any result will do. */
static void draw(stk_iterator *it, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        stk_error    err;
        stk_element *element;
        stk_status   st = stk_iterator_next(it, &element, &err);
        if (!st && !element) return;
        stk_element_unref(element);
    }
}

/* Bit by bit: checkpoints in tests are small. */
static uint32_t crc32c(const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
    }
    return ~crc;
}

static void restore_turned(stk_iterator *it, const stk_blob *saved, size_t bit)
{
    const size_t size = saved->size - CRC_BYTES;
    stk_error    err;
    saved->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    const uint32_t crc = crc32c(saved->data, size);
    for (int i = 0; i < CRC_BYTES; i++)
        saved->data[size + (size_t)i] = (uint8_t)(crc >> (8 * i));
    if (stk_iterator_restore(it, stk_blob_bytes(saved), &err) == STK_OK)
        draw(it, RESULTS_AFTER_DAMAGE);
    saved->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

void stk_test_damage(stk_dataset *data, size_t taken)
{
    const stk_iterator_options options = {.threads = 1, .seed = 7};
    stk_error                  err;
    stk_iterator              *it;
    stk_blob                   saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    draw(it, taken);
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    assert_int_equal(saved.data[saved.size - CRC_BYTES],
                     crc32c(saved.data, saved.size - CRC_BYTES) & 255);
    for (size_t bit = 0; bit < 8 * (saved.size - CRC_BYTES); bit++)
        restore_turned(it, &saved, bit);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

void stk_test_concatenate(stk_dataset **data, stk_dataset *second)
{
    stk_dataset *const inputs[] = {*data, second};
    stk_error          err;
    EXPECT_OK(stk_dataset_concatenate(data, inputs, 2, &err));
    stk_dataset_unref(inputs[0]);
}
