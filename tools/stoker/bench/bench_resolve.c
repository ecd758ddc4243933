/* Resolves a recipe for steps without data. */
#include "bench_resolve.h"

#include <stoker/models.h>

stk_status cli_bench_resolve(stk_train_recipe *recipe, int64_t classes, stk_error *err)
{
    enum { MANY = 1 << 20 };
    const stk_model *model;
    STK_TRY(stk_model_find(&model, recipe->model.name, err));
    if (recipe->data.size < 0) recipe->data.size = model->size;
    if (recipe->knobs.input_threads < 0)
        recipe->knobs.input_threads = 1; /* input takes no thread from compute */
    const stk_train_data data = {.classes = classes ? classes : model->classes,
                                 .train_count = MANY,
                                 .width = recipe->data.size,
                                 .height = recipe->data.size,
                                 .channels = model->channels};
    STK_TRY(stk_train_resolve(recipe, &data, NULL, err));
    recipe->data.eval_batch = recipe->data.batch;
    return STK_OK;
}
