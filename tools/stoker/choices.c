/* Choices of flags. */
#include "choices.h"

#include <stoker/models.h>
#include <stoker/train_recipe.h>

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

/* Of a key of recipes that may be auto, which a flag need not say. */
static const char *key_word(const char *name, size_t index)
{
    const stk_param *key = stk_params_find(stk_train_recipe_table(), name);
    return key ? stk_param_word(key, index + 1, NULL) : NULL;
}

const char *cli_choice_precision(size_t index)
{
    return key_word("train.precision", index);
}

const char *cli_choice_optimizer(size_t index)
{
    return key_word("train.optimizer", index);
}

const char *cli_choice_schedule(size_t index)
{
    return key_word("train.schedule", index);
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
