/* Training without an end. */
#include "train/resolve/endless.h"

/* Evaluations belong to no step; there are as many epochs as any time may hold. */
static const double enough_epochs = 100000;

/* A run that reads its data once keeps nothing of it; measured for longer it must not, either. */
static void keep_as_asked(stk_train_recipe *recipe, const stk_train_data *data)
{
    const double seen = (double)recipe->train.steps * (double)recipe->data.batch;
    const bool   once = recipe->train.epochs <= 1 || seen <= (double)data->train_count;
    if (once && recipe->data.cache == STK_CACHE_AUTO) recipe->data.cache = STK_CACHE_NONE;
}

void stk_train_make_endless(stk_train_recipe *recipe, stk_train_data *data)
{
    keep_as_asked(recipe, data);
    data->validation_count = 0;
    if (recipe->train.epochs < enough_epochs) recipe->train.epochs = enough_epochs;
    recipe->train.steps = -1;
}
