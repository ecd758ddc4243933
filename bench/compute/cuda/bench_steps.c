/* What a step costs beside its kernels: batches that cross to the GPU from ordinary and from pinned
 * memory, with every step waited for or two ahead, and steps that do almost nothing.
 * bench_steps [BACKEND] (default cuda) */
#include "bench.h"
#include <stdlib.h>
#include <stoker/ops.h>
#include <stoker/program.h>
#include <string.h>

enum { SIDE = 224, CHANNELS = 3, ROUNDS = 9, STEPS = 100, AHEAD = 2, SMALL_OPS = 20 };

typedef struct trial {
    stk_device          *device;
    stk_variables       *variables;
    stk_program         *program;
    stk_fetch_queue     *queue;
    const stk_allocator *kind; /* NULL: ordinary */
    uint8_t             *batch;
    size_t               bytes;
    int                  ahead;
} trial;

static void must(stk_status st, const stk_error *err)
{
    char line[1024];
    if (!st) return;
    fprintf(stderr, "bench_steps: %s\n", stk_error_line(err, line, sizeof line));
    exit(1);
}

/* Reads the batch once; the rest is launches. */
static stk_status compile(trial *t, int64_t rows, stk_error *err)
{
    stk_graph *g;
    STK_TRY(stk_graph_new(&g, NULL, err));
    stk_symbol x =
        stk_graph_input(g, "image", STK_DTYPE_U8, stk_shape_4d(rows, SIDE, SIDE, CHANNELS));
    stk_symbol y = stk_reduce_mean(g, stk_cast(g, x, STK_DTYPE_F32), 0, false);
    for (int i = 0; i < SMALL_OPS; i++)
        y = stk_sigmoid(g, y);
    stk_graph_output(g, "y", y);
    stk_status st = stk_program_compile(&t->program, g, t->variables, NULL, err);
    stk_graph_free(g);
    return st;
}

static void begin(trial *t, const char *backend, int64_t rows, bool pinned, int ahead)
{
    stk_error err;
    *t = (trial){.ahead = ahead, .bytes = (size_t)rows * SIDE * SIDE * CHANNELS};
    must(stk_device_open(&t->device, backend, NULL, &err), &err);
    must(stk_variables_new(&t->variables, t->device, 1, &err), &err);
    must(compile(t, rows, &err), &err);
    must(stk_fetch_queue_new(&t->queue, t->device, AHEAD + 1, sizeof(float), &err), &err);
    t->kind = pinned ? stk_device_host_memory(t->device) : NULL;
    t->batch = t->kind ? t->kind->alloc(t->kind->context, t->bytes) : malloc(t->bytes);
    if (!t->batch) exit(1);
    memset(t->batch, 3, t->bytes);
}

static void end(trial *t)
{
    stk_fetch_queue_free(t->queue);
    if (t->kind)
        t->kind->free(t->kind->context, t->batch, t->bytes);
    else
        free(t->batch);
    stk_program_free(t->program);
    stk_variables_free(t->variables);
    stk_device_free(t->device);
}

static void take(trial *t, size_t left)
{
    stk_error            err;
    stk_fetch_queue_slot slot;
    while (stk_fetch_queue_in_flight(t->queue) > left)
        must(stk_fetch_queue_pop(t->queue, true, &slot, &err), &err);
}

static void run(void *context)
{
    trial    *t = context;
    stk_error err;
    for (int i = 0; i < STEPS; i++) {
        must(stk_program_feed_async(t->program, "image", t->batch, t->bytes, &err), &err);
        must(stk_fetch_queue_begin(t->queue, &err), &err);
        must(stk_program_run(t->program, NULL, &err), &err);
        must(stk_fetch_queue_add(t->queue, t->program, "y", 0, sizeof(float), &err), &err);
        must(stk_fetch_queue_commit(t->queue, &err), &err);
        take(t, (size_t)t->ahead);
    }
    take(t, 0);
}

static void measure(const char *backend, const char *name, int64_t rows, bool pinned, int ahead)
{
    trial t;
    char  text[96];
    begin(&t, backend, rows, pinned, ahead);
    run(&t); /* the second run of a program is recorded */
    const bench_result r = bench_run(run, &t, ROUNDS);
    snprintf(text, sizeof text, "%s, %s memory, %s", name, pinned ? "pinned" : "ordinary",
             ahead ? "two ahead" : "waited for");
    bench_print(text, r, STEPS * (double)t.bytes / 1e9, "GB/s");
    bench_print("", r, STEPS / 1e3, "k steps/s");
    end(&t);
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "cuda";
    for (int pinned = 0; pinned < 2; pinned++)
        for (int ahead = 0; ahead <= AHEAD; ahead += AHEAD)
            measure(backend, "256 images", 256, pinned, ahead);
    for (int ahead = 0; ahead <= AHEAD; ahead += AHEAD)
        measure(backend, "1 image", 1, true, ahead);
    return 0;
}
