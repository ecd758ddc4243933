/* Finds a sample's index in the endless stream of shuffled images. */
#ifndef CLI_TOOLS_FIND_SAMPLE_H
#define CLI_TOOLS_FIND_SAMPLE_H

#include "model_images.h"

#include <stoker/iterator.h>

/* Iterator settings. */
typedef struct cli_sample_run {
    uint64_t seed;
    int      threads;
    uint64_t memory_bytes;
} cli_sample_run;

stk_iterator_options cli_sample_iterator_options(const cli_sample_run *run);

/* A sample, or the first one of an epoch. */
typedef struct cli_sample_wanted {
    const char *file;     /* suffix of its path; NULL: any */
    uint64_t    record;   /* its index in the file; 0 for an image file */
    bool        numbered; /* record was given */
    uint64_t    epoch;
} cli_sample_wanted;

/* Splits "FILE:RECORD" or "FILE" in place. */
void cli_sample_wanted_parse(cli_sample_wanted *wanted, char *text);

/* Draws undecoded images of path as this run would, until the sample comes. STK_E_NOTFOUND if the
 * epoch ends before. */
STK_NODISCARD stk_status cli_sample_find(uint64_t *index, const char *path,
                                         const cli_image_values *values, const cli_sample_run *run,
                                         const cli_sample_wanted *wanted, stk_error *err);

/* Starts an iterator over data (prepared images) at element index, with that element's random
 * numbers; decodes nothing before it. */
STK_NODISCARD stk_status cli_sample_start(stk_iterator **out, stk_dataset *data,
                                          const cli_sample_run *run, uint64_t index,
                                          stk_error *err);

#endif
