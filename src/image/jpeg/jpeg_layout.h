/* The sample layout of a window: component sizes at 1/shrink, the blocks that the window needs, and
 * how samples become pixels. */
#ifndef STK_IMAGE_JPEG_JPEG_LAYOUT_H
#define STK_IMAGE_JPEG_JPEG_LAYOUT_H

#include "image/codec/jpeg_header.h"

#include <stoker/image.h>

enum { STK_LAYOUT_COMPONENTS = 3 };

/* How a component is brought to full size; the names are libjpeg's. */
typedef enum stk_upsampling {
    STK_UPSAMPLE_NONE,
    STK_UPSAMPLE_H2V1,
    STK_UPSAMPLE_H1V2,
    STK_UPSAMPLE_H2V2,
    STK_UPSAMPLE_REPEAT
} stk_upsampling;

typedef struct stk_layout_component {
    int            h, v;          /* blocks of an MCU across and down */
    int            side;          /* samples of a block's row */
    int            across, down;  /* pixels of a sample */
    int32_t        width, height; /* samples, without those that fill up MCUs */
    stk_upsampling upsampling;
    stk_rect       blocks; /* blocks that the window needs */
} stk_layout_component;

typedef struct stk_jpeg_layout {
    int                  count;
    stk_layout_component component[STK_LAYOUT_COMPONENTS];
    stk_rect             window;
    int32_t              width, height; /* of the image at 1/shrink */
    int32_t              mcu_height;    /* pixels */
    stk_rect             mcus;          /* those that hold the blocks */
    int32_t              mcus_across, mcus_down;
    bool                 complete;   /* no block is left out */
    bool                 looks_down; /* a row needs samples of the row below */
    bool                 ycc;        /* three components are Y, Cb and Cr, not R, G and B */
} stk_jpeg_layout;

/* False if the scan decoder does not support the image. */
bool stk_layout_make(stk_jpeg_layout *out, const stk_jpeg_header *header, stk_rect window,
                     int shrink);

#endif
