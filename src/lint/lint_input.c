/* Adds the lints of the input pipeline's plan. */
#include "lint/lint_internal.h"
#include "train/input/loader.h"
#include <stdio.h>

stk_status stk_lint_input(stk_lint_list *list, const stk_train_recipe *recipe,
                          const stk_train_data *data, stk_error *err)
{
    enum { WARNINGS_MAX = 16 };
    stk_warning              warnings[WARNINGS_MAX];
    size_t                   count;
    const stk_loader_options options = {
        .recipe = recipe, .data = data, .size = recipe->data.size, .seed = 1};
    STK_TRY(stk_loader_lint(&options, warnings, WARNINGS_MAX, &count, err));
    for (size_t i = 0; i < count && i < WARNINGS_MAX; i++) {
        stk_lint *item =
            stk_lint_add(list, warnings[i].rule, STK_STAGE_PREPROCESS, warnings[i].stage);
        if (item) snprintf(item->message, sizeof item->message, "%s", warnings[i].message);
    }
    return STK_OK;
}
