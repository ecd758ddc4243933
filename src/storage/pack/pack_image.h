/* One image as a pack stores it. */
#ifndef STK_STORAGE_PACK_PACK_IMAGE_H
#define STK_STORAGE_PACK_PACK_IMAGE_H

#include <stoker/image.h>
#include <stoker/pack.h>

typedef struct stk_image_maker stk_image_maker; /* reusable memory of one thread */

STK_NODISCARD stk_status stk_image_maker_new(stk_image_maker **out, stk_ledger *ledger,
                                             stk_error *err);
void                     stk_image_maker_free(stk_image_maker *maker); /* NULL is fine */

typedef struct stk_image_made {
    stk_bytes bytes;     /* in out, or the source's if unchanged */
    bool      seekable;  /* made seekable; restarts has the index */
    bool      encoded;   /* re-encoded */
    bool      converted; /* as a PNG */
} stk_image_made;

/* Decodes source and drops what comes out. Errors are those of stk_image_make. */
STK_NODISCARD stk_status stk_image_check(stk_image_maker *maker, stk_bytes source, stk_error *err);

/* Converts source as images specifies into out and restarts, which are cleared first. Unchanged
 * images are checked if bad ones are tolerated. An image that cannot be read is STK_E_DATALOSS,
 * STK_E_FORMAT, STK_E_UNSUPPORTED or STK_E_LIMIT. */
STK_NODISCARD stk_status stk_image_make(stk_image_maker *maker, const stk_pack_images *images,
                                        stk_bytes source, stk_blob *out, stk_blob *restarts,
                                        stk_image_made *made, stk_error *err);

#endif
