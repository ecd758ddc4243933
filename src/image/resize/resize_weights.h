/* Resampling weights of one axis: a run of source pixels and a weight for each, per output pixel.
 */
#ifndef STK_IMAGE_RESIZE_RESIZE_WEIGHTS_H
#define STK_IMAGE_RESIZE_RESIZE_WEIGHTS_H

#include "image/resize/resize.h"

/* Arithmetic of the sums, which decides whose results are matched. */
typedef enum stk_sums_kind {
    STK_SUMS_BYTES,   /* weights of 22 bits; rounded to bytes after each pass: Pillow */
    STK_SUMS_INTEGER, /* weights of 11 bits; rounded once, after both passes: OpenCV */
    STK_SUMS_FLOAT    /* float: TensorFlow, and OpenCV's area averages */
} stk_sums_kind;

enum {
    STK_WEIGHT_BITS = 22,     /* of BYTES; of INTEGER after both passes */
    STK_WEIGHT_HALF_BITS = 11 /* of INTEGER, in one pass */
};

typedef struct stk_axis_request {
    double       start, length; /* the box's side, in source pixels */
    int32_t      out;           /* pixels of the whole box's result */
    int32_t      part, count;   /* those wanted of them: first and how many */
    bool         flip;          /* the last of them comes first */
    bool         shrinks;       /* neither axis is enlarged: OpenCV's area asks for both */
    stk_sampling sampling;
} stk_axis_request;

/* Unused weights are 0, and all taps lie inside the box. */
typedef struct stk_axis {
    int32_t          count; /* outputs */
    int32_t          taps;  /* source pixels of each */
    stk_sums_kind    arithmetic;
    bool             signed_weights; /* some may be negative: sums may leave 0..255 */
    int32_t         *first;          /* of each output: its first source pixel */
    int32_t         *fixed;          /* count * taps; not REAL */
    float           *floating;       /* count * taps; REAL */
    double          *scratch;        /* count * (taps + 2), while weights are computed */
    stk_axis_request request;        /* the request it was built for */
    uint64_t         builds;         /* number of builds */
    stk_blob         memory;
} stk_axis;

/* Allocates nothing yet. */
void stk_axis_init(stk_axis *axis, stk_ledger *ledger);
void stk_axis_release(stk_axis *axis);

/* STK_E_LIMIT if the weights exceed reasonable memory. */
STK_NODISCARD stk_status stk_axis_build(stk_axis *axis, const stk_axis_request *request,
                                        stk_error *err);

/* The axis requests of a resize request, without flip_y. */
void stk_resize_axes(const stk_resize_request *request, stk_axis_request *across,
                     stk_axis_request *down);
/* Whether sums along this second axis truncate each product. */
bool stk_axis_adds_in_steps(const stk_axis *axis);

stk_sums_kind stk_axis_sums_kind(const stk_sampling *sampling, bool shrinks);

/* The box's side as the functions that fill weights see it: as if it had been cut out first. */
typedef struct stk_axis_span {
    int32_t pixels;         /* touched by the box */
    double  start;          /* of the box in the first of them: 0 to 1 */
    double  length;         /* of the box */
    double  scale, inverse; /* source pixels an output pixel: length / out; and output / source */
    double  support;        /* of a window's filter: half of its width in source pixels, */
    double  narrowing;      /* and what a distance is to be multiplied by */
} stk_axis_span;

/* Fills first (counted in the box's pixels) and the weights of all outputs. */
typedef void (*stk_weights_fn)(const stk_axis_span *span, const stk_axis *axis);

/* Each file of weights_*.c has those of one kind. */
typedef struct stk_weights_kind {
    stk_weights_fn fill;
    double         taps; /* at most, before the box cuts some off */
} stk_weights_kind;

/* The output pixel at an index of the axis. */
static inline int32_t stk_axis_pixel(const stk_axis *axis, int32_t index)
{
    const stk_axis_request *r = &axis->request;
    return r->part + (r->flip ? r->count - 1 - index : index);
}

/* Stores the taps of one output; fixed-point weights are truncated to integers. */
void stk_axis_store(const stk_axis *axis, int32_t index, int32_t first, const double *weights);

/* Filters that grow with the scale: Pillow's, and TensorFlow's antialiased. Sets what of span is
 * for them. */
stk_weights_kind stk_weights_window(const stk_sampling *sampling, stk_axis_span *span);
/* A fixed number of taps around a point: OpenCV's, and TensorFlow's others. */
stk_weights_kind stk_weights_point(const stk_sampling *sampling);
/* The fraction of each source pixel in the output pixel's area. */
stk_weights_kind stk_weights_area(double scale);
/* One pixel. */
stk_weights_kind stk_weights_nearest(const stk_sampling *sampling);

#endif
