/* Words that flags take. */
#include "choices.h"

#include <stoker/models.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const char *cli_choice_model(size_t index)
{
    const stk_model *model = stk_model_at(index);
    return model ? model->name : NULL;
}

const char *cli_choice_backend(size_t index)
{
    static const char *const words[] = {"cuda", "cpu", "ref"};
    return index < COUNT_OF(words) ? words[index] : NULL;
}

const char *cli_choice_precision(size_t index)
{
    static const char *const words[] = {"fp32", "tf32", "bf16", "fp16"};
    return index < COUNT_OF(words) ? words[index] : NULL;
}

const char *cli_choice_optimizer(size_t index)
{
    static const char *const words[] = {"sgd", "nesterov", "adamw", "lars", "lamb"};
    return index < COUNT_OF(words) ? words[index] : NULL;
}

const char *cli_choice_schedule(size_t index)
{
    static const char *const words[] = {"constant", "step",      "multistep", "cosine",
                                        "poly",     "one-cycle", "triangle",  "plateau"};
    return index < COUNT_OF(words) ? words[index] : NULL;
}

const char *cli_choice_split(size_t index)
{
    static const char *const words[] = {"train", "val", "validation", "test"};
    return index < COUNT_OF(words) ? words[index] : NULL;
}

const char *cli_choice_validation(size_t index)
{
    return index ? cli_choice_split(index - 1) : "none";
}
