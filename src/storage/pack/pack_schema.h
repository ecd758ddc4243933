/* The features of a pack's records: those of the source, and for its images indexes of restarts.
 */
#ifndef STK_STORAGE_PACK_PACK_SCHEMA_H
#define STK_STORAGE_PACK_PACK_SCHEMA_H

#include "base/arena.h"

#include <stoker/pack.h>

enum { STK_NO_FEATURE = -1 };

/* The handling of one feature of the source. */
typedef struct stk_pack_feature {
    bool    image;    /* its values are looked at */
    bool    seekable; /* and may be made so */
    bool    foreign;  /* and may be of formats that TensorFlow does not read: they become PNGs */
    bool    checked;  /* no image of it changes, but bad ones are to be found */
    int64_t restarts; /* number of the feature that its index goes into, or STK_NO_FEATURE */
} stk_pack_feature;

typedef struct stk_pack_schema {
    stk_feature_info *features; /* of the records; the source's come first */
    size_t            feature_count;
    stk_pack_feature *source_features;
    size_t            source_count;
    bool              changes; /* any image may, or is checked */
} stk_pack_schema;

/* largest is that of the source's items: whether restarts can pay is decided by it, since nothing
 * has been read yet and every record is to have the same features. All is in arena or the source's.
 */
STK_NODISCARD stk_status stk_pack_schema_init(stk_pack_schema *schema, const stk_source *source,
                                              const stk_pack_images *images, uint64_t largest,
                                              stk_arena *arena, stk_error *err);

#endif
