/* stoker/pack.h - any source to sharded TFRecords, resumable.
 * The work happens in "OUT.partial"; the folder OUT appears, whole, at the end. A run that was
 * killed is continued by the next one with the same source and options: finished shards are kept,
 * and the result has the same bytes as one uninterrupted run, on any number of threads. */
#ifndef STOKER_PACK_H
#define STOKER_PACK_H

#include <stdbool.h>
#include <stoker/cancel.h>
#include <stoker/source.h>
#include <stoker/tfrecord.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_pack_split {
    const char *name;
    double      fraction; /* of the source's items; all together 1 */
} stk_pack_split;

typedef struct stk_pack_progress {
    uint64_t items_done, items_total;
    uint64_t bytes_done, bytes_total; /* of source content */
} stk_pack_progress;

/* What becomes of images: of features that are encoded images. */
typedef enum stk_pack_format {
    STK_PACK_SEEKABLE, /* JPEGs made seekable; TIFFs and PNMs become PNGs; others as they are */
    STK_PACK_KEEP,     /* the bytes of the source; nothing looks inside */
    STK_PACK_JPEG,     /* others become JPEGs, too */
    STK_PACK_RAW,      /* pixels: binary PPM and PGM */
    STK_PACK_AUTO,     /* RAW up to 64 by 64 pixels, else JPEG */
    STK_PACK_FORMATS
} stk_pack_format;

/* What is done with an item whose image cannot be changed so. Except with FAILS, images that
 * need no change are decoded once (not with KEEP), since they may be bad as well. */
typedef enum stk_pack_on_bad {
    STK_PACK_BAD_FAILS, /* the pack fails, naming it */
    STK_PACK_BAD_KEPT,  /* its bytes are stored as they are; OUT/bad_items.txt lists it */
    STK_PACK_BAD_SKIPPED,
    STK_PACK_ON_BADS
} stk_pack_on_bad;

/* "seekable", "fail", ...: literals. */
STK_API const char *stk_pack_format_name(stk_pack_format format);
STK_API const char *stk_pack_on_bad_name(stk_pack_on_bad on_bad);

typedef struct stk_pack_images {
    stk_pack_format format;
    bool            no_restarts; /* no JPEG is made seekable */
    bool            no_png;      /* with SEEKABLE: TIFFs and PNMs stay as they are */
    int32_t         resize;      /* most pixels of the short side: larger images are resampled to it
                                    and, unless RAW, become JPEGs; 0: none. Not with KEEP */
    int             quality;     /* of JPEGs that are encoded: 1 to 100; 0 means 95 */
    stk_pack_on_bad on_bad;
} stk_pack_images;

typedef struct stk_pack_options {
    const char     *name;        /* of the data set; NULL means OUT's last component */
    uint64_t        shard_bytes; /* aimed at; 0 means 100 MB (10^8) */
    stk_compression compression; /* of the shards; AUTO means none */
    bool            keep_order;  /* else shuffled once over the whole split, by seed */
    uint64_t        seed;
    /* Splits the source anew; with none the source's own splits are kept. */
    const stk_pack_split *splits;
    size_t                split_count;
    stk_pack_images       images;
    int                   threads;    /* 0 means one per allowed core */
    bool                  restart;    /* throw away an unfinished run of other content */
    const stk_filesystem *filesystem; /* where OUT is; NULL means the local one */
    stk_ledger           *ledger;     /* NULL makes one with the default ceiling */
    const stk_cancel     *cancel;
    stk_trace            *trace;
    /* Called on the calling thread, at most about ten times a second. */
    void (*progress)(void *context, const stk_pack_progress *progress);
    void *progress_context;
} stk_pack_options;

typedef struct stk_pack_result {
    uint64_t items, shards; /* written, those of earlier runs among them */
    uint64_t bytes_in, bytes_out;
    uint64_t shards_kept; /* found finished from an earlier run */
    uint64_t splits;
    /* Images that this run looked at: their bytes (with indexes), and how many became other. */
    uint64_t image_bytes_in, image_bytes_out;
    uint64_t seekable;              /* made so */
    uint64_t converted;             /* TIFFs and PNMs that became PNGs */
    uint64_t encoded;               /* decoded and written anew, some of them seekable too */
    uint64_t bad_kept, bad_skipped; /* items, of all runs */
    bool     already_done;          /* OUT held the result of the same pack: nothing was written */
} stk_pack_result;

/* Packs every item of source into the folder out_path. An existing folder that is neither empty nor
 * the same pack is STK_E_EXISTS; an unfinished run of other content is STK_E_EXISTS unless restart,
 * which throws away what a pack wrote and nothing else. An empty folder becomes "OUT.partial" until
 * the end. What shows in the listing already (an image of no bytes that is not skipped, a split of
 * no items, a class name with a line break) fails before anything is written. After a failure
 * finished shards stay in "OUT.partial" for the next run; that may treat bad images otherwise as
 * long as none was met. Seekable images NAME have their index in a feature NAME_restarts. */
STK_API STK_NODISCARD stk_status stk_pack(const stk_source *source, const char *out_path,
                                          const stk_pack_options *options, stk_pack_result *result,
                                          stk_error *err);

STK_END_DECLS
#endif
