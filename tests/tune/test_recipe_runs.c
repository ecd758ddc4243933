/* Runs of recipes that a search measures and compares: arms that stand still, losses side by side,
 * accuracies by seed. */
#include "train/tiny_data.h"
#include "tune/recipe/accuracy.h"
#include "tune/recipe/arm.h"
#include "tune/recipe/losses.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct subject {
    stk_train_recipe recipe;
    stk_train_data   data;
} subject;

static subject *make_subject(const char *name, const char *const *settings)
{
    const char *all[16] = {"model.width", "0.1"}; /* for the time of the test */
    size_t      count = 2;
    subject    *s = calloc(1, sizeof *s);
    EXPECT(s != NULL);
    for (const char *const *one = settings; one && *one && count < 15; one++)
        all[count++] = *one;
    tiny_recipe(&s->recipe, &s->data, tiny_data(name, 256, 12, 4), stk_test_path("unused"), all);
    return s;
}

static void free_subject(subject *s)
{
    stk_train_data_release(&s->data);
    free(s);
}

static stk_status open_arm(stk_recipe_arm **out, const subject *s, const char *folder,
                           const stk_cancel *cancel, stk_error *err)
{
    stk_train_data               data = s->data;
    stk_train_recipe             recipe = s->recipe;
    const stk_recipe_arm_options how = {
        .recipe = &recipe, .data = &data, .folder = folder, .block_s = 0.02, .cancel = cancel};
    data.validation_count = 0;
    recipe.train.epochs = 100000;
    recipe.train.steps = -1;
    return stk_recipe_arm_open(out, &how, err);
}

STK_TEST(two_arms_are_measured_in_turn_and_leave_nothing)
{
    subject        *s = make_subject("turns", NULL);
    const char     *folders[] = {stk_test_path("arm_a"), stk_test_path("arm_b")};
    stk_recipe_arm *arms[2];
    stk_tune_block  block;
    stk_error       err;
    for (int i = 0; i < 2; i++)
        EXPECT_OK(open_arm(&arms[i], s, folders[i], NULL, &err));
    for (int turn = 0; turn < 6; turn++) {
        EXPECT_OK(stk_recipe_arm_measure(arms[turn % 2], &block, &err));
        EXPECT(block.samples >= (double)s->recipe.data.batch);
        EXPECT(block.seconds >= 0.02);
    }
    for (int i = 0; i < 2; i++) {
        stk_recipe_arm_close(arms[i]);
        EXPECT(access(folders[i], F_OK) != 0);
    }
    stk_recipe_arm_close(NULL);
    free_subject(s);
}

STK_TEST(an_arm_stops_when_the_search_does)
{
    subject        *s = make_subject("stops", NULL);
    stk_cancel      cancel = STK_CANCEL_INIT;
    stk_recipe_arm *arm;
    stk_tune_block  block;
    stk_error       err;
    EXPECT_OK(open_arm(&arm, s, stk_test_path("stopped"), &cancel, &err));
    stk_cancel_request(&cancel);
    EXPECT_STATUS(STK_E_CANCELLED, stk_recipe_arm_measure(arm, &block, &err));
    stk_recipe_arm_close(arm);
    free_subject(s);
}

STK_TEST(an_arm_that_cannot_train_tells_why)
{
    static const char *const settings[] = {"train.learning_rate", "1e6", "train.schedule",
                                           "constant", NULL};
    subject                 *s = make_subject("broken", settings);
    stk_recipe_arm          *arm = NULL;
    stk_tune_block           block;
    stk_error                err;
    stk_status               st = open_arm(&arm, s, stk_test_path("broken_run"), NULL, &err);
    for (int i = 0; i < 100 && !st; i++)
        st = stk_recipe_arm_measure(arm, &block, &err);
    EXPECT_INT_EQ(STK_E_RANGE, st);
    EXPECT_CONTAINS("loss of step", err.message);
    stk_recipe_arm_close(arm);
    free_subject(s);
}

static stk_tune_guard_result compare(const subject *a, const subject *b,
                                     const stk_loss_tolerance *tolerance)
{
    const stk_loss_run    one = {&a->recipe, &a->data, stk_test_path("losses"), NULL};
    const stk_loss_run    other = {&b->recipe, &b->data, stk_test_path("losses"), NULL};
    stk_tune_guard_result out;
    stk_error             err;
    EXPECT_OK(stk_losses_compare(&out, &one, &other, tolerance, &err));
    EXPECT(access(stk_test_path("losses"), F_OK) != 0);
    return out;
}

STK_TEST(losses_tell_what_is_learnt_the_same)
{
    static const char *const threads[] = {"knobs.input_threads", "2", "data.cache", "none", NULL};
    static const char *const seed[] = {"train.seed", "9", NULL};
    static const char *const rate[] = {"train.learning_rate", "1e-9", NULL};
    const stk_loss_tolerance exact = {.exact = true}, rounding = {.relative = 2e-3};
    const stk_loss_tolerance order = {.reorders = true};
    subject                 *same = make_subject("same", NULL);
    subject                 *quick = make_subject("same", threads);
    subject                 *other = make_subject("same", seed);
    subject                 *idle = make_subject("same", rate);
    stk_tune_guard_result    result = compare(same, quick, &exact);
    EXPECT(result.passed);
    EXPECT_CONTAINS("bit by bit", result.reason);
    result = compare(same, other, &exact);
    EXPECT(!result.passed);
    result = compare(same, other, &rounding);
    EXPECT(!result.passed);
    EXPECT_CONTAINS("is allowed", result.reason);
    EXPECT(compare(same, other, &order).passed);
    EXPECT(!compare(same, idle, &order).passed);
    free_subject(same);
    free_subject(quick);
    free_subject(other);
    free_subject(idle);
}

static stk_tune_guard_result accuracies(const subject *a, const subject *b, double margin)
{
    const stk_accuracy_side    one = {&a->recipe, &a->data}, other = {&b->recipe, &b->data};
    const stk_accuracy_options how = {
        .margin = margin, .epochs = 1, .seeds = 4, .folder = stk_test_path("accuracy")};
    stk_tune_guard_result out;
    stk_error             err;
    EXPECT_OK(stk_accuracy_compare(&out, &one, &other, &how, &err));
    EXPECT(access(stk_test_path("accuracy"), F_OK) != 0);
    return out;
}

STK_TEST(accuracies_tell_what_learns_worse)
{
    static const char *const good[] = {"train.learning_rate", "0.05", NULL};
    static const char *const none[] = {"train.learning_rate", "1e-9", NULL};
    subject                 *well = make_subject("well", good);
    subject                 *badly = make_subject("well", none);
    stk_tune_guard_result    result = accuracies(well, well, 0.02);
    EXPECT(result.passed);
    EXPECT_CONTAINS("excluded", result.reason);
    result = accuracies(well, badly, 0.02);
    EXPECT(!result.passed);
    EXPECT_CONTAINS("shown", result.reason);
    well->data.validation_count = 0;
    result = accuracies(well, badly, 0.02);
    EXPECT(!result.passed);
    EXPECT_CONTAINS("no validation images", result.reason);
    free_subject(well);
    free_subject(badly);
}
