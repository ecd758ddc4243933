/* What is advised: true of the data and the machine, in the words of whose program it is, and in a
 * form that a program can carry out. */
#include "harness.h"
#include "simulator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/timeline.h>
#include <stoker/train.h>
#include <string.h>

static stk_diagnosis diagnose(const stk_profile *p)
{
    stk_error     err;
    stk_diagnosis d;
    EXPECT_OK(stk_diagnose(&d, p, &err));
    return d;
}

static stk_profile recording(stk_stage stage, double mean_ns)
{
    simulation  s = simulation_usual();
    stk_profile p;
    s.mean_ns[stage] = mean_ns;
    stk_profile_init(&p);
    simulate(&s, &p);
    strcpy(p.run.source, "stoker");
    strcpy(p.run.data, "photos/");
    strcpy(p.run.model, "lenet");
    return p;
}

static const stk_fix *fix_named(const stk_diagnosis *d, const char *name)
{
    for (size_t i = 0; i < d->fix_count; i++)
        if (strcmp(d->fixes[i].name, name) == 0) return &d->fixes[i];
    return NULL;
}

static void add_layer(stk_profile *p, const char *name, double flops, uint64_t ns)
{
    p->ops = realloc(p->ops, (p->op_count + 1) * sizeof *p->ops);
    stk_profile_op *op = &p->ops[p->op_count++];
    *op = (stk_profile_op){.operation = "conv2d", .flops = flops, .bytes = 1e3, .runs = 10};
    snprintf(op->name, sizeof op->name, "%s", name);
    op->ns = ns;
}

STK_TEST(an_odd_layer_is_named_in_whatever_place_it_comes)
{
    stk_profile p = recording(STK_STAGE_COMPUTE, 4e6);
    p.limits.flops = p.limits.memory_bytes = 1e11;
    add_layer(&p, "stem", 2e8, 40000000);
    add_layer(&p, "odd", 1e7, 30000000); /* the second, and far from its share of work */
    add_layer(&p, "third", 1e8, 15000000);
    add_layer(&p, "strange", 1e6, 25000000);
    const stk_diagnosis d = diagnose(&p);
    size_t              replaced = 0;
    EXPECT_INT_EQ(STK_CAUSE_OPERATION, d.limit.cause);
    for (size_t i = 0; i < d.fix_count; i++)
        if (strstr(d.fixes[i].title, "replace operation")) {
            EXPECT(strstr(d.fixes[i].title, "odd") || strstr(d.fixes[i].title, "strange"));
            replaced++;
        }
    EXPECT_INT_EQ(2, replaced);
    stk_profile_release(&p);
}

static stk_profile slow_reads(const char *kind, double mb_an_epoch)
{
    stk_profile p = recording(STK_STAGE_READ, 9e6);
    strcpy(p.run.kind, kind);
    p.run.data_count = 1000;
    p.stages[STK_STAGE_READ].bytes = mb_an_epoch * 1e3 * p.samples;
    p.machine.memory = 8000000000u;
    return p;
}

STK_TEST(a_packed_set_is_never_to_be_packed)
{
    stk_profile   p = slow_reads("pack", 100);
    stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_STAGE_READ, d.limit.stage);
    EXPECT(!fix_named(&d, "pack") && !fix_named(&d, "resize"));
    strcpy(p.run.kind, "folder");
    d = diagnose(&p);
    EXPECT_STR_EQ("stoker pack photos/ photos-packed", fix_named(&d, "pack")->command);
    EXPECT_STR_EQ("photos-packed", fix_named(&d, "pack")->data);
    stk_profile_release(&p);
}

