/* The pieces of a step add up to the step, whatever they are. */
#include "base/clock.h"
#include "harness.h"

#include <stoker/meter.h>
#include <time.h>

static void spend(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static uint64_t sum(const stk_step_record *step)
{
    uint64_t all = 0;
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        all += step->exposed_ns[i];
    return all;
}

static void make_step(stk_meter *meter, int64_t number)
{
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    spend(2);
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    stk_meter_enter(meter, STK_STAGE_DEVICE_TO_HOST);
    stk_meter_end_step(meter, number, 8);
}

STK_TEST(pieces_add_up_to_the_step)
{
    stk_error        err;
    stk_meter       *meter;
    stk_step_record  steps[4];
    stk_meter_totals totals;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    spend(3); /* before the first step: of none */
    make_step(meter, 0);
    make_step(meter, 1);
    EXPECT_INT_EQ(2, stk_meter_steps(meter, steps, 4));
    for (int i = 0; i < 2; i++) {
        EXPECT_INT_EQ(i, steps[i].step);
        EXPECT_INT_EQ(steps[i].ns, sum(&steps[i]));
        EXPECT(steps[i].exposed_ns[STK_STAGE_PREPROCESS] >= 2000000);
    }
    EXPECT_INT_EQ(steps[0].begin_ns + steps[0].ns, steps[1].begin_ns);
    EXPECT(steps[0].begin_ns >= 3000000);
    stk_meter_read(meter, &totals);
    EXPECT_INT_EQ(2, totals.steps);
    EXPECT_INT_EQ(16, totals.samples);
    EXPECT_INT_EQ(steps[0].ns + steps[1].ns, totals.ns);
    stk_meter_free(meter);
}

STK_TEST(exposed_time_can_be_moved_but_not_made)
{
    stk_error       err;
    stk_meter      *meter;
    stk_step_record step;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    spend(2);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_move(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ, 1000000);
    stk_meter_end_step(meter, 0, 1);
    EXPECT_INT_EQ(1, stk_meter_steps(meter, &step, 1));
    EXPECT_INT_EQ(1000000, step.exposed_ns[STK_STAGE_READ]);
    EXPECT_INT_EQ(step.ns, sum(&step));
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_meter_move(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ, UINT64_MAX);
    stk_meter_end_step(meter, 1, 1);
    EXPECT_INT_EQ(1, stk_meter_steps(meter, &step, 1));
    EXPECT_INT_EQ(step.ns, sum(&step));
    stk_meter_free(meter);
}

STK_TEST(what_a_device_beside_covers_is_its_own_and_what_it_waits_for_is_not)
{
    stk_error       err;
    stk_meter      *meter;
    stk_step_record step;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    spend(8);
    stk_meter_enter(meter, STK_STAGE_OUTPUT);
    spend(2);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_attribute(meter, STK_STAGE_COMPUTE, 5000000, STK_STAGE_HOST_TO_DEVICE);
    stk_meter_end_step(meter, 0, 1);
    EXPECT_INT_EQ(1, stk_meter_steps(meter, &step, 1));
    EXPECT_INT_EQ(5000000, step.exposed_ns[STK_STAGE_COMPUTE]);
    EXPECT_INT_EQ(0, step.exposed_ns[STK_STAGE_OUTPUT]); /* it comes first after the launch */
    EXPECT(step.exposed_ns[STK_STAGE_PREPROCESS] >= 5000000);
    EXPECT_INT_EQ(step.ns, sum(&step));
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    spend(5);
    stk_meter_enter(meter, STK_STAGE_NONE);
    stk_meter_attribute(meter, STK_STAGE_COMPUTE, 1000000, STK_STAGE_HOST_TO_DEVICE);
    stk_meter_end_step(meter, 1, 1);
    EXPECT_INT_EQ(1, stk_meter_steps(meter, &step, 1));
    EXPECT_INT_EQ(1000000, step.exposed_ns[STK_STAGE_COMPUTE]);
    EXPECT(step.exposed_ns[STK_STAGE_HOST_TO_DEVICE] >= 4000000);
    stk_meter_free(meter);
}

STK_TEST(evaluation_belongs_to_no_step)
{
    stk_error        err;
    stk_meter       *meter;
    stk_step_record  step;
    stk_meter_totals totals;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    uint64_t begin = stk_clock_ns();
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    stk_meter_leave(meter);
    spend(5);
    stk_meter_enter(meter, STK_STAGE_OUTPUT);
    stk_meter_end_step(meter, 0, 1);
    EXPECT_INT_EQ(1, stk_meter_steps(meter, &step, 1));
    stk_meter_read(meter, &totals);
    EXPECT(totals.evaluation_ns >= 5000000);
    EXPECT(step.ns + totals.evaluation_ns <= stk_clock_ns() - begin);
    stk_meter_free(meter);
}

STK_TEST(evaluation_is_told_by_its_stages)
{
    stk_error        err;
    stk_meter       *meter;
    stk_meter_totals totals;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    stk_meter_aside(meter, STK_STAGE_COMPUTE); /* before the first step: of none */
    make_step(meter, 0);
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    stk_meter_aside(meter, STK_STAGE_WRITE); /* not left: nothing */
    stk_meter_leave(meter);
    stk_meter_aside(meter, STK_STAGE_PREPROCESS);
    spend(4);
    stk_meter_aside(meter, STK_STAGE_COMPUTE);
    spend(2);
    stk_meter_aside(meter, STK_STAGE_NONE);
    stk_meter_move_aside(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ, 1000000);
    stk_meter_move_aside(meter, STK_STAGE_ALLREDUCE, STK_STAGE_READ, 1000000); /* there is none */
    stk_meter_enter(meter, STK_STAGE_OUTPUT);
    stk_meter_end_step(meter, 1, 8);
    make_step(meter, 2);
    stk_meter_read(meter, &totals);
    uint64_t all = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        all += totals.evaluation_stages_ns[s];
    EXPECT_INT_EQ(1, totals.evaluations);
    EXPECT_INT_EQ(totals.evaluation_ns, all);
    EXPECT_INT_EQ(1000000, totals.evaluation_stages_ns[STK_STAGE_READ]);
    EXPECT(totals.evaluation_stages_ns[STK_STAGE_PREPROCESS] >= 3000000);
    EXPECT(totals.evaluation_stages_ns[STK_STAGE_COMPUTE] >= 2000000);
    EXPECT_INT_EQ(0, totals.evaluation_stages_ns[STK_STAGE_WRITE]);
    stk_meter_free(meter);
}

STK_TEST(a_long_run_fits_into_few_windows)
{
    enum { STEPS = 1000, KEPT = 16 };
    stk_error        err;
    stk_meter       *meter;
    stk_meter_window windows[KEPT];
    stk_meter_totals totals;
    uint64_t         steps = 0, ns = 0;
    EXPECT_OK(
        stk_meter_new(&meter, &(stk_meter_options){.steps_kept = 8, .windows_kept = KEPT}, &err));
    for (int i = 0; i < STEPS; i++) {
        stk_meter_enter(meter, STK_STAGE_COMPUTE);
        stk_meter_end_step(meter, i, 1);
    }
    size_t count = stk_meter_windows(meter, windows, KEPT);
    EXPECT(count > 4 && count <= KEPT);
    for (size_t i = 0; i < count; i++) {
        steps += windows[i].steps;
        ns += windows[i].ns;
    }
    stk_meter_read(meter, &totals);
    EXPECT_INT_EQ(STEPS, steps);
    EXPECT_INT_EQ(totals.ns, ns);
    stk_meter_free(meter);
}

STK_TEST(switched_off_it_counts_nothing)
{
    stk_error        err;
    stk_meter       *meter;
    stk_meter_totals totals;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    stk_meter_switch(meter, false);
    make_step(meter, 0);
    stk_meter_switch(meter, true);
    make_step(meter, 1);
    stk_meter_read(meter, &totals);
    EXPECT_INT_EQ(1, totals.steps);
    stk_meter_free(meter);
    stk_meter_enter(NULL, STK_STAGE_COMPUTE);
    stk_meter_end_step(NULL, 0, 1);
}

STK_TEST(the_measured_part_begins_after_warm_up)
{
    stk_error        err;
    stk_meter       *meter;
    stk_meter_totals all, measured;
    EXPECT_OK(stk_meter_new(&meter, NULL, &err));
    make_step(meter, 0);
    stk_meter_read_measured(meter, &measured);
    EXPECT_INT_EQ(1, measured.steps);
    stk_meter_begin_measuring(meter);
    stk_meter_read_measured(meter, &measured);
    EXPECT_INT_EQ(1, measured.steps);
    stk_meter_add(meter, STK_STAGE_READ, 5, 6, 7);
    make_step(meter, 1);
    make_step(meter, 2);
    stk_meter_read(meter, &all);
    stk_meter_read_measured(meter, &measured);
    EXPECT_INT_EQ(3, all.steps);
    EXPECT_INT_EQ(2, measured.steps);
    EXPECT(measured.ns > 0 && measured.ns < all.ns && measured.first_step_ns == all.first_step_ns);
    EXPECT(measured.stages[STK_STAGE_READ].work_ns >= 5);
    EXPECT(stk_meter_is_on(meter) && !stk_meter_is_on(NULL));
    stk_meter_free(meter);
    stk_meter_begin_measuring(NULL);
}
