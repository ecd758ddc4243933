/* Labels of samples, and the sheet of all of them. */
#include "train/loop/sample_sheet.h"
#include "train/log/image_sheet.h"
#include <stdio.h>

enum { NAME_CAPACITY = 64 };

static const char *class_name(const stk_train_data *data, int64_t class, char *text,
                              size_t capacity)
{
    if (data->class_names && class >= 0 && class < data->classes)
        snprintf(text, capacity, "%s", data->class_names[class]);
    else
        snprintf(text, capacity, "%lld", (long long)class);
    return text;
}

const char *stk_train_sample_label(const stk_train_sample *sample, const stk_train_data *data,
                                   char *text, size_t capacity)
{
    char first[NAME_CAPACITY], second[NAME_CAPACITY];
    class_name(data, sample->label, first, sizeof first);
    if (sample->second < 0)
        snprintf(text, capacity, "%s", first);
    else
        snprintf(text, capacity, "%s %.0f %% + %s", first, 100 * sample->fraction,
                 class_name(data, sample->second, second, sizeof second));
    return text;
}

const char *stk_train_sample_predicted(const stk_train_sample *sample, const stk_train_data *data,
                                       char *text, size_t capacity)
{
    if (sample->predicted >= 0) return class_name(data, sample->predicted, text, capacity);
    snprintf(text, capacity, "%s", "");
    return text;
}

stk_status stk_sample_sheet(const stk_train_samples *samples, const stk_train_data *data,
                            stk_blob *out, stk_error *err)
{
    const size_t    bytes = samples->pixels.size / (size_t)samples->count;
    stk_sheet_image list[STK_TRAIN_SAMPLES];
    for (int64_t i = 0; i < samples->count; i++) {
        const stk_train_sample *one = &samples->list[i];
        char                    name[NAME_CAPACITY];
        list[i] = (stk_sheet_image){.pixels = samples->pixels.data + (size_t)i * bytes};
        stk_train_sample_label(one, data, list[i].line, sizeof list[i].line);
        if (one->predicted < 0) continue;
        list[i].tone = one->predicted == one->label ? STK_SHEET_GOOD : STK_SHEET_BAD;
        snprintf(list[i].note, sizeof list[i].note, "%.0f %% %s", 100 * one->probability,
                 stk_train_sample_predicted(one, data, name, sizeof name));
    }
    return stk_image_sheet(list, (size_t)samples->count, (int)samples->size, (int)samples->channels,
                           out, err);
}