/* A profile may be anybody's. */
STK_TEST(commands_are_quoted_for_the_shell)
{
    stk_profile p = slow_reads("folder", 100);
    strcpy(p.run.data, "-my photos; it's $(id)/");
    stk_diagnosis d = diagnose(&p);
    EXPECT_STR_EQ(
        "stoker pack ./'-my photos; it'\\''s $(id)/' ./'-my photos; it'\\''s $(id)-packed'",
        fix_named(&d, "pack")->command);
    EXPECT_STR_EQ("-my photos; it's $(id)-packed", fix_named(&d, "pack")->data);
    EXPECT_STR_EQ("stoker train ./'-my photos; it'\\''s $(id)/' --set data.cache=memory",
                  fix_named(&d, "cache")->command);
    memset(p.run.data, '\'', 60); /* quotes make it too long */
    p.run.data[60] = 0;
    d = diagnose(&p);
    EXPECT_STR_EQ("stoker pack DATA DATA-packed", fix_named(&d, "pack")->command);
    EXPECT_STR_EQ("stoker train DATA --set data.cache=memory", fix_named(&d, "cache")->command);
    stk_profile_release(&p);
}

STK_TEST(a_cache_is_told_where_there_is_none_and_the_data_fits)
{
    stk_profile   p = slow_reads("pack", 100);
    stk_diagnosis d = diagnose(&p);
    EXPECT_STR_EQ("data.cache=memory", fix_named(&d, "cache")->set[0]);
    EXPECT(fix_named(&d, "cache")->gain > 0.5 && !fix_named(&d, "cache")->at_most);
    strcpy(p.run.cache, "memory");
    d = diagnose(&p);
    EXPECT(!fix_named(&d, "cache")); /* it is on */
    strcpy(p.run.cache, "none");
    p.inputs[p.input_count].stage = STK_STAGE_READ;
    strcpy(p.inputs[p.input_count++].name, "cache");
    d = diagnose(&p);
    EXPECT(!fix_named(&d, "cache")); /* it is there */
    stk_profile_release(&p);
    p = slow_reads("pack", 3000);
    d = diagnose(&p);
    EXPECT(!fix_named(&d, "cache")); /* a cache may take one of eight gigabytes */
    stk_profile_release(&p);
}

STK_TEST(images_are_made_smaller_only_where_they_are_stored_larger)
{
    stk_profile p = recording(STK_STAGE_PREPROCESS, 30e6);
    p.run.size = 28;
    p.run.stored_width = p.run.stored_height = 28;
    stk_diagnosis d = diagnose(&p);
    EXPECT(!fix_named(&d, "resize"));
    p.run.size = 128;
    p.run.stored_width = 500;
    p.run.stored_height = 375;
    d = diagnose(&p);
    EXPECT_STR_EQ("stoker pack photos/ photos-146 --resize 146", fix_named(&d, "resize")->command);
    stk_profile_release(&p);
}

STK_TEST(threads_are_told_only_where_cores_are_known)
{
    stk_profile   p = recording(STK_STAGE_PREPROCESS, 30e6);
    stk_diagnosis d = diagnose(&p);
    EXPECT_CONTAINS("knobs.input_threads=", fix_named(&d, "threads")->set[1]);
    p.machine.cores = 0;
    *p.run.data = 0;
    d = diagnose(&p);
    EXPECT(!fix_named(&d, "threads"));
    for (size_t i = 0; i < d.fix_count; i++) {
        EXPECT(!strstr(d.fixes[i].why, "0 cores"));
        EXPECT(!strstr(d.fixes[i].command, "  ")); /* no hole where the data was not told */
    }
    stk_profile_release(&p);
}

STK_TEST(a_verdict_does_not_praise_what_a_fix_makes_much_faster)
{
    stk_profile p = recording(STK_STAGE_COMPUTE, 4e6);
    p.batches = calloc(2, sizeof *p.batches);
    p.batch_count = 2;
    p.batches[0] = (stk_profile_batch){.batch = 64, .samples_per_s = 1e3};
    p.batches[1] = (stk_profile_batch){.batch = 256, .samples_per_s = 4e3};
    const stk_diagnosis d = diagnose(&p);
    EXPECT(!strstr(d.verdict, "as it should"));
    EXPECT_CONTAINS("a fix gives 3.", d.verdict);
    EXPECT_CONTAINS("batch of 256", d.verdict);
    stk_profile_release(&p);
}

