/* Metadata of a model file. It excludes where and how the model was trained, so equal weights give
 * equal files. */
#include "train/loop/model_card.h"
#include "train/saved/class_list.h"
#include "train/saved/model_text.h"
#include <stdio.h>

void stk_model_card_release(stk_model_card *card)
{
    stk_blob_release(&card->recipe);
    stk_blob_release(&card->classes);
}

stk_status stk_model_card_init(stk_model_card *card, const stk_trainer *trainer, int64_t step,
                               double accuracy, stk_error *err)
{
    const stk_train_recipe *r = &trainer->recipe;
    size_t                  count = 0;
    stk_blob_init(&card->recipe, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&card->classes, NULL, STK_MEMORY_OUTPUT);
    STK_TRY(stk_model_source_print(r, &card->recipe, err));
    STK_TRY(stk_class_list_print(trainer->data, r->model.classes, &card->classes, err));
    snprintf(card->accuracy, sizeof card->accuracy, "%.6f", accuracy);
    snprintf(card->step, sizeof card->step, "%lld", (long long)step);
    const char *const pairs[][2] = {
        {"stoker.model", r->model.name},
        {STK_MODEL_STEP, card->step},
        {STK_MODEL_RECIPE, (const char *)card->recipe.data},
        {STK_MODEL_CLASSES, (const char *)card->classes.data},
        {accuracy >= 0 ? "stoker.accuracy" : NULL, card->accuracy},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        card->texts[count++] = pairs[i][0];
        card->texts[count++] = pairs[i][1];
    }
    card->texts[count] = NULL;
    return STK_OK;
}
