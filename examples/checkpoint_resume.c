/* Saves a running pipeline in the middle of an epoch and goes on elsewhere: another iterator, with
 * another number of threads, gives exactly what the first would have given. Prints both. */
#include <inttypes.h>
#include <stdio.h>
#include <stoker/stoker.h>

static stk_status build(stk_dataset **data, stk_error *err)
{
    const stk_shuffle_options shuffled = {.seed = 42, .seeded = true};
    STK_TRY(stk_dataset_range(data, 0, 1000000, 1, err));
    STK_TRY(stk_dataset_shuffle(data, 10000, &shuffled, err));
    STK_TRY(stk_dataset_batch(data, 4, NULL, err));
    STK_TRY(stk_dataset_repeat(data, -1, err));
    return stk_dataset_prefetch(data, STK_AUTO, err);
}

static stk_status pass_over(stk_iterator *it, int batches, stk_error *err)
{
    for (int i = 0; i < batches; i++) {
        stk_element *batch;
        STK_TRY(stk_iterator_next(it, &batch, err));
        stk_element_unref(batch);
    }
    return STK_OK;
}

static stk_status print_next(const char *who, stk_iterator *it, stk_error *err)
{
    stk_element *batch;
    STK_TRY(stk_iterator_next(it, &batch, err));
    const int64_t *numbers = stk_value_data(stk_element_value(batch, 0));
    printf("%-8s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", who, numbers[0], numbers[1],
           numbers[2], numbers[3]);
    stk_element_unref(batch);
    return STK_OK;
}

static stk_status run(stk_dataset *data, stk_blob *saved, stk_error *err)
{
    stk_iterator *first = NULL, *second = NULL;
    stk_status    st = stk_iterator_start(&first, data, &(stk_iterator_options){.threads = 2}, err);
    if (!st) st = pass_over(first, 1000, err);
    if (!st) st = stk_iterator_save(first, saved, err);
    if (!st) printf("the checkpoint has %zu bytes\n", saved->size);
    if (!st) st = print_next("first", first, err);
    if (!st) st = stk_iterator_start(&second, data, &(stk_iterator_options){.threads = 4}, err);
    if (!st) st = stk_iterator_restore(second, stk_blob_bytes(saved), err);
    if (!st) st = print_next("second", second, err);
    stk_iterator_free(first);
    stk_iterator_free(second);
    return st;
}

int main(void)
{
    stk_dataset *data = NULL;
    stk_error    err;
    stk_blob     saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_OUTPUT);
    stk_status st = build(&data, &err);
    if (!st) st = run(data, &saved, &err);
    if (st) {
        char line[1024];
        fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));
    }
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    return st ? 1 : 0;
}
