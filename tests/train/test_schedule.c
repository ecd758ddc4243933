/* Schedules, against torch 2.15; the numbers are what scripts/golden/print_schedules.py prints. */
#include "harness.h"
#include <math.h>
#include <string.h>

enum { STEPS_PER_EPOCH = 4, TOTAL = 24 };

#define ONE_CYCLE                                                                                  \
    .rise_fraction = 0.3, .start_divide = 25, .final_divide = 1e4, .momentum_low = 0.85,           \
    .momentum_high = 0.95

typedef struct row {
    const char          *name;
    stk_schedule_options options;
    double               rates[TOTAL];
} row;

static const row rows[] = {
    {"StepLR(2, 0.5), by epoch",
     {.kind = "step", .rate = 0.5, .gamma = 0.5, .milestones = {2}, .milestone_count = 1},
     {0.5,  0.5,  0.5,  0.5,  0.5,   0.5,   0.5,   0.5,   0.25,  0.25,  0.25,  0.25,
      0.25, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}},
    {"LinearLR(0.1, 1, 6) and StepLR(8, 0.5), chained",
     {.kind = "step",
      .rate = 0.5,
      .gamma = 0.5,
      .milestones = {2},
      .milestone_count = 1,
      .warmup_epochs = 1.5,
      .warmup_from = 0.1},
     {0.05, 0.125, 0.2,  0.275, 0.35,  0.425, 0.5,   0.5,   0.25,  0.25,  0.25,  0.25,
      0.25, 0.25,  0.25, 0.25,  0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}},
    {"MultiStepLR([1, 3, 4], 0.1), by epoch",
     {.kind = "multistep",
      .rate = 0.5,
      .gamma = 0.1,
      .milestones = {1, 3, 4},
      .milestone_count = 3},
     {0.5,   0.5,   0.5,   0.5,   0.05,   0.05,   0.05,   0.05,   0.05,   0.05,   0.05,   0.05,
      0.005, 0.005, 0.005, 0.005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005, 0.0005}},
    {"CosineAnnealingLR(24, 0.01)",
     {.kind = "cosine", .rate = 0.5, .final_rate = 0.01},
     {0.5,
      0.497903991037,
      0.491651827441,
      0.481350485465,
      0.467176223927,
      0.449371568371,
      0.428241161391,
      0.404146550107,
      0.3775,
      0.348757440929,
      0.31841066605,
      0.286978917094,
      0.255,
      0.223021082906,
      0.19158933395,
      0.161242559071,
      0.1325,
      0.105853449893,
      0.0817588386093,
      0.0606284316286,
      0.0428237760728,
      0.0286495145347,
      0.0183481725592,
      0.0120960089634}},
    {"LinearLR(0.1, 1, 8), then CosineAnnealingLR(16, 0.01)",
     {.kind = "cosine", .rate = 0.5, .final_rate = 0.01, .warmup_epochs = 2, .warmup_from = 0.1},
     {0.05,
      0.10625,
      0.1625,
      0.21875,
      0.275,
      0.33125,
      0.3875,
      0.44375,
      0.5,
      0.495292393699,
      0.481350485465,
      0.458710055014,
      0.428241161391,
      0.39111470709,
      0.348757440929,
      0.302797128894,
      0.255,
      0.207202871106,
      0.161242559071,
      0.11888529291,
      0.0817588386093,
      0.0512899449859,
      0.0286495145347,
      0.0147076063012}},
    {"PolynomialLR(24, 2)",
     {.kind = "poly", .rate = 0.5, .power = 2},
     {0.5,     0.459201388889,  0.420138888889,  0.3828125, 0.347222222222,   0.313368055556,
      0.28125, 0.250868055556,  0.222222222222,  0.1953125, 0.170138888889,   0.146701388889,
      0.125,   0.105034722222,  0.0868055555556, 0.0703125, 0.0555555555556,  0.0425347222222,
      0.03125, 0.0217013888889, 0.0138888888889, 0.0078125, 0.00347222222222, 0.000868055555556}},
    {"LinearLR(0.1, 1, 8), then PolynomialLR(16, 2)",
     {.kind = "poly", .rate = 0.5, .power = 2, .warmup_epochs = 2, .warmup_from = 0.1},
     {0.05,  0.10625,     0.1625,    0.21875,     0.275,   0.33125,     0.3875,    0.44375,
      0.5,   0.439453125, 0.3828125, 0.330078125, 0.28125, 0.236328125, 0.1953125, 0.158203125,
      0.125, 0.095703125, 0.0703125, 0.048828125, 0.03125, 0.017578125, 0.0078125, 0.001953125}},
    {"OneCycleLR(0.5, total_steps=24)",
     {.kind = "one-cycle", .rate = 0.5, ONE_CYCLE},
     {0.02,
      0.0501568121253,
      0.133048637522,
      0.247844199479,
      0.365694596374,
      0.45698322589,
      0.498768637614,
      0.497207717725,
      0.485970888694,
      0.466506484921,
      0.439493172815,
      0.405872826975,
      0.3668176898,
      0.323689498848,
      0.277992007061,
      0.231318551333,
      0.185296497543,
      0.141530499104,
      0.101546547427,
      0.0667387650944,
      0.0383207969171,
      0.0172834937127,
      0.00436036425815,
      2e-06}},
    {"numpy.interp(step, [0, int(0.23 * 24), 24], [0.2, 1, 0.07]) * 0.5",
     {.kind = "triangle",
      .rate = 0.5,
      .rise_fraction = 0.23,
      .start_factor = 0.2,
      .end_factor = 0.07},
     {0.1,
      0.18,
      0.26,
      0.34,
      0.42,
      0.5,
      0.475526315789,
      0.451052631579,
      0.426578947368,
      0.402105263158,
      0.377631578947,
      0.353157894737,
      0.328684210526,
      0.304210526316,
      0.279736842105,
      0.255263157895,
      0.230789473684,
      0.206315789474,
      0.181842105263,
      0.157368421053,
      0.132894736842,
      0.108421052632,
      0.0839473684211,
      0.0594736842105}},
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-10 * fmax(fabs(a), 1e-3);
}

