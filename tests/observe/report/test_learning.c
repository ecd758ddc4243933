/* How a run learns: curves stay small and true, the best stays, images are in it. */
#include "failing_alloc.h"
#include "harness.h"

#include <math.h>
#include <string.h>

static stk_learning *begin(void)
{
    stk_learning *l;
    stk_error     err;
    EXPECT_OK(stk_learning_new(&l, &err));
    return l;
}

static stk_learning_row report(int64_t step)
{
    return (stk_learning_row){.step = step,
                              .epoch = (double)step / 10,
                              .seconds = (double)step,
                              .loss = 3,
                              .accuracy = 0.5,
                              .learning_rate = 0.1,
                              .epoch_loss = (double)NAN,
                              .epoch_accuracy = (double)NAN,
                              .validation_loss = (double)NAN,
                              .validation_accuracy = (double)NAN};
}

static stk_json_document *written(const stk_learning *l)
{
    stk_json_document *doc;
    stk_blob           json;
    stk_error          err;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_learning_write(l, &json, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&json), "learning", &err));
    stk_blob_release(&json);
    return doc;
}

static const stk_json_value *rows_of(const stk_json_document *doc, const char *list)
{
    return stk_json_get(stk_json_get(stk_json_root(doc), list), "rows");
}

static double number_at(const stk_json_value *rows, size_t row, size_t column)
{
    return stk_json_number(stk_json_at(stk_json_at(rows, row), column), -1);
}

STK_TEST(a_run_that_has_not_reported_has_a_place_alone)
{
    stk_learning *l = begin();
    stk_learning_set_position(
        l, &(stk_learning_position){.state = "running", .steps = 100, .seconds_left = -1});
    stk_json_document *doc = written(l);
    EXPECT_STR_EQ("running", stk_json_text(stk_json_get(stk_json_root(doc), "state"), ""));
    EXPECT_INT_EQ(100, stk_json_integer(stk_json_get(stk_json_root(doc), "steps"), 0));
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(stk_json_get(stk_json_root(doc), "last")));
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(stk_json_get(stk_json_root(doc), "best")));
    EXPECT_INT_EQ(0, stk_json_count(rows_of(doc, "points")));
    EXPECT(stk_json_get(stk_json_root(doc), "training") == NULL);
    stk_json_document_free(doc);
    stk_learning_free(l);
    stk_learning_free(NULL);
}

STK_TEST(however_many_reports_there_are_points_are_few_and_means)
{
    enum { REPORTS = 100000 };
    stk_learning *l = begin();
    for (int64_t i = 1; i <= REPORTS; i++) {
        stk_learning_row row = report(i);
        row.loss = i % 2 ? 2 : 4;
        stk_learning_add(l, &row);
    }
    stk_json_document    *doc = written(l);
    const stk_json_value *rows = rows_of(doc, "points");
    const size_t          count = stk_json_count(rows);
    EXPECT(count <= STK_LEARNING_POINTS && count > STK_LEARNING_POINTS / 2);
    for (size_t i = 0; i + 1 < count; i++) {
        EXPECT(number_at(rows, i, 0) < number_at(rows, i + 1, 0));
        EXPECT(fabs(number_at(rows, i, 3) - 3) < 1e-9);
    }
    EXPECT(number_at(rows, count - 1, 0) == REPORTS);
    stk_json_document_free(doc);
    stk_learning_free(l);
}

STK_TEST(epochs_and_the_best_stay_however_many_there_are)
{
    stk_learning *l = begin();
    for (int64_t i = 1; i <= 5000; i++) {
        stk_learning_row row = report(i);
        row.epoch_loss = 1;
        row.epoch_accuracy = 0.25;
        row.validation_loss = 2;
        row.validation_accuracy = i == 1234 ? 0.9 : 0.5;
        stk_learning_add(l, &row);
    }
    stk_json_document    *doc = written(l);
    const stk_json_value *best = stk_json_get(stk_json_root(doc), "best");
    EXPECT_INT_EQ(1234, stk_json_integer(stk_json_get(best, "step"), 0));
    EXPECT(stk_json_number(stk_json_get(best, "validation_accuracy"), 0) == 0.9);
    const size_t count = stk_json_count(rows_of(doc, "epoch_list"));
    EXPECT(count <= STK_LEARNING_EPOCHS && count > STK_LEARNING_EPOCHS / 4);
    EXPECT(number_at(rows_of(doc, "epoch_list"), count - 1, 0) == 5000);
    EXPECT(number_at(rows_of(doc, "epoch_list"), 0, 4) == 0.25);
    stk_json_document_free(doc);
    stk_learning_free(l);
}

STK_TEST(a_loss_that_is_not_finite_is_no_point_of_the_curve)
{
    stk_learning    *l = begin();
    stk_learning_row row = report(1);
    row.loss = INFINITY;
    stk_learning_add(l, &row);
    stk_json_document *doc = written(l);
    EXPECT_INT_EQ(STK_JSON_NULL,
                  stk_json_type_of(stk_json_at(stk_json_at(rows_of(doc, "points"), 0), 3)));
    stk_json_document_free(doc);
    stk_learning_free(l);
}

static stk_status show_one(stk_learning *l, stk_bytes encoded, stk_error *err)
{
    const stk_learning_image image = {.encoded = encoded,
                                      .label = "a </script> \"cat\"",
                                      .predicted = "dog",
                                      .probability = 0.75};
    return stk_learning_show(l, STK_LEARNING_VALIDATION, 7, &image, 1, err);
}

STK_TEST(images_are_addresses_with_the_image_in_them)
{
    static const struct {
        const char *bytes, *address;
    } cases[] = {{"\x89PN", "data:image/png;base64,iVBO"},
                 {"\x89P", "data:image/png;base64,iVA="},
                 {"\x89PNG", "data:image/png;base64,iVBORw=="},
                 {"\xff\xd8\xff", "data:image/jpeg;base64,/9j/"}};
    stk_learning *l = begin();
    stk_error     err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_OK(show_one(l, stk_bytes_text(cases[i].bytes), &err));
        stk_json_document    *doc = written(l);
        const stk_json_value *set = stk_json_get(stk_json_root(doc), "validation");
        const stk_json_value *image = stk_json_at(stk_json_get(set, "images"), 0);
        EXPECT_INT_EQ(7, stk_json_integer(stk_json_get(set, "step"), 0));
        EXPECT_STR_EQ(cases[i].address, stk_json_text(stk_json_get(image, "src"), ""));
        EXPECT_STR_EQ("a </script> \"cat\"", stk_json_text(stk_json_get(image, "label"), ""));
        EXPECT_STR_EQ("dog", stk_json_text(stk_json_get(image, "predicted"), ""));
        EXPECT(!stk_json_truth(stk_json_get(image, "right"), true));
        stk_json_document_free(doc);
    }
    stk_learning_free(l);
}

static stk_status make_all(void *context, stk_error *err)
{
    stk_learning    *l;
    stk_blob         json;
    stk_learning_row row = report(1);
    (void)context;
    STK_TRY(stk_learning_new(&l, err));
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_learning_add(l, &row);
    stk_status st = show_one(l, stk_bytes_text("\x89PNG and more of it"), err);
    if (!st) st = stk_learning_write(l, &json, err);
    stk_blob_release(&json);
    stk_learning_free(l);
    return st;
}

STK_TEST(it_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(make_all, NULL);
}