STK_TEST(gains_and_rates_are_told_in_words_of_their_size)
{
    static const struct {
        double      gain;
        const char *text;
    } gains[] = {{0.43, "+43 %"}, {-0.1, "-10 %"}, {1.6, "2.6x"}, {10.5, "12x"}, {147.92, "149x"}};
    static const struct {
        double      rate;
        const char *text;
    } rates[] = {{2143.4, "2143"}, {51.22, "51.2"}, {3.069, "3.07"}};
    char text[32];
    for (size_t i = 0; i < COUNT_OF(gains); i++)
        EXPECT_STR_EQ(gains[i].text, stk_gain_text(text, sizeof text, gains[i].gain));
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        EXPECT_STR_EQ(rates[i].text, stk_rate_text(text, sizeof text, rates[i].rate));
}

/* Every stage, slow; what the recipe is told to have is what a recipe can have. */
STK_TEST(every_fix_of_ours_can_be_set)
{
    static const stk_stage stages[] = {STK_STAGE_PREPROCESS, STK_STAGE_HOST_TO_DEVICE,
                                       STK_STAGE_ALLREDUCE,  STK_STAGE_DEVICE_TO_HOST,
                                       STK_STAGE_OUTPUT,     STK_STAGE_WRITE};
    for (size_t s = 0; s < COUNT_OF(stages); s++) {
        stk_profile p = recording(stages[s], 20e6);
        p.run.size = 64;
        const stk_diagnosis d = diagnose(&p);
        EXPECT(d.fix_count > 0);
        for (size_t i = 0; i < d.fix_count; i++)
            for (size_t k = 0; k < d.fixes[i].set_count; k++) {
                stk_train_recipe recipe;
                stk_error        err;
                char             key[STK_FIX_SET];
                snprintf(key, sizeof key, "%s", d.fixes[i].set[k]);
                char *value = strchr(key, '=');
                *value++ = 0;
                stk_train_recipe_init(&recipe);
                EXPECT_OK(stk_train_recipe_set(&recipe, key, value, "test", &err));
            }
        stk_profile_release(&p);
    }
}

/* A report in every tenth step that costs: the key helps. The same in every step: it does not. */
STK_TEST(a_key_is_told_only_where_it_reaches_what_costs)
{
    stk_profile p = recording(STK_STAGE_DEVICE_TO_HOST, 5e6);
    for (size_t i = 0; i < p.step_count; i++)
        if (i % 10 == 0) p.step_list[i].marks |= STK_STEP_REPORT;
    stk_diagnosis d = diagnose(&p);
    EXPECT(!fix_named(&d, "log_every"));
    EXPECT_INT_EQ(0, fix_named(&d, "fetch_less")->set_count); /* by hand */
    for (size_t i = 0; i < p.step_count; i++)
        p.step_list[i].exposed_ns[STK_STAGE_DEVICE_TO_HOST] *= i % 10 ? 0 : 10;
    d = diagnose(&p);
    EXPECT_STR_EQ("output.log_every=100", fix_named(&d, "log_every")->set[0]);
    stk_profile_release(&p);
}

static stk_profile trace_of(const char *name)
{
    stk_timeline *t;
    stk_profile   p;
    stk_error     err;
    char          path[512];
    snprintf(path, sizeof path, STK_TEST_DATA "/trace/%s.json.gz", name);
    EXPECT_OK(stk_timeline_read(&t, path, NULL, &err));
    EXPECT_OK(stk_timeline_profile(t, &p, NULL, &err));
    stk_timeline_free(t);
    return p;
}

