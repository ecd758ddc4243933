/* Content hashes of sources, independent of their location. */
#ifndef STK_STORAGE_SOURCE_SOURCE_CONTENT_H
#define STK_STORAGE_SOURCE_SOURCE_CONTENT_H

#include <stoker/source.h>

/* Of the names, labels and splits of all items, in order. Sizes are no part of it: a broken image
 * may be replaced by a whole one. */
uint64_t stk_source_names(const stk_source *source);

/* Of the labels and splits alone. */
uint64_t stk_source_labels(const stk_source *source);

/* Mixes names, sizes and how some items begin into *hash. *gone: one of them cannot be read. */
STK_NODISCARD stk_status stk_source_content(const stk_source *source, uint64_t *hash,
                                            bool *incomplete, stk_error *err);

#endif
