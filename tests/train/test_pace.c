/* What is left of a run is foreseen steadily. */
#include "harness.h"
#include "train/loop/pace.h"
#include <math.h>

STK_TEST(what_is_left_follows_the_last_while_and_not_the_last_report)
{
    stk_pace pace = {0};
    EXPECT(stk_pace_left(&pace, 100, 2, 3) == 0);
    for (int i = 0; i < 100; i++)
        stk_pace_add(&pace, 1, 10);
    EXPECT(fabs(stk_pace_left(&pace, 100, 0, 0) - 10) < 1e-9);
    stk_pace_add(&pace, 1, 1); /* a slow report, once: ten times */
    const double after_one = stk_pace_left(&pace, 100, 0, 0);
    EXPECT(after_one > 10 && after_one < 11);
    for (int i = 0; i < 120; i++)
        stk_pace_add(&pace, 1, 1); /* for two minutes */
    EXPECT(stk_pace_left(&pace, 100, 0, 0) > 95);
}

STK_TEST(evaluations_that_are_to_come_count)
{
    stk_pace pace = {0};
    stk_pace_add(&pace, 1, 10);
    EXPECT(fabs(stk_pace_left(&pace, 0, 2, 30) - 6) < 1e-9); /* worth 30 steps as long as unknown */
    stk_pace_add_evaluation(&pace, 4);
    stk_pace_add_evaluation(&pace, 6);
    EXPECT(fabs(stk_pace_left(&pace, 10, 2, 30) - 11) < 1e-9);
}
