/* One item of a pack: read, its images converted, framed. */
#ifndef STK_STORAGE_PACK_PACK_ITEM_H
#define STK_STORAGE_PACK_PACK_ITEM_H

#include "storage/pack/pack_convert.h"
#include "storage/pack/pack_plan.h"

/* The state of one packing thread. */
typedef struct stk_packer {
    const stk_source   *source;
    stk_source_cursor  *cursor;
    stk_pack_converter *converter; /* NULL: images stay unchanged */
} stk_packer;

/* plan must outlive it. After a failure it must still be released. */
STK_NODISCARD stk_status stk_packer_init(stk_packer *packer, const stk_source *source,
                                         const stk_pack_plan *plan, const stk_pack_options *options,
                                         stk_error *err);
void                     stk_packer_release(stk_packer *packer);

/* Appends the framed record of item to frames, or a line to bad, or both, as options say of bad
 * images. shard_path is for that line. */
STK_NODISCARD stk_status stk_packer_add(stk_packer *packer, uint64_t item,
                                        const stk_pack_options *options, const char *shard_path,
                                        stk_blob *frames, stk_blob *bad, stk_pack_tally *tally,
                                        stk_error *err);

#endif
