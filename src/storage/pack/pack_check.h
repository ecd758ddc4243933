/* What would make a pack fail at its end is looked for at its beginning. */
#ifndef STK_STORAGE_PACK_CHECK_H
#define STK_STORAGE_PACK_CHECK_H

#include <stoker/source.h>

/* Refuses a source whose listing shows already that it cannot be packed: images without a byte
 * (STK_E_DATALOSS), class names and label fields that their files cannot hold (STK_E_INVALID). */
STK_NODISCARD stk_status stk_pack_check_source(const stk_source *source, stk_error *err);

#endif
