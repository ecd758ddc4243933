/* Which items of a split are held back for validation. */
#ifndef STK_STORAGE_SOURCE_HOLDOUT_H
#define STK_STORAGE_SOURCE_HOLDOUT_H

#include <stoker/source.h>

/* One of every so many items, class by class in the order of the listing, so that every class has
 * its share; the only item of a class is never held back, since nobody could learn it then. held
 * has a byte for each item of the source, set to 1 where it is (NULL: they are only counted).
 * count is written. The same source always gives the same. */
STK_NODISCARD stk_status stk_source_holdout(const stk_source *source, size_t split, int64_t every,
                                            uint8_t *held, uint64_t *count, stk_error *err);

#endif