static stk_schedule schedule_of(const stk_schedule_options *options)
{
    stk_schedule s;
    stk_error    err;
    EXPECT_OK(stk_schedule_init(&s, options, STEPS_PER_EPOCH, TOTAL, &err));
    return s;
}

STK_TEST(rates_are_those_of_torch)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        stk_schedule s = schedule_of(&rows[r].options);
        for (int i = 0; i < TOTAL; i++)
            if (!near(rows[r].rates[i], stk_schedule_rate(&s, i)))
                fail_msg("%s: the rate of step %d is %.12g but should be %.12g", rows[r].name, i,
                         stk_schedule_rate(&s, i), rows[r].rates[i]);
        EXPECT(stk_schedule_rate(&s, TOTAL + 5) == stk_schedule_rate(&s, TOTAL - 1));
        EXPECT(stk_schedule_rate(&s, -1) == stk_schedule_rate(&s, 0));
    }
}

STK_TEST(the_momentum_of_one_cycle_is_that_of_torch)
{
    const double momentum[TOTAL] = {0.95,           0.943717330807, 0.926448200516, 0.902532458442,
                                    0.877980292422, 0.85896182794,  0.85025653383,  0.850558458689,
                                    0.852805833485, 0.856698729811, 0.862101413843, 0.868825509907,
                                    0.876636568586, 0.885262241279, 0.894401776195, 0.903736504679,
                                    0.912940952255, 0.921694186956, 0.929691009279, 0.936652593591,
                                    0.942336209961, 0.946543687432, 0.949128323662, 0.95};
    stk_schedule s =
        schedule_of(&(stk_schedule_options){.kind = "one-cycle", .rate = 0.5, ONE_CYCLE});
    for (int i = 0; i < TOTAL; i++)
        EXPECT(near(momentum[i], stk_schedule_momentum(&s, i)));
    s.options.momentum_high = 0;
    s.options.momentum = 0.7;
    EXPECT(stk_schedule_momentum(&s, 5) == 0.7);
}

