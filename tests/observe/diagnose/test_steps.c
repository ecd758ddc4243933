/* Which steps a verdict is of: those that the totals are of, so that all numbers agree. */
#include "harness.h"
#include "observe/diagnose/comparable_steps.h"
#include <stdlib.h>
#include <stoker/diagnosis.h>
#include <string.h>

enum { STEPS = 40, COLD = 8, SAMPLES = 16 };

/* A run of 40 steps, resumed at step 500, whose first 8 took ten times as long. */
static void short_run(stk_profile *p, double measured)
{
    stk_profile_init(p);
    p->step_list = calloc(STEPS, sizeof *p->step_list);
    p->step_count = STEPS;
    for (int i = 0; i < STEPS; i++) {
        stk_step_record *step = &p->step_list[i];
        step->step = 500 + i;
        step->samples = SAMPLES;
        step->ns = i < COLD ? 100000000 : 10000000;
        step->exposed_ns[STK_STAGE_COMPUTE] = step->ns;
    }
    p->step_list[0].marks = STK_STEP_FIRST;
    p->steps = measured;
    p->samples = measured * SAMPLES;
    p->measured_ns = measured * 1e7;
    p->stages[STK_STAGE_COMPUTE].exposed_ns = p->stages[STK_STAGE_COMPUTE].busy_ns = p->measured_ns;
}

STK_TEST(the_verdict_is_of_the_steps_that_were_measured)
{
    stk_profile            p;
    stk_diagnosis         *d = malloc(sizeof *d);
    stk_error              err;
    const stk_step_record *like[STEPS];
    short_run(&p, STEPS - COLD);
    EXPECT_INT_EQ(STEPS - COLD, stk_comparable_steps(&p, like, STEPS));
    EXPECT_INT_EQ(500 + COLD, like[0]->step);
    EXPECT_OK(stk_diagnose(d, &p, &err));
    const double rate = p.samples / p.measured_ns * 1e9;
    EXPECT(d->samples_per_s.value > 0.999 * rate && d->samples_per_s.value < 1.001 * rate);
    for (size_t i = 0; i < d->warning_count; i++)
        EXPECT(!strstr(d->warnings[i], "that were measured"));
    stk_profile_release(&p);
    free(d);
}

STK_TEST(a_verdict_of_fewer_steps_than_were_measured_says_so)
{
    stk_profile    p;
    stk_diagnosis *d = malloc(sizeof *d);
    stk_error      err;
    bool           said = false;
    short_run(&p, STEPS - COLD);
    p.step_list[25].marks = STK_STEP_FIRST; /* another phase, shorter than the one before */
    EXPECT_OK(stk_diagnose(d, &p, &err));
    for (size_t i = 0; i < d->warning_count; i++)
        said |= strstr(d->warnings[i], "is of 17 steps like each other, of 32 that were") != NULL;
    EXPECT(said);
    stk_profile_release(&p);
    free(d);
}

STK_TEST(without_a_measured_part_the_first_fifth_is_cold)
{
    stk_profile            p;
    const stk_step_record *like[STEPS];
    short_run(&p, STEPS);
    for (int i = 0; i < STEPS; i++)
        p.step_list[i].step = i;
    EXPECT_INT_EQ(STEPS - 7, stk_comparable_steps(&p, like, STEPS)); /* of the 39 after the first */
    stk_profile_release(&p);
}
