/* Reads TFRecords: shuffled, in batches, ahead of the loop that uses them.
 *
 *     read_records 'data/train-*'
 *
 * Each record is a tf.train.Example with an image (bytes) and a label (int64), as `stoker pack`
 * writes them. Prints how many images of each class there are. */
#include <inttypes.h>
#include <stdio.h>
#include <stoker/stoker.h>

static stk_status build(stk_dataset **data, const char *path, stk_error *err)
{
    const stk_feature_spec specs[] = {
        {.name = "image", .kind = STK_FEATURE_DENSE, .dtype = STK_DTYPE_BYTES},
        {.name = "label", .kind = STK_FEATURE_DENSE, .dtype = STK_DTYPE_I64},
    };
    stk_function *parse;
    STK_TRY(stk_function_parse_example(&parse, 0, specs, 2, err));
    stk_status st = stk_dataset_tfrecord(data, NULL, path, NULL, err);
    if (!st) st = stk_dataset_shuffle(data, 10000, NULL, err);
    if (!st) st = stk_dataset_map(data, parse, NULL, err);
    if (!st) st = stk_dataset_batch(data, 256, NULL, err);
    if (!st) st = stk_dataset_prefetch(data, STK_AUTO, err);
    stk_function_unref(parse); /* the dataset holds its own reference */
    return st;
}

static stk_status count_classes(stk_iterator *it, uint64_t counts[1000], stk_error *err)
{
    for (;;) {
        stk_element *batch;
        STK_TRY(stk_iterator_next(it, &batch, err));
        if (!batch) return STK_OK;
        const stk_value *labels = stk_element_value(batch, 1);
        const int64_t   *label = stk_value_data(labels);
        for (int64_t i = 0; i < labels->shape.dim[0]; i++)
            if (label[i] >= 0 && label[i] < 1000) counts[label[i]]++;
        stk_element_unref(batch);
    }
}

int main(int argc, char **argv)
{
    static uint64_t counts[1000];
    stk_dataset    *data = NULL;
    stk_iterator   *it = NULL;
    stk_error       err;
    if (argc != 2) {
        fprintf(stderr, "usage: %s 'FILES'\n", argv[0]);
        return 2;
    }
    stk_status st = build(&data, argv[1], &err);
    if (!st) st = stk_iterator_start(&it, data, NULL, &err);
    if (!st) st = count_classes(it, counts, &err);
    for (int i = 0; i < 1000 && !st; i++)
        if (counts[i]) printf("class %d: %" PRIu64 " images\n", i, counts[i]);
    if (st) {
        char line[1024];
        fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st ? 1 : 0;
}
