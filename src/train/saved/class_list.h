/* The names of a model's classes, in the order of their indices. */
#ifndef STK_TRAIN_SAVED_CLASS_LIST_H
#define STK_TRAIN_SAVED_CLASS_LIST_H

#include <stoker/train_data.h>

enum { STK_CLASS_LIST_CAPACITY = 64 };

typedef struct stk_class_list {
    char  **names;
    int64_t count;
} stk_class_list;

/* The name of class index: the data's, or "class 7", which is written to room. */
const char *stk_class_list_name(const stk_train_data *data, int64_t index,
                                char scratch[STK_CLASS_LIST_CAPACITY]);

/* Of a text file, one name a line. On failure *out is empty, here and below. */
STK_NODISCARD stk_status stk_class_list_read(stk_class_list *out, const char *path, stk_error *err);
/* Of a JSON array of texts; path is for messages. */
STK_NODISCARD stk_status stk_class_list_parse(stk_class_list *out, const char *json,
                                              const char *path, stk_error *err);
/* "class 0" and on. */
STK_NODISCARD stk_status stk_class_list_number(stk_class_list *out, int64_t count, stk_error *err);
/* Appends classes names as such an array, terminated. */
STK_NODISCARD stk_status stk_class_list_print(const stk_train_data *data, int64_t classes,
                                              stk_blob *out, stk_error *err);
void                     stk_class_list_release(stk_class_list *list);

#endif
