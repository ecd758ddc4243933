#include "values_support.h"

#include <stdlib.h>

/* Numbers from 0 on, count of them; fails on those that fail_every divides. */
typedef struct source {
    int64_t     count, fail_every;
    bool        fail_for_ever, silent;
    int         open_passes, released;
    stk_cancel *cancel; /* requested after a thousand failures */
} source;

typedef struct pass {
    int64_t next;
} pass;

static stk_status begin(void *context, uint64_t epoch, void **state, stk_error *err)
{
    source *s = context;
    pass   *p = calloc(1, sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "test", NULL, "no memory");
    p->next = (int64_t)epoch * 100;
    *state = p;
    __atomic_fetch_add(&s->open_passes, 1, __ATOMIC_RELAXED);
    return STK_OK;
}

static stk_status step(void *context, void *state, const stk_call *call, stk_element **out,
                       stk_error *err)
{
    const source *s = context;
    pass         *p = state;
    if (s->cancel && call->index == 1000) stk_cancel_request(s->cancel);
    if (s->fail_for_ever) return stk_fail(err, STK_E_IO, "test", NULL, "the source is down");
    if (p->next % 100 == s->count) return STK_OK;
    const int64_t number = p->next++;
    if (s->silent && number == 1) return STK_E_IO;
    if (s->fail_every && number % s->fail_every == 0)
        return stk_fail(err, STK_E_FORMAT, "test", NULL, "number %d is bad", (int)number);
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), number);
    return STK_OK;
}

static void end(void *context, void *state)
{
    __atomic_fetch_sub(&((source *)context)->open_passes, 1, __ATOMIC_RELAXED);
    free(state);
}

static void release(void *context)
{
    ((source *)context)->released++;
}

static stk_status save(void *context, void *state, stk_blob *out, stk_error *err)
{
    (void)context;
    return stk_blob_append(out, &((pass *)state)->next, sizeof(int64_t), err);
}

static stk_status restore(void *context, void *state, stk_bytes saved, stk_error *err)
{
    (void)context;
    if (saved.size != sizeof(int64_t))
        return stk_fail(err, STK_E_DATALOSS, "test", NULL, "the saved place is %zu bytes",
                        saved.size);
    memcpy(&((pass *)state)->next, saved.data, saved.size);
    return STK_OK;
}

static stk_generator_info info_of(source *s)
{
    return (stk_generator_info){.name = "numbers",
                                .context = s,
                                .release = release,
                                .cardinality = STK_CARDINALITY_UNKNOWN,
                                .open = begin,
                                .next = step,
                                .close = end};
}

static stk_dataset *generator(source *s)
{
    stk_error          err;
    stk_dataset       *data;
    stk_generator_info info = info_of(s);
    EXPECT_OK(stk_dataset_generator(&data, &info, &err));
    return data;
}

STK_TEST(generator_gives_what_its_function_gives)
{
    source s = {.count = 5};
    EXPECT_GIVES("0 1 2 3 4 .", generator(&s));
    EXPECT_INT_EQ(0, s.open_passes);
    EXPECT_INT_EQ(1, s.released);
}

STK_TEST(generator_opens_a_pass_for_every_epoch)
{
    source       s = {.count = 2};
    stk_dataset *data = generator(&s);
    APPLY(data, repeat, 3);
    EXPECT_GIVES("0 1 100 101 200 201 .", data);
    EXPECT_INT_EQ(0, s.open_passes);
}

STK_TEST(generator_errors_have_their_place_and_do_not_end_it)
{
    source       s = {.count = 6, .fail_every = 2};
    stk_dataset *data = generator(&s);
    EXPECT_GIVES("!wrong_format 1 !wrong_format 3 !wrong_format 5 .", data);
}

STK_TEST(generator_with_save_and_restore_is_put_at_its_place)
{
    source             s = {.count = 6, .fail_every = 4};
    stk_error          err;
    stk_dataset       *data;
    stk_generator_info info = info_of(&s);
    info.save = save;
    info.restore = restore;
    EXPECT_OK(stk_dataset_generator(&data, &info, &err));
    PUT(data, repeat, 2);
    EXPECT_GIVES("!wrong_format 1 2 3 !wrong_format 5 "
                 "!wrong_format 101 102 103 !wrong_format 105 .",
                 data);
    EXPECT_INT_EQ(0, s.open_passes);
}

