/* Shared by reading and writing a data set's description. */
#ifndef STK_STORAGE_DATASET_DATASET_INFO_INTERNAL_H
#define STK_STORAGE_DATASET_DATASET_INFO_INTERNAL_H

#include <stdbool.h>
#include <stoker/blob.h>

#define STK_FEATURES_FILE "features.json"
#define STK_INFO_FILE "dataset_info.json"

/* Replaces text by the name of the file that a label's class names are in: as TensorFlow Datasets
 * has it, slashes in the name become dots. outer is the feature it lies inside of, or "". */
STK_NODISCARD stk_status stk_labels_file_name(stk_blob *text, const char *outer, const char *name,
                                              stk_error *err);
/* Whether a file name may belong to a description. */
bool stk_dataset_info_is_name(const char *name);

#endif
