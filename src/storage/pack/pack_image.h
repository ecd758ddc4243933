/* One picture as a pack stores it. */
#ifndef STK_STORAGE_PACK_PACK_IMAGE_H
#define STK_STORAGE_PACK_PACK_IMAGE_H

#include <stoker/image.h>
#include <stoker/pack.h>

typedef struct stk_picture_maker stk_picture_maker; /* memory that is reused; one thread's */

STK_NODISCARD stk_status stk_picture_maker_new(stk_picture_maker **out, stk_ledger *ledger,
                                               stk_error *err);
void                     stk_picture_maker_free(stk_picture_maker *maker); /* NULL is fine */

typedef struct stk_picture_made {
    stk_bytes bytes;     /* out's, or the source's own where they stay */
    bool      seekable;  /* was made so; restarts holds its index */
    bool      encoded;   /* was decoded and written anew */
    bool      converted; /* as a PNG */
} stk_picture_made;

/* Decodes source and drops what comes out. Errors are those of stk_picture_make. */
STK_NODISCARD stk_status stk_picture_check(stk_picture_maker *maker, stk_bytes source,
                                           stk_error *err);

/* Makes of source what images ask for, in out and restarts, which are emptied first. What stays as
 * it is, is checked where bad pictures are not the end. A picture that cannot be read is
 * STK_E_DATALOSS, STK_E_FORMAT, STK_E_UNSUPPORTED or STK_E_LIMIT. */
STK_NODISCARD stk_status stk_picture_make(stk_picture_maker *maker, const stk_pack_images *images,
                                          stk_bytes source, stk_blob *out, stk_blob *restarts,
                                          stk_picture_made *made, stk_error *err);

#endif
