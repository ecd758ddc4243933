/* A data set's description in memory. */
#include "storage/dataset/dataset_info_internal.h"

#include <stdlib.h>
#include <stoker/dataset_info.h>
#include <string.h>

static const char labels_ending[] = ".labels.txt";

static void release_feature(stk_feature_info *feature)
{
    for (size_t i = 0; feature->class_names && i < feature->class_count; i++)
        free(feature->class_names[i]);
    free(feature->class_names);
    free(feature->name);
}

void stk_dataset_info_release(stk_dataset_info *info)
{
    for (size_t i = 0; i < info->feature_count; i++)
        release_feature(&info->features[i]);
    for (size_t i = 0; i < info->split_count; i++) {
        free(info->splits[i].name);
        free(info->splits[i].shard_lengths);
    }
    free(info->features);
    free(info->splits);
    free(info->name);
    free(info->version);
    *info = (stk_dataset_info){0};
}

const stk_feature_info *stk_dataset_info_feature(const stk_dataset_info *info, const char *name)
{
    for (size_t i = 0; i < info->feature_count; i++)
        if (!strcmp(info->features[i].name, name)) return &info->features[i];
    return NULL;
}

stk_status stk_labels_file_name(stk_blob *text, const char *outer, const char *name, stk_error *err)
{
    text->size = 0;
    if (*outer) {
        STK_TRY(stk_blob_append(text, outer, strlen(outer), err));
        STK_TRY(stk_blob_append(text, "-", 1, err));
    }
    STK_TRY(stk_blob_append(text, name, strlen(name), err));
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] == '/') text->data[i] = '.';
    return stk_blob_append(text, labels_ending, sizeof labels_ending, err);
}

bool stk_dataset_info_is_name(const char *name)
{
    const size_t length = strlen(name), ending = sizeof labels_ending - 1;
    return !strcmp(name, STK_FEATURES_FILE) || !strcmp(name, STK_INFO_FILE) ||
           (length >= ending && !strcmp(name + length - ending, labels_ending));
}
