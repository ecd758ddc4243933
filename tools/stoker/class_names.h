/* What the classes of a data set are called, and how a sample is named in few letters. */
#ifndef CLI_TOOLS_CLASS_NAMES_H
#define CLI_TOOLS_CLASS_NAMES_H

#include <stoker/dataset_info.h>
#include <stoker/element.h>
#include <stoker/source.h>

typedef struct cli_class_names {
    stk_dataset_info        info;   /* of a pack */
    stk_source             *source; /* of other data */
    const stk_feature_info *label;  /* NULL: nothing is known */
} cli_class_names;

/* Looks for them in the folder's description, else in the source. Data that says nothing is no
 * error: classes are then numbers. */
void cli_class_names_load(cli_class_names *names, const char *path, bool follow_outside);
void cli_class_names_release(cli_class_names *names);

/* "frog", or "class 6"; "" for no label (-1). Returns text. */
char *cli_class_name(const cli_class_names *names, int64_t label, char *text, size_t capacity);

/* "train-00001:12", "cat_0412.jpg": the file without its folders, and the record where the file has
 * several. Returns text. */
char *cli_sample_name(const stk_element *element, char *text, size_t capacity);

#endif
