/* Class names of a model, by index. */
#ifndef STK_TRAIN_SAVED_CLASS_LIST_H
#define STK_TRAIN_SAVED_CLASS_LIST_H

#include <stoker/train_data.h>

enum { STK_CLASS_LIST_CAPACITY = 64 };

typedef struct stk_class_list {
    char  **names;
    int64_t count;
} stk_class_list;

/* The name of class index: the data's, or "class 7", which is written to scratch. */
const char *stk_class_list_name(const stk_train_data *data, int64_t index,
                                char scratch[STK_CLASS_LIST_CAPACITY]);

/* Reads a text file, one name per line. On failure of any function *out is empty. */
STK_NODISCARD stk_status stk_class_list_read(stk_class_list *out, const char *path, stk_error *err);
/* Parses a JSON array of strings; path is for messages. */
STK_NODISCARD stk_status stk_class_list_parse(stk_class_list *out, const char *json,
                                              const char *path, stk_error *err);
/* Fills in "class 0" and so on. */
STK_NODISCARD stk_status stk_class_list_number(stk_class_list *out, int64_t count, stk_error *err);
/* Appends the names as such an array, NUL-terminated. */
STK_NODISCARD stk_status stk_class_list_print(const stk_train_data *data, int64_t classes,
                                              stk_blob *out, stk_error *err);
void                     stk_class_list_release(stk_class_list *list);

#endif
