/* One image as a pack stores it. */
#ifndef STK_STORAGE_PACK_PACK_IMAGE_H
#define STK_STORAGE_PACK_PACK_IMAGE_H

#include <stoker/image.h>
#include <stoker/pack.h>

typedef struct stk_image_maker stk_image_maker; /* memory that is reused; one thread's */

STK_NODISCARD stk_status stk_image_maker_new(stk_image_maker **out, stk_ledger *ledger,
                                             stk_error *err);
void                     stk_image_maker_free(stk_image_maker *maker); /* NULL is fine */

typedef struct stk_image_made {
    stk_bytes bytes;     /* out's, or the source's own where they stay */
    bool      seekable;  /* was made so; restarts holds its index */
    bool      encoded;   /* was decoded and written anew */
    bool      converted; /* as a PNG */
} stk_image_made;

/* Decodes source and drops what comes out. Errors are those of stk_image_make. */
STK_NODISCARD stk_status stk_image_check(stk_image_maker *maker, stk_bytes source, stk_error *err);

/* Makes of source what images ask for, in out and restarts, which are emptied first. What stays as
 * it is, is checked where bad images are not the end. An image that cannot be read is
 * STK_E_DATALOSS, STK_E_FORMAT, STK_E_UNSUPPORTED or STK_E_LIMIT. */
STK_NODISCARD stk_status stk_image_make(stk_image_maker *maker, const stk_pack_images *images,
                                        stk_bytes source, stk_blob *out, stk_blob *restarts,
                                        stk_image_made *made, stk_error *err);

#endif
