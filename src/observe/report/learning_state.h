/* State of training progress: kept by learning.c, written by learning_json.c. */
#ifndef STK_OBSERVE_REPORT_LEARNING_STATE_H
#define STK_OBSERVE_REPORT_LEARNING_STATE_H

#include <stoker/learning.h>

enum { STK_LEARNING_VALUES = 3 }; /* of a point: loss, accuracy, rate */

typedef struct stk_learning_point {
    int64_t step;
    double  epoch, seconds;
    double sum[STK_LEARNING_VALUES], count[STK_LEARNING_VALUES]; /* over the reports with a value */
    int64_t reports;
} stk_learning_point;

typedef struct stk_learning_images {
    int64_t  step;
    stk_blob json; /* the list, serialised once */
} stk_learning_images;

struct stk_learning {
    stk_learning_position position;
    stk_learning_point    points[STK_LEARNING_POINTS];
    size_t                point_count;
    int64_t               reports_each; /* reports per point */
    stk_learning_row      epochs[STK_LEARNING_EPOCHS];
    size_t                epoch_count;
    stk_learning_row      last, best; /* step 0: none */
    stk_learning_images   images[2];
};

#endif
