/* One sample of the bare loop: a JPEG in memory to pixels in a batch, by libjpeg-turbo alone. */
#ifndef BARE_SAMPLE_H
#define BARE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BARE_SMALL_SIDE = 32, BARE_SMALL_PADDING = 4 };

typedef enum bare_task {
    BARE_CROP,  /* random resized crop to 224, flip */
    BARE_SMALL, /* pad by 4, random crop to 32, flip */
    BARE_TASKS
} bare_task;

typedef struct bare_photo {
    char    *path;
    uint8_t *data;
    size_t   bytes;
} bare_photo;

typedef struct bare_window {
    int  x, y, width, height; /* of BARE_SMALL: where the image's corner comes to lie */
    bool flip;
} bare_window;

typedef struct bare_worker bare_worker; /* decompressor and scratch that are reused; one thread's */

bare_worker *bare_worker_new(bare_task task, bool fast, uint64_t seed); /* NULL without memory */
void         bare_worker_free(bare_worker *worker);
uint64_t     bare_worker_random(bare_worker *worker, uint64_t bound);

/* Bytes of a result; what is written may reach BARE_SLACK further. */
size_t bare_sample_bytes(bare_task task);
/* Draws a window and makes the sample. False, with a line on stderr, when photo cannot be decoded.
 */
bool bare_sample_make(bare_worker *worker, const bare_photo *photo, uint8_t *dst,
                      bare_window *window);

#endif
