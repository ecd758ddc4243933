/* Scores of an evaluation, beside those of scikit-learn. */
#include "../harness.h"
#include "train/tasks/eval_scores.h"

#include <math.h>

enum { IMAGES = 12, CLASSES = 5 }; /* 3 is predicted and has no images, 4 is neither */

static const int64_t truth[IMAGES] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2};
static const int64_t guess[IMAGES] = {0, 0, 1, 3, 1, 1, 0, 1, 2, 2, 3, 2};
static const double  sure[IMAGES] = {0.95, 0.61, 0.55, 0.41, 0.3,  0.72,
                                     0.88, 0.99, 0.5,  0.85, 0.35, 1.0};

static stk_status score(stk_evaluation *e, int bins, stk_error *err)
{
    stk_status st = stk_eval_scores_init(e, CLASSES, bins, err);
    for (int i = 0; !st && i < IMAGES; i++)
        stk_eval_scores_add(e, truth[i], guess[i], sure[i]);
    if (!st) stk_eval_scores_finish(e);
    return st;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-14;
}

/* precision_recall_fscore_support(truth, guess, labels=range(5), zero_division=0),
 * balanced_accuracy_score, and means with labels=[0, 1, 2], of scikit-learn 1.9.1. */
STK_TEST(scores_are_those_of_scikit_learn)
{
    static const double precision[CLASSES] = {0.6666666666666666, 0.5, 1, 0, 0};
    static const double recall[CLASSES] = {0.5, 0.6666666666666666, 0.6, 0, 0};
    static const double f1[CLASSES] = {0.5714285714285714, 0.5714285714285714, 0.75, 0, 0};
    stk_evaluation      e;
    stk_error           err;
    EXPECT_OK(score(&e, 0, &err));
    for (int i = 0; i < CLASSES; i++) {
        EXPECT(is_near(precision[i], e.scores[i].precision));
        EXPECT(is_near(recall[i], e.scores[i].recall));
        EXPECT(is_near(f1[i], e.scores[i].f1));
    }
    EXPECT_INT_EQ(IMAGES, e.count);
    EXPECT_INT_EQ(3, e.present);
    EXPECT(is_near(7.0 / 12, e.accuracy));
    EXPECT(is_near(0.5888888888888889, e.balanced_accuracy));
    EXPECT(is_near(0.7222222222222222, e.macro_precision));
    EXPECT(is_near(0.6309523809523809, e.macro_f1));
    EXPECT_INT_EQ(2, e.scores[3].predicted);
    EXPECT_INT_EQ(0, e.scores[3].images);
    stk_evaluation_release(&e);
}

STK_TEST(the_matrix_has_truth_in_rows)
{
    static const int64_t matrix[CLASSES * CLASSES] = {2, 1, 0, 1, 0, 1, 2, 0, 0, 0, 0, 1, 3,
                                                      1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    stk_evaluation       e;
    stk_error            err;
    EXPECT_OK(score(&e, 0, &err));
    EXPECT_MEM_EQ(matrix, e.confusion, sizeof matrix);
    stk_evaluation_release(&e);
}

/* NumPy: bins (from, to] of np.linspace(0, 1, n + 1), the means of each, weighted by images. */
STK_TEST(calibration_is_the_expected_error_of_bins)
{
    stk_evaluation e;
    stk_error      err;
    EXPECT_OK(score(&e, 0, &err));
    EXPECT_INT_EQ(10, e.bin_count);
    EXPECT(is_near(0.3358333333333333, e.expected_error));
    EXPECT(is_near(0.7, e.largest_error));
    EXPECT_INT_EQ(1, e.bins[2].images); /* 0.3 is the upper edge of its bin */
    EXPECT_INT_EQ(2, e.bins[4].images); /* so is 0.5 */
    EXPECT_INT_EQ(3, e.bins[9].images);
    EXPECT(is_near((0.95 + 0.99 + 1) / 3, e.bins[9].confidence));
    EXPECT(is_near(2.0 / 3, e.bins[9].accuracy));
    stk_evaluation_release(&e);
    EXPECT_OK(score(&e, 4, &err));
    EXPECT(is_near(0.1858333333333333, e.expected_error));
    EXPECT(is_near(0.33399999999999996, e.largest_error));
    EXPECT(is_near(8.11 / 12, e.confidence));
    stk_evaluation_release(&e);
}

STK_TEST(nothing_gives_zeros_and_many_classes_no_matrix)
{
    stk_evaluation e;
    stk_error      err;
    EXPECT_OK(stk_eval_scores_init(&e, 1001, 0, &err));
    EXPECT(!e.confusion);
    stk_eval_scores_finish(&e);
    EXPECT(e.accuracy == 0 && e.macro_f1 == 0 && e.expected_error == 0 && e.present == 0);
    stk_evaluation_release(&e);
    EXPECT_STATUS(STK_E_INVALID, stk_eval_scores_init(&e, 3, 1001, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_eval_scores_init(&e, 0, 0, &err));
    stk_evaluation_release(&e);
}

static stk_status score_once(void *context, stk_error *err)
{
    stk_evaluation   e;
    const stk_status st = score(&e, 0, err);
    (void)context;
    stk_evaluation_release(&e);
    return st;
}

STK_TEST(scores_survive_failing_allocations)
{
    stk_test_fail_each_allocation(score_once, NULL);
}
