/* Callers who ask for what makes no sense: a clear error each time, and never a crash, a hang or a
 * leak. */
#include "file_support.h"
#include "pipeline/plan/operator.h"
#include "pipeline_support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const int64_t absurd[] = {INT64_MIN, INT64_MIN + 1, -3,       -2, -1, 0,
                                 1,         INT64_MAX - 1, INT64_MAX};

/* Takes a few results of what could be made; whatever comes must come soon. */
static void try_out(stk_dataset *data)
{
    stk_error     err;
    stk_iterator *it;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    if (!stk_iterator_start(&it, data,
                            &(stk_iterator_options){.threads = 2, .memory_bytes = 8 << 20}, &err)) {
        for (int i = 0; i < 20; i++) {
            stk_element *element = NULL;
            if (!stk_iterator_next(it, &element, i & 1 ? NULL : &err) && !element) break;
            stk_element_unref(element);
        }
        (void)!stk_iterator_save(it, &saved, NULL);
        stk_iterator_free(it);
    }
    if (saved.size &&
        !stk_iterator_start(&it, data,
                            &(stk_iterator_options){.threads = 1, .memory_bytes = 8 << 20}, NULL)) {
        stk_element *element = NULL;
        if (!stk_iterator_restore(it, stk_bytes_of(saved.data, saved.size), NULL) &&
            !stk_iterator_next(it, &element, NULL))
            stk_element_unref(element);
        stk_iterator_free(it);
    }
    stk_element *element;
    if (!stk_dataset_at(data, 3, &element, NULL)) stk_element_unref(element);
    if (!stk_dataset_at(data, UINT64_MAX, &element, NULL)) stk_element_unref(element);
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    (void)!stk_dataset_explain(data, STK_PASS_ALL, &text, NULL);
    size_t count;
    (void)!stk_dataset_lint(data, -1, NULL, 0, &count, NULL);
    stk_blob_release(&text);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

#define TRY(source, op, ...)                                                                       \
    do {                                                                                           \
        stk_error    try_err = {0};                                                                \
        stk_dataset *try_data = (source);                                                          \
        stk_status   try_st = stk_dataset_##op(&try_data, __VA_ARGS__, &try_err);                  \
        EXPECT(try_st == STK_OK || try_err.message[0]);                                            \
        EXPECT(stk_dataset_##op(&try_data, __VA_ARGS__, NULL) == try_st || !try_st);               \
        try_out(try_data);                                                                         \
    } while (0)

STK_TEST(absurd_numbers_are_refused_or_do_what_they_say)
{
    stk_test_watchdog(120);
    for (size_t i = 0; i < COUNT_OF(absurd); i++) {
        const int64_t n = absurd[i];
        TRY(RANGE(10), batch, n, NULL);
        TRY(RANGE(10), batch, n, &(stk_batch_options){.drop_remainder = true});
        TRY(RANGE(10), padded_batch, n, NULL);
        TRY(RANGE(10), ragged_batch, n, NULL);
        TRY(RANGE(10), sparse_batch, n, &(stk_shape){0});
        TRY(RANGE(10), sparse_batch, 2, &(stk_shape){.rank = (int)n});
        TRY(RANGE(10), shuffle, n, NULL);
        TRY(RANGE(10), repeat, n);
        TRY(RANGE(10), take, n);
        TRY(RANGE(10), skip, n);
        TRY(RANGE(10), enumerate, n);
        TRY(RANGE(10), prefetch, n);
        TRY(RANGE(10), window, n, NULL);
        for (size_t k = 0; k < COUNT_OF(absurd); k++) {
            TRY(RANGE(10), shard, n, absurd[k]);
            TRY(RANGE(10), window, 3, &(stk_window_options){.shift = n, .stride = absurd[k]});
            TRY(RANGE(10), window, INT64_MAX,
                &(stk_window_options){.shift = n, .stride = absurd[k], .drop_remainder = true});
            TRY(RANGE(10), interleave, stk_test_copies(),
                &(stk_interleave_options){.cycle = n, .block = absurd[k]});
            TRY(RANGE(10), interleave, stk_test_copies(),
                &(stk_interleave_options){.cycle = 3, .block = n, .parallel = absurd[k]});
            TRY(RANGE(10), map, stk_test_add(1),
                &(stk_map_options){.parallel = n, .order = (stk_order)absurd[k]});
            TRY(stk_test_range(n, absurd[k], 1), take, 5);
            TRY(stk_test_range(n, absurd[k], INT64_MAX), batch, 2, NULL);
            TRY(stk_test_range(n, absurd[k], INT64_MIN), global_shuffle, NULL);
        }
        TRY(RANGE(10), rebatch, &n, 1, NULL);
        TRY(RANGE(10), group_by_window, stk_test_modulo(2), stk_test_copies(), n, NULL);
        TRY(RANGE(10), options,
            &(stk_pipeline_options){.order = (stk_order)n, .passes_off = (unsigned)n});
    }
}

STK_TEST(cardinality_never_overflows)
{
    stk_dataset *data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, repeat, INT64_MAX);
    EXPECT(stk_dataset_cardinality(data) < 0 || stk_dataset_cardinality(data) == INT64_MAX);
    stk_dataset *second = stk_dataset_ref(data);
    stk_test_concatenate(&data, second);
    EXPECT(stk_dataset_cardinality(data) < 0 || stk_dataset_cardinality(data) == INT64_MAX);
    stk_dataset_unref(second);
    try_out(data);
}

/* Deep plans. */

static stk_dataset *deep(int         stages, stk_status (*add)(stk_dataset **data, stk_error *err),
                         stk_status *last)
{
    stk_dataset *data = RANGE(3);
    stk_error    err;
    *last = STK_OK;
    for (int i = 0; i < stages && !*last; i++) {
        *last = add(&data, &err);
        if (*last) {
            EXPECT_INT_EQ(STK_E_LIMIT, *last);
            EXPECT_CONTAINS("stages", err.message);
        }
    }
    return data;
}

static stk_status add_take(stk_dataset **data, stk_error *err)
{
    return stk_dataset_take(data, 5, err);
}

static stk_status add_map(stk_dataset **data, stk_error *err)
{
    return stk_dataset_map(data, stk_test_add(1), NULL, err);
}

static stk_status add_prefetch(stk_dataset **data, stk_error *err)
{
    return stk_dataset_prefetch(data, 1, err);
}

static stk_status add_concatenate(stk_dataset **data, stk_error *err)
{
    stk_dataset *const inputs[] = {RANGE(1), *data};
    stk_dataset       *made;
    stk_status         st = stk_dataset_concatenate(&made, inputs, 2, err);
    stk_dataset_unref(inputs[0]);
    if (st) return st;
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}

static stk_status add_zip(stk_dataset **data, stk_error *err)
{
    stk_dataset *out;
    STK_TRY(stk_dataset_zip(&out, data, 1, err));
    stk_dataset_unref(*data);
    *data = out;
    return STK_OK;
}

static stk_status add_repeat(stk_dataset **data, stk_error *err)
{
    return stk_dataset_repeat(data, 2, err);
}

static stk_status add_shuffle(stk_dataset **data, stk_error *err)
{
    return stk_dataset_shuffle(data, 2, NULL, err);
}

static stk_status add_cache(stk_dataset **data, stk_error *err)
{
    return stk_dataset_cache(data, NULL, err);
}

static stk_status add_batch(stk_dataset **data, stk_error *err)
{
    STK_TRY(stk_dataset_batch(data, 1, NULL, err));
    return stk_dataset_unbatch(data, err);
}

STK_TEST(a_plan_of_too_many_stages_is_refused_and_one_below_that_runs)
{
    static stk_status (*const adds[])(stk_dataset **, stk_error *) = {
        add_take,     add_concatenate, add_zip,   add_repeat, add_map,
        add_prefetch, add_shuffle,     add_cache, add_batch};
    stk_test_watchdog(120);
    for (size_t i = 0; i < COUNT_OF(adds); i++) {
        stk_status last;
        try_out(deep(100000, adds[i], &last));
    }
}

STK_TEST(an_order_that_does_not_exist_is_refused)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_REFUSED(STK_E_INVALID, "the order is 77",
                   stk_dataset_map(&data, stk_test_add(1), &(stk_map_options){.order = 77}, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the order is 77",
                   stk_dataset_interleave(&data, stk_test_copies(),
                                          &(stk_interleave_options){.order = 77}, &err));
    stk_dataset_unref(data);
}

static uint64_t print_of(stk_status st, stk_function **made, bool maps)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_INT_EQ(STK_OK, st);
    stk_function *function = *made;
    EXPECT_OK(stk_dataset_files(&data, NULL, stk_test_path("a file"), NULL, &err));
    if (maps)
        EXPECT_OK(stk_dataset_map(&data, function, NULL, &err));
    else
        EXPECT_OK(stk_dataset_flat_map(&data, function, &err));
    uint64_t content;
    EXPECT_OK(stk_dataset_content(data, &content, &err));
    stk_function_unref(function);
    stk_dataset_unref(data);
    return content;
}

