/* Classes and splits from where files lie: "train/cat/0001.jpg". Shared by every importer whose
 * items have paths. */
#ifndef STK_STORAGE_SOURCE_CLASS_PATH_H
#define STK_STORAGE_SOURCE_CLASS_PATH_H

#include "storage/source/source_internal.h"

/* Class and split of an item by its path; importers embed it as the first member of their items. */
typedef struct stk_path_class {
    const char *path; /* relative to the source */
    int32_t     label;
    uint32_t    split;
} stk_path_class;

typedef struct stk_classes {
    char **names; /* sorted bytewise, in the source's arena; NULL when there are none */
    size_t count;
} stk_classes;

/* Sets the source's splits, and label and split of *count items that lie item_bytes apart; strays
 * (stray.h) are taken out of them before. Where the top folders are all named as splits are
 * (split_name.h) they are splits, and classes lie below them; where every class has such folders,
 * as in cat/train/1.jpg, those are splits; else the one split is "train" and the top folders are
 * the classes. Some named so and holding classes, beside others, are STK_E_FORMAT. A file deeper
 * down belongs to the class it lies below. A lone top folder that only wraps others is passed over;
 * with unwrap also one that holds files itself, as archives have. Either all items have a class or
 * none: else STK_E_FORMAT names one that has none. */
STK_NODISCARD stk_status stk_classes_from_paths(stk_source *source, void *items, size_t item_bytes,
                                                size_t *count, bool unwrap, stk_classes *classes,
                                                stk_error *err);

#endif
