/* stoker/health.h - what is wrong with a data set of images before anything is trained on it: bad
 * files, copies, test images that are among those for training, classes that look like mistakes.
 * Images are really decoded, all or a sample that is spread over the set. */
#ifndef STOKER_HEALTH_H
#define STOKER_HEALTH_H

#include <stoker/cancel.h>
#include <stoker/image.h>
#include <stoker/json.h>
#include <stoker/source.h>

STK_BEGIN_DECLS

enum { STK_HEALTH_FINDINGS = 32, STK_HEALTH_EXAMPLES = 3, STK_HEALTH_BAD = 100 };

typedef struct stk_health_options {
    uint64_t          sample;  /* most images to decode; 0 means 2000 */
    bool              all;     /* every one instead */
    int               threads; /* 0 means one per allowed core */
    stk_ledger       *ledger;
    const stk_cancel *cancel;
    /* Called now and then from the threads that look, by one at a time. */
    void (*progress)(void *context, uint64_t bytes, uint64_t bytes_total, uint64_t items,
                     uint64_t items_total);
    void *progress_context;
} stk_health_options;

typedef enum stk_health_level {
    STK_HEALTH_NOTE,    /* good to know */
    STK_HEALTH_WARNING, /* may be meant so; mostly is not */
    STK_HEALTH_PROBLEM  /* results would be wrong, or training stops */
} stk_health_level;

typedef struct stk_health_finding {
    const char      *rule; /* a literal: "duplicates" */
    stk_health_level level;
    uint64_t         count;        /* of images, classes or files that it is about */
    char             message[320]; /* what is the matter and what to do */
    char             examples[STK_HEALTH_EXAMPLES][200];
    size_t           example_count;
} stk_health_finding;

/* An image that cannot be decoded. */
typedef struct stk_health_bad {
    char name[200]; /* the file, or file and record, with the name that the image had */
    char reason[256];
} stk_health_bad;

typedef struct stk_health_report {
    uint64_t items, looked_at; /* in all; decoded or found bad */
    uint64_t bad;
    /* Of images that could be decoded. Median: of as many the half are smaller. */
    int32_t  min_width, median_width, max_width;
    int32_t  min_height, median_height, max_height;
    uint64_t formats[STK_IMAGE_FORMATS]; /* [STK_IMAGE_NONE]: pixels as they are */
    uint64_t grey, colours, alpha;       /* alpha: of either, and CMYK */
    uint64_t deep;                       /* 16 bits a channel */
    uint64_t turned;                     /* by EXIF */
    uint64_t more_frames;
    uint64_t copies;      /* images with the bytes of an earlier one */
    uint64_t near_copies; /* those that look like another one, and are no copies */
    uint64_t overlap;     /* of other splits than the one for training: copies from another split */
    uint64_t near_overlap;                            /* the same of near copies */
    uint64_t conflicts;                               /* copies under another class */
    stk_health_finding findings[STK_HEALTH_FINDINGS]; /* problems first */
    size_t             finding_count;
    stk_health_bad    *bad_list; /* the first STK_HEALTH_BAD */
    size_t             bad_listed;
} stk_health_report;

/* Whether a source has images to look at. */
STK_API bool stk_health_applies(const stk_source *source);

/* Looks at a source for which stk_health_applies. Bad images are findings, no failure; the call
 * fails without memory, or when cancelled. The result is the same on any number of threads. */
STK_API STK_NODISCARD stk_status stk_health_check(stk_health_report *out, const stk_source *source,
                                                  const stk_health_options *options,
                                                  stk_error                *err);
STK_API void                     stk_health_report_release(stk_health_report *report);

/* "note", "warning", "problem": a literal. */
STK_API const char *stk_health_level_name(stk_health_level level);
/* The report as one JSON object. */
STK_API void stk_health_write(stk_json_writer *json, const stk_health_report *report);

STK_END_DECLS
#endif
