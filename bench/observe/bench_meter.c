/* What level 0 costs: its calls alone, beside a step of LeNet with 64 images; and, with the path
 * of data (a pack of Fashion-MNIST), steps with the meter on and off in turn. bench_meter [DATA] */
#include "bench.h"
#include "pipeline/runtime/thread_activity.h"

#include <stoker/dataset_operators.h>
#include <stoker/dataset_sources.h>
#include <stoker/iterator.h>
#include <stoker/train_bench.h>

enum {
    CALLS = 10000,
    ROUNDS = 21,
    STEPS = 40,  /* of LeNet, for its time */
    BLOCKS = 24, /* on and off in turn */
    STEPS_A_BLOCK = 10,
    UNITS_A_STEP = 8, /* of the input: changes of what threads do, for a batch of 64 */
    BATCH = 64
};

static void must(stk_status st, const stk_error *err)
{
    char line[1024];
    if (!st) return;
    fprintf(stderr, "%s\n", stk_error_line(err, line, sizeof line));
    exit(1);
}

/* The pieces of one step, as the loop cuts them. */
static void meter_steps(void *context)
{
    stk_meter *meter = context;
    for (int i = 0; i < CALLS; i++) {
        stk_meter_enter(meter, STK_STAGE_PREPROCESS);
        stk_meter_enter(meter, STK_STAGE_NONE);
        stk_meter_move(meter, STK_STAGE_PREPROCESS, STK_STAGE_READ, 10);
        stk_meter_add(meter, STK_STAGE_READ, 1, BATCH, 1);
        stk_meter_add(meter, STK_STAGE_PREPROCESS, 1, BATCH, 1);
        stk_meter_enter(meter, STK_STAGE_HOST_TO_DEVICE);
        stk_meter_add(meter, STK_STAGE_HOST_TO_DEVICE, 0, BATCH, 1);
        stk_meter_enter(meter, STK_STAGE_COMPUTE);
        stk_meter_add(meter, STK_STAGE_COMPUTE, 0, BATCH, 0);
        stk_meter_enter(meter, STK_STAGE_DEVICE_TO_HOST);
        stk_meter_add(meter, STK_STAGE_DEVICE_TO_HOST, 0, BATCH, 4);
        stk_meter_enter(meter, STK_STAGE_NONE);
        stk_meter_enter(meter, STK_STAGE_OUTPUT);
        stk_meter_enter(meter, STK_STAGE_NONE);
        stk_meter_enter(meter, STK_STAGE_OUTPUT);
        stk_meter_add(meter, STK_STAGE_OUTPUT, 1, 0, 0);
        stk_meter_add(meter, STK_STAGE_WRITE, 1, 0, 0);
        stk_meter_end_step(meter, i, BATCH);
    }
}

static void change_activity(void *context)
{
    for (int i = 0; i < CALLS; i++)
        stk_thread_activity_leave(context, stk_thread_activity_enter(context, STK_DOING_COMPUTE));
}

static void read_times(void *context)
{
    stk_iterator_times times;
    for (int i = 0; i < CALLS; i++)
        stk_iterator_read_times(context, &times);
}

static double print_each(const char *name, void (*run)(void *), void *context)
{
    const bench_result r = bench_run(run, context, ROUNDS);
    printf("%-44s %8.1f ns (best %.1f, worst %.1f)\n", name, r.median / CALLS * 1e9,
           r.best / CALLS * 1e9, r.worst / CALLS * 1e9);
    return r.median / CALLS;
}

static stk_iterator *start_input(stk_error *err)
{
    stk_dataset  *data;
    stk_iterator *it;
    must(stk_dataset_range(&data, 0, 1 << 20, 1, err), err);
    must(stk_dataset_shuffle(&data, 1000, NULL, err), err);
    must(stk_dataset_repeat(&data, STK_AUTO, err), err);
    must(stk_dataset_batch(&data, BATCH, NULL, err), err);
    must(stk_dataset_prefetch(&data, 4, err), err);
    must(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1}, err), err);
    stk_dataset_unref(data);
    for (int i = 0; i < 100; i++) {
        stk_element *element;
        must(stk_iterator_next(it, &element, err), err);
        stk_element_unref(element);
    }
    return it;
}

