/* Items that lie where no class can be told. */
#ifndef STK_STORAGE_SOURCE_STRAY_H
#define STK_STORAGE_SOURCE_STRAY_H

#include "storage/source/class_path.h"

/* Takes out of *count items (item_bytes apart, paths read from skip on) what fits nowhere and is
 * clearly not what the data is about, with a note of the source for each kind: folders beside two
 * splits or more, splits other than the training one without classes, and a few loose files beside
 * class folders. What is not clear stays, to be refused. */
STK_NODISCARD stk_status stk_strays_leave_out(stk_source *source, void *items, size_t item_bytes,
                                              size_t *count, size_t skip, stk_error *err);

#endif