/* To what is kept of their elements: order and random numbers are the same wherever files lie. */
STK_TEST(folders_with_long_equal_beginnings_make_different_functions)
{
    char          a[4000], b[4000];
    stk_function *function;
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    a[sizeof a - 1] = b[sizeof b - 1] = 0;
    b[sizeof b - 2] = 'y';
    stk_test_write_file(stk_test_path("a file"), "1", 1);
    stk_read_file_options left = {.folder = a}, right = {.folder = b};
#define PRINT(maps, call) print_of(call, &function, maps)
    EXPECT(PRINT(true, stk_function_read_file(&function, 0, &left, NULL)) !=
           PRINT(true, stk_function_read_file(&function, 0, &right, NULL)));
    EXPECT(PRINT(false, stk_function_text(&function, 0, NULL, a, NULL, NULL)) !=
           PRINT(false, stk_function_text(&function, 0, NULL, b, NULL, NULL)));
    EXPECT(PRINT(false, stk_function_tfrecord(&function, 0, NULL, a, NULL, NULL)) !=
           PRINT(false, stk_function_tfrecord(&function, 0, NULL, b, NULL, NULL)));
}

static stk_status keep(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context, (void)call, (void)element, (void)err;
    return STK_OK;
}

STK_TEST(specs_that_make_no_sense_are_refused)
{
    static const struct {
        stk_value_spec value;
        const char    *part;
        stk_status     status;
    } wrong[] = {
        {{.rank_known = true, .shape = {.rank = 9}}, "rank 9; 0 to 8", STK_E_SHAPE},
        {{.rank_known = true, .shape = {.rank = INT32_MIN}}, "rank -2147483648", STK_E_SHAPE},
        {{.rank_known = true, .shape = {1, {-2}}}, "declared as -2", STK_E_SHAPE},
        {{.kind = (stk_value_kind)4}, "kind 4", STK_E_INVALID},
        {{.dtype = (stk_dtype)-1}, "type 4294967295", STK_E_INVALID},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const stk_element_spec spec = {.known = true, .count = 1, .values = &wrong[i].value};
        stk_function          *function;
        stk_error              err;
        EXPECT_REFUSED(
            wrong[i].status, wrong[i].part,
            stk_function_new(
                &function, &(stk_function_info){.name = "f", .output = &spec, .map = keep}, &err));
        EXPECT(!function);
    }
    stk_error              err;
    stk_function          *function;
    const stk_element_spec none = {.known = true, .count = 3};
    EXPECT_REFUSED(STK_E_INVALID, "3 values are declared",
                   stk_function_new(&function,
                                    &(stk_function_info){.name = "f", .output = &none, .map = keep},
                                    &err));
}

