/* The folder a pack is written into: "OUT.partial" while it grows, OUT when complete. */
#ifndef STK_STORAGE_PACK_PACK_FOLDER_H
#define STK_STORAGE_PACK_PACK_FOLDER_H

#include "storage/pack/pack_plan.h"

typedef struct stk_pack_folder {
    const stk_filesystem *fs;
    char                 *out;      /* OUT without a slash at its end */
    char                 *partial;  /* OUT.partial */
    stk_lock             *lock;     /* on partial, while writing */
    bool                  done;     /* OUT has this pack already */
    bool                  replaces; /* OUT exists, empty */
} stk_pack_folder;

/* Looks at what is there and makes the partial folder ours: locked, with our plan's mark in it and
 * without leftovers of a killed run other than finished shards. On failure (and when done) nothing
 * was changed but that an empty OUT may be the partial folder; the folder must still be released.
 */
STK_NODISCARD stk_status stk_pack_folder_open(stk_pack_folder *folder, const char *out_path,
                                              const stk_pack_plan    *plan,
                                              const stk_pack_options *options, stk_error *err);

/* "OUT.partial/name" to be freed by the caller; NULL with err filled without memory. */
char *stk_pack_folder_path(const stk_pack_folder *folder, const char *name, stk_error *err);

/* Gives the folder its final name. */
STK_NODISCARD stk_status stk_pack_folder_finish(stk_pack_folder *folder, stk_error *err);

void stk_pack_folder_release(stk_pack_folder *folder);

#endif
