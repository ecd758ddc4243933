/* Keys of a training recipe, one at a time. */
#ifndef STK_TRAIN_RECIPE_TRAIN_RECIPE_INTERNAL_H
#define STK_TRAIN_RECIPE_TRAIN_RECIPE_INTERNAL_H

#include <stoker/train_recipe.h>

extern const stk_params stk_train_keys;

bool stk_train_section_known(const char *section);
/* The word of a key that has words; NULL for other keys. */
const char *stk_train_key_word(const stk_train_recipe *recipe, const stk_param *key);
/* Sets a key that there is, by its name or former name. */
STK_NODISCARD stk_status stk_train_key_set(stk_train_recipe *recipe, const char *key,
                                           const char *text, const stk_params_source *source,
                                           stk_error *err);
/* As stk_train_recipe_load, of text; path is for messages and what relative paths begin at. */
STK_NODISCARD stk_status stk_train_recipe_parse(stk_train_recipe *recipe, stk_bytes yaml,
                                                const char *path, stk_error *err);
/* As stk_train_recipe_print, of the keys that wanted is true for. */
STK_NODISCARD stk_status stk_train_recipe_print_some(const stk_train_recipe *recipe,
                                                     bool (*wanted)(const stk_param *key),
                                                     stk_blob *out, stk_error *err);
/* Appends the value of a key, as recipes write it. */
STK_NODISCARD stk_status stk_train_key_print(const stk_train_recipe *recipe, const stk_param *key,
                                             stk_blob *out, stk_error *err);
/* The refusal, with the nearest key or section; section "": none was written. */
stk_status stk_train_key_unknown(const char *section, const char *name, const char *where,
                                 stk_error *err);

#endif