/* Seconds that level 0 adds to a step. */
static double measure_calls(void)
{
    stk_error           err;
    stk_meter          *meter;
    stk_thread_activity activity;
    stk_iterator       *it = start_input(&err);
    must(stk_meter_new(&meter, NULL, &err), &err);
    stk_thread_activity_init(&activity, NULL);
    const double step = print_each("the meter's calls of a step", meter_steps, meter);
    const double unit = print_each("a unit of work is begun and ended", change_activity, &activity);
    const double read = print_each("the input's times are read", read_times, it);
    stk_thread_activity_release(&activity);
    stk_meter_free(meter);
    stk_iterator_free(it);
    return step + UNITS_A_STEP * unit + 2 * read;
}

static void set(stk_train_recipe *recipe, const char *key, const char *text)
{
    stk_error err;
    must(stk_train_recipe_set(recipe, key, text, "bench", &err), &err);
}

static void settle(stk_train_recipe *recipe, stk_train_data *data, const char *path)
{
    stk_error err;
    stk_train_recipe_init(recipe);
    set(recipe, "model.name", "lenet");
    set(recipe, "data.batch", "64");
    /* One thread: a team whose threads wait for cores that others use tells of those. */
    set(recipe, "knobs.threads", "1");
    if (path) set(recipe, "data.path", path);
    if (path) must(stk_train_data_read(data, recipe, &err), &err);
    must(stk_train_resolve(recipe, data, NULL, &err), &err);
}

/* The time of the fastest tenth of the steps: what else the machine does makes the others longer.
 */
static double step_seconds(stk_train_bench *bench, stk_train_bench_part part, int steps)
{
    double    seconds[64];
    stk_error err;
    for (int i = 0; i < steps; i++) {
        const double begin = bench_seconds();
        must(stk_train_bench_step(bench, part, &err), &err);
        seconds[i] = bench_seconds() - begin;
    }
    qsort(seconds, (size_t)steps, sizeof *seconds, bench_compare);
    return seconds[steps / 10];
}

static void compare_with_step(double added)
{
    stk_train_data data = {
        .classes = 10, .train_count = 60000, .width = 28, .height = 28, .channels = 1};
    stk_train_recipe recipe;
    stk_train_bench *bench;
    stk_error        err;
    settle(&recipe, &data, NULL);
    must(stk_train_bench_open(&bench, &recipe, NULL, NULL, &err), &err);
    step_seconds(bench, STK_TRAIN_BENCH_COMPUTE, STEPS);
    const double step = step_seconds(bench, STK_TRAIN_BENCH_COMPUTE, STEPS);
    printf("level 0 adds %.2f us to a step of LeNet of %.2f ms: %.4f %%\n", added * 1e6, step * 1e3,
           100 * added / step);
    stk_train_bench_free(bench);
}

/* Each block with it is compared with the one without it beside it. */
static void alternate(const char *path)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_bench *bench;
    stk_error        err;
    double           ratios[BLOCKS];
    settle(&recipe, &data, path);
    must(stk_train_bench_open(&bench, &recipe, &data, NULL, &err), &err);
    step_seconds(bench, STK_TRAIN_BENCH_BOTH, STEPS);
    for (int i = 0; i < BLOCKS; i++) {
        double seconds[2];
        for (int k = 0; k < 2; k++) {
            const bool on = (i + k) % 2;
            stk_meter_switch(stk_train_bench_meter(bench), on);
            seconds[on] = step_seconds(bench, STK_TRAIN_BENCH_BOTH, STEPS_A_BLOCK);
        }
        ratios[i] = seconds[1] / seconds[0];
    }
    qsort(ratios, BLOCKS, sizeof *ratios, bench_compare);
    printf("steps with the meter on / off: %.4f (quarters %.4f .. %.4f, %d pairs of blocks)\n",
           ratios[BLOCKS / 2], ratios[BLOCKS / 4], ratios[BLOCKS * 3 / 4], BLOCKS);
    stk_train_bench_free(bench);
    stk_train_data_release(&data);
}

int main(int argc, char **argv)
{
    compare_with_step(measure_calls());
    if (argc > 1) alternate(argv[1]);
    return 0;
}
