/* An edit (augmentation record): one image's augmentation with all random parameters fixed. 256
 * bytes that a device takes as input instead of pixels and applies with the results of the CPU's
 * image operations. */
#ifndef STK_EDIT_EDIT_H
#define STK_EDIT_EDIT_H

#include <stdint.h>

enum { STK_EDIT_OPS = 6, STK_EDIT_WORDS = 64 };
enum { STK_EDIT_FLIP_X = 1, STK_EDIT_FLIP_Y = 2 };

/* Pixels outside of the source. */
typedef enum stk_edit_border {
    STK_EDIT_CONSTANT, /* fill */
    STK_EDIT_EDGE,
    STK_EDIT_REFLECT /* without the edge pixel: dcb|abcd|cba */
} stk_edit_border;

/* Edit ops; each has the meaning of the image operation of its name with this number. */
typedef enum stk_edit_kind {
    STK_EDIT_END,        /* no further op */
    STK_EDIT_BRIGHTNESS, /* number[0]: the factor */
    STK_EDIT_CONTRAST,   /* number[0]: the factor */
    STK_EDIT_SATURATION, /* number[0]: the factor */
    STK_EDIT_HUE,        /* number[0]: the shift, in turns */
    STK_EDIT_GREY,
    STK_EDIT_INVERT,
    STK_EDIT_SOLARIZE,  /* word[0]: the first level that is inverted */
    STK_EDIT_POSTERIZE, /* word[0]: bits that are kept */
    STK_EDIT_WARP,      /* number[0..5]: the affine map of (x, y); word: */
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
    int32_t     source; /* row of the images */
    int32_t     x, y;
    int32_t     flip; /* STK_EDIT_FLIP_X | STK_EDIT_FLIP_Y */
    int32_t     border;
    int32_t     fill;      /* red | green << 8 | blue << 16 */
    int32_t     partner;   /* row of the batch that it is mixed with; -1: none */
    float       fraction;  /* weight of the image itself if all of it is mixed */
    int32_t     box[4];    /* x, y, width, height taken from the partner; width 0: all is mixed */
    int32_t     unused[4]; /* 0 */
    stk_edit_op step[STK_EDIT_OPS];
} stk_edit;

#ifdef __cplusplus
static_assert(sizeof(stk_edit) == STK_EDIT_WORDS * sizeof(int32_t), "an edit is a row of words");
#else
_Static_assert(sizeof(stk_edit) == STK_EDIT_WORDS * sizeof(int32_t), "an edit is a row of words");
#endif

/* The identity edit. */
static inline stk_edit stk_edit_none(int32_t source)
{
    stk_edit edit = {0};
    edit.source = source;
    edit.partner = -1;
    edit.fraction = 1;
    return edit;
}

#endif
