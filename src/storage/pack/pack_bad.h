/* Items whose images are bad: a note beside each shard that has any, and at the end one list. A
 * line has, with tabs between, what was done ("kept", "skipped"), the shard's file, the item and
 * the reason. */
#ifndef STK_STORAGE_PACK_PACK_BAD_H
#define STK_STORAGE_PACK_PACK_BAD_H

#include <stoker/pack.h>

#define STK_BAD_ITEMS_FILE "bad_items.txt"

/* Whether a failed conversion is the image's fault, not the machine's. */
bool stk_pack_is_bad(stk_status status);

/* Appends an item's line. reason may be err's own text. */
STK_NODISCARD stk_status stk_pack_bad_add(stk_blob *lines, stk_pack_on_bad on_bad,
                                          const char *shard_path, const char *item,
                                          const char *reason, stk_error *err);

/* Writes lines beside a shard before it is committed: every committed shard has its note. */
STK_NODISCARD stk_status stk_pack_bad_note(const char *shard_path, stk_bytes lines,
                                           const stk_filesystem *fs, stk_error *err);

/* STK_E_EXISTS where earlier runs, in folder's list or beside the count shards, did with bad
 * images something else than is asked for now: a pack does one thing. */
STK_NODISCARD stk_status stk_pack_bad_check(const char *folder, char *const *shard_paths,
                                            size_t count, const stk_pack_options *options,
                                            stk_error *err);

typedef struct stk_pack_bad {
    uint64_t *skipped; /* of each shard; the caller's, cleared */
    uint64_t  kept;    /* of all */
} stk_pack_bad;

/* Merges the notes of all finished shards into the folder's list and counts its lines. */
STK_NODISCARD stk_status stk_pack_bad_gather(stk_pack_bad *bad, const char *folder,
                                             char *const *shard_paths, size_t count,
                                             const stk_pack_options *options, stk_error *err);

#endif