/* Peaks on and before the first step, and one step in all: every share of a cycle is a number. */
STK_TEST(short_cycles_have_rates_too)
{
    static const double rises[] = {0, 0.1, 0.5, 1};
    for (int64_t total = 1; total < 12; total++)
        for (size_t r = 0; r < COUNT_OF(rises); r++) {
            stk_schedule_options options = {.kind = "one-cycle", .rate = 0.5, ONE_CYCLE};
            stk_schedule         s;
            stk_error            err;
            options.rise_fraction = rises[r];
            EXPECT_OK(stk_schedule_init(&s, &options, 3, total, &err));
            for (int64_t i = 0; i < total; i++) {
                double rate = stk_schedule_rate(&s, i);
                EXPECT(rate > 0 && rate <= 0.5);
            }
        }
}

STK_TEST(constant_warms_up_and_stays)
{
    stk_schedule_options options = {.rate = 0.5, .warmup_epochs = 1, .warmup_from = 0.2};
    stk_schedule         s = schedule_of(&options);
    EXPECT(near(0.1, stk_schedule_rate(&s, 0)) && near(0.3, stk_schedule_rate(&s, 2)));
    EXPECT(stk_schedule_rate(&s, 4) == 0.5 && stk_schedule_rate(&s, 23) == 0.5);
}

/* ReduceLROnPlateau(factor=0.5, patience=1, cooldown=1, min_lr=0.1, threshold=0.01) */
static const stk_schedule_options plateau = {.kind = "plateau",
                                             .rate = 0.5,
                                             .gamma = 0.5,
                                             .final_rate = 0.1,
                                             .patience = 1,
                                             .cooldown = 1,
                                             .threshold = 0.01};
static const double               metrics[] = {1,    0.9,  0.895, 0.895, 0.9,  0.95, 0.95, 0.8,
                                               0.81, 0.82, 0.83,  0.84,  0.85, 0.86, NAN,  0.5};
static const double plateau_rates[] = {0.5,   0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125,
                                       0.125, 0.1, 0.1, 0.1,  0.1,  0.1,  0.1,   0.1};

STK_TEST(plateau_falls_when_torch_s_does)
{
    stk_schedule s = schedule_of(&plateau);
    for (size_t i = 0; i < COUNT_OF(metrics); i++) {
        stk_schedule_observe(&s, metrics[i]);
        EXPECT(near(plateau_rates[i], stk_schedule_rate(&s, (int64_t)i)));
    }
}

STK_TEST(plateau_can_want_larger_numbers)
{
    stk_schedule_options options = plateau;
    options.larger_is_better = true;
    stk_schedule s = schedule_of(&options);
    for (int i = 0; i < 5; i++)
        stk_schedule_observe(&s, 0.1 * i);
    EXPECT(stk_schedule_rate(&s, 0) == 0.5);
    for (int i = 0; i < 2; i++)
        stk_schedule_observe(&s, 0.1);
    EXPECT(stk_schedule_rate(&s, 0) == 0.25);
}

STK_TEST(plateau_goes_on_from_saved_bytes)
{
    for (size_t stop = 0; stop <= COUNT_OF(metrics); stop++) {
        stk_error    err;
        stk_blob     saved;
        stk_schedule s = schedule_of(&plateau), next = s;
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        for (size_t i = 0; i < stop; i++)
            stk_schedule_observe(&s, metrics[i]);
        EXPECT_OK(stk_schedule_save(&s, &saved, &err));
        EXPECT_OK(stk_schedule_restore(&next, stk_blob_bytes(&saved), &err));
        for (size_t i = stop; i < COUNT_OF(metrics); i++) {
            stk_schedule_observe(&next, metrics[i]);
            EXPECT(near(plateau_rates[i], stk_schedule_rate(&next, 0)));
        }
        for (size_t cut = 0; cut < saved.size; cut++)
            EXPECT_STATUS(STK_E_DATALOSS,
                          stk_schedule_restore(&next, stk_bytes_of(saved.data, cut), &err));
        saved.data[0] ^= 1;
        EXPECT_STATUS(STK_E_DATALOSS, stk_schedule_restore(&next, stk_blob_bytes(&saved), &err));
        stk_blob_release(&saved);
    }
}

