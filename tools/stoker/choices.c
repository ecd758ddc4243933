/* Words that flags take. */
#include "choices.h"

#include <stoker/models.h>

const char *stk_choice_model(size_t index)
{
    const stk_model *model = stk_model_at(index);
    return model ? model->name : NULL;
}
