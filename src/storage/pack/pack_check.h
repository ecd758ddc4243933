/* Early checks for errors that would fail a pack at its end. */
#ifndef STK_STORAGE_PACK_PACK_CHECK_H
#define STK_STORAGE_PACK_PACK_CHECK_H

#include <stoker/pack.h>

/* Refuses a source whose listing shows already that it cannot be packed: images without a byte
 * (STK_E_DATALOSS) unless bad ones are skipped, class names and label fields that their files
 * cannot hold (STK_E_INVALID). */
STK_NODISCARD stk_status stk_pack_check_source(const stk_source      *source,
                                               const stk_pack_images *images, stk_error *err);

#endif
