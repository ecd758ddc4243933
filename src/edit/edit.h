/* An edit: what is to be done with one image, with all that is random drawn already. It is a row
 * of numbers, so that a program on a device can be fed with it instead of pixels; the device then
 * does what the CPU's image operations would have done. */
#ifndef STK_EDIT_EDIT_H
#define STK_EDIT_EDIT_H

#include <stdint.h>

enum { STK_EDIT_OPS = 6, STK_EDIT_WORDS = 64 };
enum { STK_EDIT_FLIP_X = 1, STK_EDIT_FLIP_Y = 2 };

/* Of pixels outside of the source. */
typedef enum stk_edit_border {
    STK_EDIT_CONSTANT, /* fill */
    STK_EDIT_EDGE,
    STK_EDIT_REFLECT /* without the edge pixel: dcb|abcd|cba */
} stk_edit_border;

/* What changes pixels; each means what the image operation of that name does with this number. */
typedef enum stk_edit_kind {
    STK_EDIT_END,        /* no further step */
    STK_EDIT_BRIGHTNESS, /* number[0]: the factor */
    STK_EDIT_CONTRAST,   /* number[0]: the factor */
    STK_EDIT_SATURATION, /* number[0]: the factor */
    STK_EDIT_HUE,        /* number[0]: the shift, in turns */
    STK_EDIT_GREY,
    STK_EDIT_INVERT,
    STK_EDIT_SOLARIZE,  /* word[0]: the first level that is inverted */
    STK_EDIT_POSTERIZE, /* word[0]: bits that are kept */
    STK_EDIT_WARP,      /* number[0..5]: where (x, y) is looked up; word: STK_EDIT_WARP_HOW */
    STK_EDIT_ERASE      /* word[0..3]: x, y, width, height; word[4]: the colour, as fill */
} stk_edit_kind;

enum {
    STK_EDIT_NUMBERS = 7,
    STK_EDIT_WARP_HOW = 6
}; /* (filter: 0 nearest, 1 bilinear) << 24 | colour */

typedef struct stk_edit_op {
    int32_t kind;
    union {
        int32_t word[STK_EDIT_NUMBERS];
        float   number[STK_EDIT_NUMBERS];
    };
} stk_edit_op;

/* First the window of the result's size is cut out of the source at (x, y) and may reach outside;
 * then it is flipped; then come the steps, in order; then, when all images of a batch are so far,
 * it is mixed with another one. */
typedef struct stk_edit {
    int32_t     source; /* the row of the images */
    int32_t     x, y;
    int32_t     flip; /* STK_EDIT_FLIP_X | STK_EDIT_FLIP_Y */
    int32_t     border;
    int32_t     fill;     /* red | green << 8 | blue << 16 */
    int32_t     partner;  /* the row of the batch it is mixed with; -1: none */
    float       fraction; /* of the image itself, where all of it is mixed */
    int32_t     box[4]; /* x, y, width, height that come from the partner; width 0: all is mixed */
    int32_t     unused[4]; /* 0 */
    stk_edit_op step[STK_EDIT_OPS];
} stk_edit;

#ifdef __cplusplus
static_assert(sizeof(stk_edit) == STK_EDIT_WORDS * sizeof(int32_t), "an edit is a row of words");
#else
_Static_assert(sizeof(stk_edit) == STK_EDIT_WORDS * sizeof(int32_t), "an edit is a row of words");
#endif

/* An image as it is. */
static inline stk_edit stk_edit_none(int32_t source)
{
    stk_edit edit = {0};
    edit.source = source;
    edit.partner = -1;
    edit.fraction = 1;
    return edit;
}

#endif
