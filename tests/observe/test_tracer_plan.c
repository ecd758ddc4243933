/* --trace SPEC: what is right is understood, what is wrong is named. */
#include "harness.h"

#include <string.h>

static stk_tracer_plan plan_of(const char *text)
{
    stk_error       err;
    stk_tracer_plan plan;
    EXPECT_OK(stk_tracer_parse(&plan, text, &err));
    return plan;
}

STK_TEST(without_a_word_all_steps_are_recorded_with_operations)
{
    const char *const texts[] = {"", "on"};
    for (int i = 0; i < 2; i++) {
        stk_tracer_plan plan = plan_of(texts[i]);
        EXPECT_INT_EQ(STK_TRACE_OPS, plan.level);
        EXPECT_INT_EQ(-1, plan.first_step);
        EXPECT(plan.whole && !plan.slow_times && !plan.on_checkpoint && !*plan.path);
    }
}

STK_TEST(parts_come_in_any_order)
{
    stk_tracer_plan plan = plan_of("level=1,out/t.json,steps=20-24,on-slow-step=2.5x,cuda-names");
    EXPECT_INT_EQ(STK_TRACE_STAGES, plan.level);
    EXPECT_INT_EQ(20, plan.first_step);
    EXPECT_INT_EQ(24, plan.last_step);
    EXPECT(plan.slow_times == 2.5 && plan.cuda_names && plan.whole);
    EXPECT_STR_EQ("out/t.json", plan.path);
    plan = plan_of("steps=7");
    EXPECT_INT_EQ(7, plan.first_step);
    EXPECT_INT_EQ(7, plan.last_step);
}

STK_TEST(a_flight_recorder_writes_no_whole_file_unless_it_is_named)
{
    EXPECT(!plan_of("on-slow-step").whole);
    EXPECT(plan_of("on-slow-step").slow_times == 3);
    EXPECT(!plan_of("on-checkpoint").whole);
    EXPECT(plan_of("on-checkpoint,all.json.gz").whole);
    EXPECT(plan_of("on-slow-step=4,steps=1-2").whole);
}

STK_TEST(what_is_wrong_is_named_with_what_there_is)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {{"steps=24-20", "write steps=20-24"},
                 {"steps=", "no range"},
                 {"steps=-3", "no range"},
                 {"steps=1-2x", "no range"},
                 {"steps=99999999999999999999", "no range"},
                 {"level=4", "1 (stages), 2 (operations)"},
                 {"level=", "1 (stages)"},
                 {"on-slow-step=1", "at least 1.1"},
                 {"on-slow-step=fast", "on-slow-step=3x"},
                 {"on-checkpoint=3", "takes no value"},
                 {"on-slow-stp", "did you mean on-slow-step"},
                 {"trace.txt", ".json or .json.gz"},
                 {"a.json,b.json", "second file beside a.json"},
                 {"steps=1,,level=1", "is no part"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        stk_error       err;
        stk_tracer_plan plan;
        char            line[768];
        EXPECT_STATUS(STK_E_INVALID, stk_tracer_parse(&plan, wrong[i].text, &err));
        EXPECT_CONTAINS(wrong[i].message, stk_error_line(&err, line, sizeof line));
    }
}

STK_TEST(help_has_every_part)
{
    const char *part, *meaning;
    size_t      count = 0;
    for (; (part = stk_tracer_help_at(count, &meaning)); count++)
        EXPECT(*part && *meaning);
    EXPECT_INT_EQ(8, count);
}