STK_TEST(a_pytorch_program_is_told_in_pytorchs_words)
{
    static const struct {
        const char *trace, *fix, *set, *code, *says;
    } cases[] = {
        {"advice_slow_dataset", "num_workers", "num_workers=2", "DataLoader(..., num_workers=2",
         ""},
        {"advice_heavy_transform", "num_workers", "num_workers=2", "persistent_workers=True",
         "blur"},
        {"advice_tiny_batch", "batch_size", "batch_size=", "DataLoader(..., batch_size=", ""},
        {"advice_slow_callback", "call_less", "every=10", "if step % 10 == 0", "log_weights"},
        {"advice_odd_layer", "dtype", "dtype=float32", "model.float()", "float64"},
        {"advice_checkpoint_each_step", "save_less", "save_every*=10", "torch.save", "each_step"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_profile p = trace_of(cases[i].trace);
        p.machine.cores = 2;
        const stk_diagnosis d = diagnose(&p);
        const stk_fix      *fix = &d.fixes[0];
        EXPECT_STR_EQ("steps", d.unit);
        EXPECT_STR_EQ("pytorch", d.framework);
        EXPECT_STR_EQ(cases[i].fix, fix->name);
        EXPECT(strncmp(fix->set[0], cases[i].set, strlen(cases[i].set)) == 0);
        EXPECT_CONTAINS(cases[i].code, fix->code);
        if (!strstr(fix->title, cases[i].says)) EXPECT_CONTAINS(cases[i].says, fix->why);
        EXPECT(fix->gain_low > 0 && fix->gain_low < fix->gain && fix->gain < fix->gain_high);
        for (size_t k = 0; k < d.fix_count; k++) {
            EXPECT(!strstr(d.fixes[k].title, "stoker") && !strstr(d.fixes[k].code, "stoker"));
            EXPECT_STR_EQ("", d.fixes[k].command);
            EXPECT_STR_EQ("", d.fixes[k].recipe);
            EXPECT(*d.fixes[k].code && d.fixes[k].set_count > 0);
        }
        EXPECT(!strstr(d.verdict, "samples/s"));
        /* Numbers of Python are double, and no operation's type. */
        EXPECT((p.program.float64 > 0.01) == (strcmp(cases[i].fix, "dtype") == 0));
        stk_profile_release(&p);
    }
}

STK_TEST(workers_without_known_cores_are_a_bound_only)
{
    stk_profile         p = trace_of("pytorch_input_bound");
    const stk_diagnosis d = diagnose(&p);
    const stk_fix      *fix = fix_named(&d, "num_workers");
    EXPECT(fix->at_most && fix->gain_low == 0);
    EXPECT_CONTAINS("num_workers=4", fix->code);
    stk_profile_release(&p);
}

STK_TEST(a_tensorflow_program_is_told_in_tensorflows_words)
{
    stk_profile         p = trace_of("xprof_input_bound");
    const stk_diagnosis d = diagnose(&p);
    EXPECT_STR_EQ("tensorflow", d.framework);
    EXPECT(p.program.prefetches == 1 && p.program.parallel_maps == 0);
    EXPECT_CONTAINS("num_parallel_calls=tf.data.AUTOTUNE",
                    fix_named(&d, "num_parallel_calls")->code);
    EXPECT(!fix_named(&d, "prefetch")); /* it has one */
    EXPECT_CONTAINS(".cache()", fix_named(&d, "cache")->code);
    for (size_t i = 0; i < d.fix_count; i++)
        EXPECT_STR_EQ("", d.fixes[i].command);
    stk_profile_release(&p);
    p = trace_of("xprof_compute_bound");
    const stk_diagnosis busy = diagnose(&p);
    EXPECT_CONTAINS("jit_compile=True", fix_named(&busy, "jit_compile")->code);
    EXPECT(fix_named(&busy, "jit_compile")->samples_per_s.value < 0); /* not predicted */
    stk_profile_release(&p);
}

/* Of a GPU: pageable copies, waits for single numbers, 32 bits. */
STK_TEST(a_pytorch_program_on_a_gpu_is_told_of_pinned_memory_and_precision)
{
    stk_profile p = recording(STK_STAGE_HOST_TO_DEVICE, 3e6);
    strcpy(p.run.source, "PyTorch Kineto");
    strcpy(p.program.framework, "pytorch");
    p.device.work_ns = 0.6 * p.measured_ns;
    p.program.pageable_ns = 0.2 * p.measured_ns;
    p.program.float16 = 0;
    p.program.channels_first = 0.5;
    const stk_diagnosis d = diagnose(&p);
    EXPECT_CONTAINS("pin_memory=True", fix_named(&d, "pin_memory")->code);
    EXPECT_CONTAINS("non_blocking=True", fix_named(&d, "pin_memory")->code);
    EXPECT_CONTAINS("autocast", fix_named(&d, "autocast")->code);
    EXPECT_CONTAINS("channels_last", fix_named(&d, "autocast")->code);
    stk_profile_release(&p);
}
