/* A data set's description: any bytes are one or a message. The first byte says which of the two
 * files the rest is. */
#include "memory_filesystem.h"

#include <stoker/dataset_info.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void touch(const stk_dataset_info *info)
{
    size_t sum = 0;
    for (size_t i = 0; i < info->feature_count; i++) {
        const stk_feature_info *feature = &info->features[i];
        if (feature->shape.rank < 0 || feature->shape.rank > STK_MAX_RANK) abort();
        if (!stk_dataset_info_feature(info, feature->name)) abort();
        sum += strlen(feature->encoding);
    }
    for (size_t i = 0; i < info->split_count; i++)
        for (size_t j = 0; j < info->splits[i].shard_count; j++)
            sum += info->splits[i].shard_lengths[j] / 2 + strlen(info->splits[i].name);
    if (sum == SIZE_MAX) abort(); /* so that everything is looked at */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_error        err = {0};
    stk_dataset_info info;
    if (!size) return 0;
    const char       *path = data[0] % 2 ? "d/features.json" : "d/dataset_info.json";
    memory_filesystem fs = memory_filesystem_of(path, stk_bytes_of(data + 1, size - 1));
    if (stk_dataset_info_read(&info, &fs.fs, "d", &err)) {
        if (!err.message[0] || info.features || info.splits) abort();
        return 0;
    }
    touch(&info);
    stk_dataset_info_release(&info);
    return 0;
}
