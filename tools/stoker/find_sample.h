/* The place of a sample in the endless stream of a data set's shuffled images. */
#ifndef CLI_TOOLS_FIND_SAMPLE_H
#define CLI_TOOLS_FIND_SAMPLE_H

#include "model_images.h"

#include <stoker/iterator.h>

/* How to run pipelines. */
typedef struct cli_sample_run {
    uint64_t seed;
    int      threads;
    uint64_t memory_bytes;
} cli_sample_run;

stk_iterator_options cli_sample_iterator_options(const cli_sample_run *run);

/* The sample, or the first one of the epoch. */
typedef struct cli_sample_wanted {
    const char *file;     /* the end of its path; NULL: any */
    uint64_t    record;   /* its number in the file; 0 where the file is one image */
    bool        numbered; /* record was given */
    uint64_t    epoch;
} cli_sample_wanted;

/* Cuts "FILE:RECORD" or "FILE" in place. */
void cli_sample_wanted_parse(cli_sample_wanted *wanted, char *text);

/* Draws from the images of path, undecoded, as an iterator of this run would, until the sample
 * comes. STK_E_NOTFOUND when the epoch ends before. */
STK_NODISCARD stk_status cli_sample_find(uint64_t *index, const char *path,
                                         const cli_image_values *values, const cli_sample_run *run,
                                         const cli_sample_wanted *wanted, stk_error *err);

/* An iterator over data (images, prepared) that stands before element index, with the random
 * numbers it has there; nothing before it is decoded. */
STK_NODISCARD stk_status cli_sample_start(stk_iterator **out, stk_dataset *data,
                                          const cli_sample_run *run, uint64_t index,
                                          stk_error *err);

#endif
