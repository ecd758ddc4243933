/* Reads, frames and writes the records of a plan: many readers, one writer, the plan's order. */
#ifndef STK_STORAGE_PACK_PACK_WRITE_H
#define STK_STORAGE_PACK_PACK_WRITE_H

#include "storage/pack/pack_convert.h"
#include "storage/pack/pack_folder.h"

/* Writes the shards that are not finished. paths[i] is shard i's file, finished[i] whether it is
 * there already. tally is of the images of the others. */
STK_NODISCARD stk_status stk_pack_write(const stk_source *source, const stk_pack_plan *plan,
                                        char *const *paths, const bool *finished,
                                        const stk_pack_options *options, stk_pack_tally *tally,
                                        stk_error *err);

#endif