/* Joining. */

STK_TEST(a_thousand_inputs_are_joined_and_none_is_refused)
{
    stk_test_watchdog(120);
    enum { MANY = 1000 };
    stk_error    err;
    stk_dataset *inputs[MANY], *out;
    double       weights[MANY];
    for (size_t i = 0; i < MANY; i++)
        inputs[i] = RANGE(3);
    EXPECT_OK(stk_dataset_zip(&out, inputs, MANY, &err));
    try_out(out);
    EXPECT_OK(stk_dataset_choose_from(&out, inputs, MANY, inputs[0], NULL, &err));
    try_out(out);
    static const double odd[] = {NAN, INFINITY, -INFINITY, -1, -0.0, 0, DBL_MAX, 5e-324};
    for (size_t k = 0; k < COUNT_OF(odd); k++) {
        for (size_t i = 0; i < MANY; i++)
            weights[i] = odd[k];
        const stk_sample_options options = {
            .weights = weights, .weight_count = MANY, .seeded = true};
        if (!stk_dataset_sample_from(&out, inputs, MANY, &options, &err))
            try_out(out);
        else
            EXPECT_CONTAINS("weight", err.message);
        const stk_resample_options shares = {.target = weights, .class_count = 3};
        const stk_resample_options both = {
            .target = (double[]){1, 1, 1}, .initial = weights, .class_count = 3};
        TRY(RANGE(9), rejection_resample, stk_test_modulo(3), &shares);
        TRY(RANGE(9), rejection_resample, stk_test_modulo(3), &both);
        TRY(RANGE(9), rejection_resample, stk_test_modulo(300), &shares);
    }
    EXPECT_REFUSED(STK_E_INVALID, "at least", stk_dataset_zip(&out, inputs, 0, &err));
    EXPECT_REFUSED(STK_E_INVALID, "at least", stk_dataset_concatenate(&out, inputs, 0, &err));
    EXPECT_REFUSED(STK_E_INVALID, "at least", stk_dataset_sample_from(&out, NULL, 0, NULL, &err));
    EXPECT_REFUSED(STK_E_INVALID, "at least",
                   stk_dataset_choose_from(&out, NULL, 0, inputs[0], NULL, &err));
    for (size_t i = 0; i < MANY; i++)
        stk_dataset_unref(inputs[i]);
}