STK_TEST(generator_names_the_element_of_an_error_without_a_place_or_reason)
{
    source        s = {.count = 3, .silent = true};
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = generator(&s);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_IO, stk_iterator_next(it, &element, &err));
    EXPECT_STR_EQ("numbers: element 1 of epoch 0", err.where);
    EXPECT_CONTAINS("no reason", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(generator_elements_are_numbered)
{
    source        s = {.count = 2};
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = generator(&s);
    PUT(data, repeat, 2);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 4; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i / 2, stk_element_origin(element)->epoch);
        EXPECT_INT_EQ(i % 2, stk_element_origin(element)->index);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(generator_that_fails_for_ever_can_be_stopped)
{
    stk_test_watchdog(60);
    stk_cancel   cancel = {0};
    source       s = {.fail_for_ever = true, .cancel = &cancel};
    stk_error    err;
    stk_element *element;
    stk_dataset *data = generator(&s);
    PUT(data, map, stk_test_add(1), &(stk_map_options){.parallel = 1});
    PUT(data, batch, INT64_MAX, NULL); /* would swallow errors without end */
    stk_iterator              *it;
    const stk_iterator_options options = {.threads = 2, .cancel = &cancel};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    /* The batch at hand may still say what was wrong with it. */
    if (stk_iterator_next(it, &element, &err) != STK_E_CANCELLED)
        EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(generator_elements_are_held_to_the_declared_spec)
{
    source                 s = {.count = 2};
    const stk_value_spec   value = {.name = "x", .dtype = STK_DTYPE_F32, .rank_known = true};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    stk_error              err;
    stk_dataset           *data;
    stk_generator_info     info = info_of(&s);
    info.output = &spec;
    EXPECT_OK(stk_dataset_generator(&data, &info, &err));
    EXPECT_STR_EQ("x", stk_dataset_spec(data)->values[0].name);
    EXPECT_GIVES("!wrong_type !wrong_type .", data);
}

STK_TEST(generator_refuses_what_makes_no_sense_and_leaves_the_context)
{
    source             s = {0};
    stk_error          err;
    stk_dataset       *data;
    stk_generator_info info = info_of(&s);
    info.name = NULL;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_generator(&data, &info, &err));
    EXPECT_CONTAINS("no name", err.message);
    info = info_of(&s);
    info.next = NULL;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_generator(&data, &info, &err));
    EXPECT_CONTAINS("no next", err.message);
    info = info_of(&s);
    info.cardinality = -3;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_generator(&data, &info, &err));
    EXPECT_CONTAINS("is -3", err.message);
    info = info_of(&s);
    info.save = save;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_generator(&data, &info, &err));
    EXPECT_CONTAINS("give both or none", err.message);
    EXPECT_INT_EQ(0, s.released);
}

STK_TEST(generator_fingerprints_differ_by_name_and_version)
{
    source             s = {.count = 1};
    stk_error          err;
    stk_dataset       *a = generator(&s), *b, *c;
    stk_generator_info info = info_of(&s);
    info.version = 2;
    EXPECT_OK(stk_dataset_generator(&b, &info, &err));
    info = info_of(&s);
    info.name = "others";
    info.cardinality = 1;
    EXPECT_OK(stk_dataset_generator(&c, &info, &err));
    EXPECT_INT_EQ(1, stk_dataset_cardinality(c));
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(a));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(c));
    stk_element *element;
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_dataset_at(a, 0, &element, &err));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

STK_TEST(turned_bits_in_checkpoints_of_generators_are_harmless)
{
    stk_test_watchdog(120);
    source             s = {.count = 5};
    stk_error          err;
    stk_dataset       *data;
    stk_generator_info info = info_of(&s);
    stk_test_damage(generator(&s), 3);
    info.save = save;
    info.restore = restore;
    EXPECT_OK(stk_dataset_generator(&data, &info, &err));
    stk_test_damage(data, 3);
    EXPECT_INT_EQ(0, s.open_passes);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    stk_dataset       *data;
    stk_generator_info info = info_of(context);
    info.save = save;
    info.restore = restore;
    STK_TRY(stk_dataset_generator(&data, &info, err));
    STK_TRY(stk_test_save_and_drain(data, 2, err));
    STK_TRY(stk_dataset_generator(&data, &info, err));
    return stk_test_drain(data, err);
}

STK_TEST(generator_survives_every_failing_allocation)
{
    source s = {.count = 3};
    stk_test_fail_each_allocation(build_and_run, &s);
    EXPECT_INT_EQ(0, s.open_passes);
}
