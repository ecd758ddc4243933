/* Batches of images: 64 elements of 224x224x3 bytes, copied by one thread and by several. The
 * elements share one image, so that copying is all there is to do. */
#include "../bench.h"

#include <stoker/stoker.h>

enum { ROWS = 64, BATCHES = 200, ROUNDS = 7 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        stk_error err;                                                                             \
        if (call) {                                                                                \
            char line[1024];                                                                       \
            fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static stk_status show_image(void *image, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)call;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_release(stk_element_edit(*element, 0));
    *stk_element_edit(*element, 0) = stk_value_ref(image);
    return STK_OK;
}

static double run(stk_dataset *data, unsigned passes_off)
{
    const stk_iterator_options options = {.passes_off = passes_off, .no_autotune = true};
    stk_iterator              *it;
    CHECK(stk_iterator_start(&it, data, &options, &err));
    const double begin = bench_seconds();
    for (int i = 0; i < BATCHES; i++) {
        stk_element *batch;
        CHECK(stk_iterator_next(it, &batch, &err));
        stk_element_unref(batch);
    }
    const double seconds = bench_seconds() - begin;
    stk_iterator_free(it);
    return seconds;
}

int main(void)
{
    const stk_shape   shape = stk_shape_3d(224, 224, 3);
    const unsigned    ways[] = {0, STK_PASS_PARALLEL_BATCH, STK_PASS_ALL};
    const char *const names[] = {"several threads", "one thread", "no passes"};
    double            best[3] = {1e9, 1e9, 1e9};
    stk_value         image = {0};
    stk_function     *function;
    stk_dataset      *data;
    void             *bytes;
    CHECK(stk_value_dense(&image, NULL, STK_DTYPE_U8, &shape, &bytes, &err));
    memset(bytes, 7, 224 * 224 * 3);
    CHECK(stk_function_new(
        &function, &(stk_function_info){.name = "show", .map = show_image, .context = &image},
        &err));
    CHECK(stk_dataset_range(&data, 0, ROWS * BATCHES, 1, &err));
    CHECK(stk_dataset_map(&data, function, &(stk_map_options){.parallel = 1}, &err));
    CHECK(stk_dataset_batch(&data, ROWS, NULL, &err));
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < 3; way++) {
            const double seconds = run(data, ways[way]);
            if (seconds < best[way]) best[way] = seconds;
        }
    for (int way = 0; way < 3; way++)
        printf("batches of %d images, %s: %.2f GB/s, best of %d\n", ROWS, names[way],
               (double)ROWS * BATCHES * 224 * 224 * 3 / best[way] * 1e-9, ROUNDS);
    stk_dataset_unref(data);
    stk_function_unref(function);
    stk_value_release(&image);
    return 0;
}