STK_TEST(weights_whose_sum_is_past_all_numbers_are_refused)
{
    stk_error                err;
    stk_dataset             *inputs[2] = {RANGE(4), RANGE(4)}, *out;
    const stk_sample_options options = {.weights = (double[]){DBL_MAX, DBL_MAX}, .weight_count = 2};
    EXPECT_REFUSED(STK_E_INVALID, "add up to more than",
                   stk_dataset_sample_from(&out, inputs, 2, &options, &err));
    const stk_resample_options shares = {.target = options.weights, .class_count = 2};
    EXPECT_REFUSED(STK_E_INVALID, "the sum finite",
                   stk_dataset_rejection_resample(&inputs[0], stk_test_modulo(2), &shares, &err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
}

/* Functions of the wrong kind. */

STK_TEST(functions_of_the_wrong_kind_are_refused_by_every_stage)
{
    stk_function *const functions[] = {stk_test_add(1), stk_test_divides(2), stk_test_modulo(2),
                                       stk_test_copies()};
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        stk_function *f = functions[i];
        stk_element  *first;
        stk_error     err;
        EXPECT_OK(stk_element_new(&first, 0, &err));
        TRY(RANGE(5), map, f, NULL);
        TRY(RANGE(5), filter, f);
        TRY(RANGE(5), take_while, f);
        TRY(RANGE(5), flat_map, f);
        TRY(RANGE(5), interleave, f, NULL);
        TRY(RANGE(5), scan, first, f);
        TRY(RANGE(5), group_by_window, f, f, 2, f);
        TRY(RANGE(5), bucket_by_length, f, NULL);
        TRY(RANGE(5), rejection_resample, f, NULL);
        stk_dataset *data = RANGE(5);
        EXPECT(stk_dataset_reduce(data, &first, f, NULL, NULL) != STK_OK);
        stk_dataset_unref(data);
        stk_element_unref(first);
    }
    TRY(RANGE(5), padded_batch, 2, &(stk_padded_batch_options){.value_count = SIZE_MAX});
    TRY(RANGE(5), padded_batch, 2,
        &(stk_padded_batch_options){.value_count = 0, .shapes = &(stk_shape){0}});
    TRY(RANGE(5), padded_batch, 2,
        &(stk_padded_batch_options){.value_count = 1, .shapes = &(stk_shape){.rank = 77}});
    TRY(RANGE(5), padded_batch, 2,
        &(stk_padded_batch_options){.value_count = 1, .padding = &(stk_value){.shape.rank = 77}});
    TRY(RANGE(5), quarantine, NULL);
    TRY(RANGE(5), snapshot, NULL);
    TRY(RANGE(5), rebatch, NULL, 0, NULL);
    TRY(RANGE(5), cache, &(stk_cache_options){.directory = ""});
    TRY(RANGE(5), sparse_batch, 2, NULL);
    TRY(RANGE(5), quarantine, &(stk_quarantine_options){.file = "x", .max_rate = NAN});
    TRY(RANGE(5), snapshot, &(stk_snapshot_options){.directory = "/dev/null/x", .compression = 99});
    TRY(RANGE(5), snapshot,
        &(stk_snapshot_options){.directory = "/dev/null/x", .pending_seconds = NAN});
    TRY(RANGE(5), snapshot,
        &(stk_snapshot_options){.directory = "/dev/null/x", .chunk_bytes = UINT64_MAX});
    const int64_t sizes[] = {2, 2};
    TRY(RANGE(5), bucket_by_length, stk_test_modulo(3),
        &(stk_bucket_options){.boundaries = sizes,
                              .boundary_count = 1,
                              .batch_sizes = sizes,
                              .batch_size_count = 2,
                              .value_count = 1,
                              .shapes = &(stk_shape){.rank = 77}});
    TRY(RANGE(5), bucket_by_length, stk_test_modulo(3),
        &(stk_bucket_options){.boundaries = sizes,
                              .boundary_count = 1,
                              .batch_sizes = sizes,
                              .batch_size_count = 2,
                              .value_count = 1,
                              .padding = &(stk_value){.shape.rank = -77}});
    TRY(RANGE(5), bucket_by_length, stk_test_modulo(3),
        &(stk_bucket_options){.boundaries = sizes,
                              .boundary_count = 1,
                              .batch_sizes = sizes,
                              .batch_size_count = 2,
                              .pad_to_boundary = true,
                              .no_padding = true});
}

/* Places that cannot be written. */

static stk_status refuse(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context, (void)element;
    return call->index % 2 ? stk_fail(err, STK_E_DATALOSS, "refuse", NULL, "odd") : STK_OK;
}

/* All results; how many were errors, and the text of the first. */
static int count_errors(stk_dataset *data, stk_error *first)
{
    stk_error     err;
    stk_iterator *it;
    int           errors = 0;
    stk_status    st = stk_iterator_start(&it, data, NULL, first);
    if (st) return 1;
    for (int i = 0; i < 200; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, errors ? &err : first);
        if (!st && !element) break;
        errors += st != STK_OK;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    return errors;
}

STK_TEST(places_that_cannot_be_written_are_named)
{
    stk_test_watchdog(60);
    char longest[4001];
    memset(longest, 'd', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    stk_test_write_file(stk_test_path("a file"), "1", 1);
    const char *const splits_or_indices[] = {
        stk_test_path("a file"),        "/dev/full", "/proc/nothing", longest, "/dev/null/below",
        stk_test_path("no/such/parent")};
    for (size_t i = 0; i < COUNT_OF(splits_or_indices); i++) {
        for (int kind = 0; kind < 3; kind++) {
            stk_error    err = {0};
            stk_dataset *data = RANGE(10);
            APPLY(data, map, stk_test_map("refuse", refuse, NULL, 0), NULL);
            stk_status st;
            if (kind == 0) {
                st = stk_dataset_cache(
                    &data, &(stk_cache_options){.directory = splits_or_indices[i]}, &err);
            } else if (kind == 1) {
                st = stk_dataset_snapshot(
                    &data, &(stk_snapshot_options){.directory = splits_or_indices[i]}, &err);
            } else {
                st = stk_dataset_quarantine(
                    &data, &(stk_quarantine_options){.file = splits_or_indices[i], .max_rate = 1},
                    &err);
            }
            const int errors = st ? 1 : count_errors(data, &err);
            if (!(kind == 2 && i == 0)) {
                EXPECT(errors > 0);
                EXPECT(err.where[0] && err.message[0]);
            }
            stk_dataset_unref(data);
        }
    }
}

/* Callbacks. */

typedef struct prank {
    int          calls;
    stk_element *kept;
    stk_cancel  *cancel;
} prank;

static stk_status give_prank(void *context, void *state, const stk_call *call, stk_element **out,
                             stk_error *err)
{
    prank *p = context;
    (void)state, (void)call;
    switch (p->calls++ % 6) {
    case 0:
        return (stk_status)12345; /* no status that exists, and no reason */
    case 1:
        *out = stk_element_ref(p->kept);
        return STK_E_IO; /* a result and an error */
    case 2:
        return stk_fail(err, STK_E_FORMAT, NULL, NULL, "%s", "");
    case 3:
        return stk_element_new(out, 0, err);
    case 4:
        *out = stk_element_ref(p->kept);
        return STK_OK;
    default:
        *out = stk_element_ref(p->kept);
        return STK_OK; /* the same once more */
    }
}

STK_TEST(callbacks_that_misbehave_do_no_harm)
{
    stk_test_watchdog(60);
    stk_error err;
    prank     p = {0};
    EXPECT_OK(stk_element_new(&p.kept, 1, &err));
    stk_value_i64(stk_element_edit(p.kept, 0), 7);
    const stk_generator_info info = {.name = "prank",
                                     .context = &p,
                                     .cardinality = STK_CARDINALITY_INFINITE,
                                     .next = give_prank};
    stk_dataset             *data;
    EXPECT_OK(stk_dataset_generator(&data, &info, &err));
    try_out(stk_dataset_ref(data));
    TRY(stk_dataset_ref(data), batch, 2, NULL);
    TRY(stk_dataset_ref(data), padded_batch, 2,
        &(stk_padded_batch_options){.value_count = 1, .shapes = &(stk_shape){0}});
    TRY(stk_dataset_ref(data), ragged_batch, 2, NULL);
    TRY(stk_dataset_ref(data), shuffle, 4, NULL);
    TRY(stk_dataset_ref(data), window, 3, NULL);
    TRY(stk_dataset_ref(data), scan, p.kept, stk_test_add(1));
    TRY(stk_dataset_ref(data), cache, NULL);
    TRY(stk_dataset_ref(data), prefetch, 5);
    TRY(stk_dataset_ref(data), ignore_errors, true);
    TRY(stk_dataset_ref(data), quarantine, &(stk_quarantine_options){.file = stk_test_path("bad")});
    TRY(stk_dataset_ref(data), enumerate, 5);
    TRY(stk_dataset_ref(data), sparse_batch, 2, &(stk_shape){0});
    stk_dataset_unref(data);
    stk_element_unref(p.kept);
}
