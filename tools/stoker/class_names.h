/* Class names of a data set, and short names of samples. */
#ifndef CLI_TOOLS_CLASS_NAMES_H
#define CLI_TOOLS_CLASS_NAMES_H

#include <stoker/dataset_info.h>
#include <stoker/element.h>
#include <stoker/source.h>

typedef struct cli_class_names {
    stk_dataset_info        info;   /* of a pack */
    stk_source             *source; /* of other data */
    const stk_feature_info *label;  /* NULL: not known */
} cli_class_names;

/* Loads names from the folder's description, else from the source. Without any, classes are
 * numbers; a description that is there and cannot be read is an error. Release names even then. */
STK_NODISCARD stk_status cli_class_names_load(cli_class_names *names, const char *path,
                                              bool follow_outside, stk_error *err);
void                     cli_class_names_release(cli_class_names *names);

/* Writes "frog" or "class 6"; "" for no label (-1). Returns text. */
char *cli_class_name(const cli_class_names *names, int64_t label, char *text, size_t capacity);

/* Writes "train-00001:12" or "cat_0412.jpg": the file name, and the record if the file has several.
 * Returns text. */
char *cli_sample_name(const stk_element *element, char *text, size_t capacity);

#endif
