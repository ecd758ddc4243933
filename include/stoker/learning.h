/* stoker/learning.h - training progress for the report page: curves in bounded memory, position,
 * remaining time, the best accuracy, sample images. */
#ifndef STOKER_LEARNING_H
#define STOKER_LEARNING_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

enum { STK_LEARNING_POINTS = 2048, STK_LEARNING_EPOCHS = 1024, STK_LEARNING_IMAGES = 16 };

/* One report; unknown values are NAN. */
typedef struct stk_learning_row {
    int64_t step;
    double  epoch, seconds;                /* epoch: fractional, from 0 */
    double  loss, accuracy, learning_rate; /* since the previous report; accuracy 0 to 1 */
    double  epoch_loss, epoch_accuracy;    /* at the end of an epoch: means over it */
    double  validation_loss, validation_accuracy;
} stk_learning_row;

/* Position of the run. */
typedef struct stk_learning_position {
    const char *state; /* a literal: "running", "done", "interrupted", "stopped early", "failed" */
    int64_t     step, steps, epoch, epochs; /* epoch: the current one, from 1 */
    double      seconds, seconds_left;      /* seconds_left below 0: not known */
} stk_learning_position;

/* An encoded image, PNG or JPEG. */
typedef struct stk_learning_image {
    stk_bytes   encoded;
    const char *label, *predicted; /* predicted "": not known */
    double      probability;
    bool        right;
} stk_learning_image;

typedef enum stk_learning_set { STK_LEARNING_TRAINING, STK_LEARNING_VALIDATION } stk_learning_set;

typedef struct stk_learning stk_learning; /* not thread-safe */

STK_API STK_NODISCARD stk_status stk_learning_new(stk_learning **out, stk_error *err);
STK_API void                     stk_learning_free(stk_learning *learning); /* NULL is fine */

/* Adds a report. When full, neighbours are averaged; epoch ends and the best are kept. */
STK_API void stk_learning_add(stk_learning *learning, const stk_learning_row *row);
STK_API void stk_learning_set_position(stk_learning                *learning,
                                       const stk_learning_position *position);
/* Replaces the images of a set with copies; count is at most STK_LEARNING_IMAGES. On failure the
 * old ones stay. */
STK_API STK_NODISCARD stk_status stk_learning_show(stk_learning *learning, stk_learning_set set,
                                                   int64_t step, const stk_learning_image *images,
                                                   size_t count, stk_error *err);
/* Appends a JSON object. */
STK_API STK_NODISCARD stk_status stk_learning_write(const stk_learning *learning, stk_blob *out,
                                                    stk_error *err);

STK_END_DECLS
#endif
