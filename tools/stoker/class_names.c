/* Names of classes and samples. */
#include "class_names.h"

#include "signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const stk_feature_info *find_label(const stk_feature_info *features, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (features[i].meaning == STK_MEANING_LABEL && features[i].class_count)
            return &features[i];
    return NULL;
}

stk_status cli_class_names_load(cli_class_names *names, const char *path, bool follow_outside,
                                stk_error *err)
{
    const stk_source_options options = {
        .cancel = cli_signals_token(), .skip_bad = true, .follow_outside = follow_outside};
    size_t count = 0;
    *names = (cli_class_names){0};
    stk_status st = stk_dataset_info_read(&names->info, NULL, path, err);
    if (!st) {
        names->label = find_label(names->info.features, names->info.feature_count);
        return STK_OK;
    }
    names->info = (stk_dataset_info){0};
    if (st != STK_E_NOTFOUND) return st;
    st = stk_source_open(&names->source, NULL, path, &options, err);
    /* Data of another kind, such as plain TFRecord files, has no names. */
    if (st) return stk_status_is_environment(st) || st == STK_E_PERMISSION ? st : STK_OK;
    const stk_feature_info *features = stk_source_features(names->source, &count);
    names->label = find_label(features, count);
    return STK_OK;
}

void cli_class_names_release(cli_class_names *names)
{
    stk_dataset_info_release(&names->info);
    stk_source_free(names->source);
    *names = (cli_class_names){0};
}

char *cli_class_name(const cli_class_names *names, int64_t label, char *text, size_t capacity)
{
    const stk_feature_info *known = names->label;
    text[0] = 0;
    if (label < 0) return text;
    if (known && known->class_names && (uint64_t)label < known->class_count)
        snprintf(text, capacity, "%s", known->class_names[label]);
    else
        snprintf(text, capacity, "class %" PRId64, label);
    return text;
}

char *cli_sample_name(const stk_element *element, char *text, size_t capacity)
{
    const stk_origin *origin = stk_element_origin(element);
    char              path[1024];
    if (!origin->file) return stk_element_where(element, text, (int)capacity);
    const size_t bytes = stk_buffer_size(origin->file);
    const size_t kept = bytes < sizeof path - 1 ? bytes : sizeof path - 1;
    memcpy(path, stk_buffer_data(origin->file), kept);
    path[kept] = 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (stk_source_is_image_name(name) && !origin->record)
        snprintf(text, capacity, "%s", name);
    else
        snprintf(text, capacity, "%s:%" PRIu64, name, origin->record);
    return text;
}