STK_TEST(milestones_are_read_from_text)
{
    stk_error            err;
    stk_schedule_options options = {0};
    EXPECT_OK(stk_schedule_milestones(&options, "30,60.5,80", &err));
    EXPECT_INT_EQ(3, options.milestone_count);
    EXPECT(options.milestones[1] == 60.5);
    static const char *const wrong[] = {"30,,60", "30 60", "a",  "30,",   ",30",
                                        "60,30",  "0",     "-1", "30,30", "1e300"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT_STATUS(STK_E_INVALID, stk_schedule_milestones(&options, wrong[i], &err));
    EXPECT_INT_EQ(3, options.milestone_count);
    EXPECT_OK(stk_schedule_milestones(&options, "", &err));
    EXPECT_INT_EQ(0, options.milestone_count);
}

static void expect_text(const char *expected, stk_schedule_options options)
{
    char         text[256];
    stk_schedule s = schedule_of(&options);
    EXPECT_STR_EQ(expected, stk_schedule_text(&s, text, sizeof text));
}

STK_TEST(schedules_describe_themselves)
{
    expect_text("constant 0.5", (stk_schedule_options){.rate = 0.5});
    expect_text("step from 0.5, times 0.5 every 2 epochs, after 1.5 epochs of warm-up from 0.05",
                rows[1].options);
    expect_text("multistep from 0.5, times 0.1 at epoch 1, 3, 4", rows[2].options);
    expect_text("cosine from 0.5 to 0.01 over 4 epochs, after 2 epochs of warm-up from 0.05",
                rows[4].options);
    expect_text("poly from 0.5 to 0 over 6 epochs", rows[5].options);
    expect_text("one-cycle from 0.02 to 0.5 in 1.8 of 6 epochs, then to 2e-06; momentum 0.95 to "
                "0.85 and back",
                rows[7].options);
    expect_text("triangle from 0.1 to 0.5 in 1.38 of 6 epochs, then to 0.035", rows[8].options);
    expect_text("plateau from 0.5, times 0.5 after 2 evaluations that are no better", plateau);
}

static void expect_refused(stk_schedule_options options, int64_t total, const char *where,
                           const char *part)
{
    stk_schedule s;
    stk_error    err;
    EXPECT_STATUS(STK_E_INVALID, stk_schedule_init(&s, &options, STEPS_PER_EPOCH, total, &err));
    EXPECT_STR_EQ("schedule", err.component);
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(part, err.message);
}

STK_TEST(options_that_make_no_sense_are_refused)
{
    stk_schedule_options options;
    stk_error            err;
    expect_refused((stk_schedule_options){.kind = "cosin"}, TOTAL, "cosin", "did you mean cosine?");
    expect_refused((stk_schedule_options){.kind = "step"}, TOTAL, "milestones", "step needs them");
    expect_refused((stk_schedule_options){.rate = NAN}, TOTAL, "rate", "it is nan");
    expect_refused((stk_schedule_options){.gamma = 2}, TOTAL, "gamma", "from 0 to 1");
    expect_refused((stk_schedule_options){.kind = "one-cycle", ONE_CYCLE, .warmup_epochs = 2},
                   TOTAL, "warmup_epochs", "one-cycle warms up itself");
    expect_refused((stk_schedule_options){.kind = "triangle", .warmup_epochs = 2}, TOTAL,
                   "warmup_epochs", "triangle warms up itself");
    expect_refused((stk_schedule_options){.kind = "triangle", .end_factor = 2}, TOTAL, "end_factor",
                   "from 0 to 1");
    expect_refused((stk_schedule_options){.kind = "cosine", .warmup_epochs = 6}, TOTAL,
                   "warmup_epochs", "are 24 steps, but training has 24");
    expect_refused((stk_schedule_options){.kind = "poly"}, 0, "poly", "0 steps in all");
    EXPECT_STATUS(STK_E_INVALID, stk_schedule_defaults(&options, "onecycle", &err));
    EXPECT_CONTAINS("did you mean one-cycle?", err.message);
}

STK_TEST(defaults_of_every_kind_but_multistep_are_complete)
{
    for (size_t i = 0; stk_schedule_kind_at(i); i++) {
        stk_schedule         s;
        stk_schedule_options options;
        stk_error            err;
        EXPECT_OK(stk_schedule_defaults(&options, stk_schedule_kind_at(i)->name, &err));
        bool lacks = strcmp(options.kind, "multistep") == 0;
        EXPECT_STATUS(lacks ? STK_E_INVALID : STK_OK, stk_schedule_init(&s, &options, 7, 70, &err));
    }
}
