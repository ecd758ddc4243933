/* What stages over inner datasets cost an element: flat_map, interleave one at a time and parallel,
 * over numbers that cost nothing; and how interleave hides datasets that wait. */
#include "bench.h"

#include <stoker/stoker.h>
#include <time.h>

enum { INPUTS = 64, ELEMENTS = 4096, SLOW_ELEMENTS = 16, WAIT_NS = 1000000, ROUNDS = 7 };

typedef struct job {
    stk_dataset *data;
    int          threads;
} job;

static void check(stk_status status, const stk_error *err)
{
    if (!status) return;
    char text[1024];
    fprintf(stderr, "bench_interleave: %s\n", stk_error_line(err, text, sizeof text));
    exit(1);
}

static void run(void *context)
{
    const job                 *j = context;
    stk_error                  err;
    stk_iterator              *it;
    const stk_iterator_options options = {.threads = j->threads, .passes_off = STK_PASS_PREFETCH};
    check(stk_iterator_start(&it, j->data, &options, &err), &err);
    for (;;) {
        stk_element *element;
        check(stk_iterator_next(it, &element, &err), &err);
        if (!element) break;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
}

static stk_status numbers(void *count, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    (void)call;
    (void)element;
    return stk_dataset_range(out, 0, (int64_t)(intptr_t)count, 1, err);
}

static stk_status wait_a_while(void *context, const stk_call *call, stk_element **element,
                               stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    return STK_OK;
}

static stk_status slow_numbers(void *map, const stk_call *call, const stk_element *element,
                               stk_dataset **out, stk_error *err)
{
    STK_TRY(numbers((void *)SLOW_ELEMENTS, call, element, out, err));
    return stk_dataset_map(out, map, &(stk_map_options){.parallel = 1}, err);
}

static void measure(const char *name, stk_function *function, const stk_interleave_options *options,
                    int threads, double elements)
{
    stk_error err;
    job       j = {.threads = threads};
    check(stk_dataset_range(&j.data, 0, INPUTS, 1, &err), &err);
    check(options ? stk_dataset_interleave(&j.data, function, options, &err)
                  : stk_dataset_flat_map(&j.data, function, &err),
          &err);
    const bench_result r = bench_run(run, &j, ROUNDS);
    printf("%-44s %12.4g ns an element   (best %.4g, worst %.4g)\n", name,
           1e9 * r.median / elements, 1e9 * r.best / elements, 1e9 * r.worst / elements);
    stk_dataset_unref(j.data);
}

int main(void)
{
    stk_error     err;
    stk_function *quick, *wait, *slow;
    check(stk_function_new(
              &quick,
              &(stk_function_info){.name = "n", .expand = numbers, .context = (void *)ELEMENTS},
              &err),
          &err);
    check(stk_function_new(&wait, &(stk_function_info){.name = "wait", .map = wait_a_while}, &err),
          &err);
    check(stk_function_new(
              &slow, &(stk_function_info){.name = "slow", .expand = slow_numbers, .context = wait},
              &err),
          &err);
    const double all = (double)INPUTS * ELEMENTS, few = (double)INPUTS * SLOW_ELEMENTS;
    measure("flat_map", quick, NULL, 1, all);
    measure("interleave, cycle 16", quick, &(stk_interleave_options){.cycle = 16}, 1, all);
    measure("interleave, cycle 16, block 16", quick,
            &(stk_interleave_options){.cycle = 16, .block = 16}, 1, all);
    for (int threads = 1; threads <= 2; threads++) {
        char name[64];
        snprintf(name, sizeof name, "interleave, cycle 16, parallel, %d threads", threads);
        measure(name, quick, &(stk_interleave_options){.cycle = 16, .parallel = STK_AUTO}, threads,
                all);
        snprintf(name, sizeof name, "the same, block 16, %d threads", threads);
        measure(name, quick,
                &(stk_interleave_options){.cycle = 16, .block = 16, .parallel = STK_AUTO}, threads,
                all);
    }
    measure("1 ms waits, one at a time", slow, &(stk_interleave_options){.cycle = 8}, 8, few);
    measure("1 ms waits, cycle 8, parallel, 8 threads", slow,
            &(stk_interleave_options){.cycle = 8, .parallel = STK_AUTO}, 8, few);
    stk_function_unref(quick);
    stk_function_unref(slow);
    stk_function_unref(wait);
    return 0;
}
