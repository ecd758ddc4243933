/* The one scan of a baseline JPEG: from entropy-coded bytes to samples in planes, MCU by MCU,
 * skipping unneeded blocks. A scan never guesses: any abnormality ends it and leaves the image to
 * another decoder. */
#ifndef STK_IMAGE_JPEG_JPEG_SCAN_H
#define STK_IMAGE_JPEG_JPEG_SCAN_H

#include "image/jpeg/huffman.h"
#include "image/jpeg/idct.h"
#include "image/jpeg/unstuff.h"

enum {
    STK_SCAN_BLOCKS = 10, /* most of an MCU */
    STK_SCAN_COMPONENTS = 3,
    STK_SCAN_BATCH = 24,         /* blocks taken at a time, at most */
    STK_SCAN_BATCH_BYTES = 6144, /* more than they can have: 64 times 31 bits each */
    STK_SCAN_CHUNK = 16384,      /* bytes unstuffed at a time */
    STK_SCAN_BUFFER = STK_SCAN_CHUNK + 2 * STK_SCAN_BATCH_BYTES + 2 * STK_UNSTUFF_SLACK
};

/* The tables of a block of each MCU. */
typedef struct stk_scan_tables {
    const stk_huffman            *dc, *ac;
    const struct stk_scan_tables *next; /* after the last block the first */
} stk_scan_tables;

/* A block of each MCU. */
typedef struct stk_scan_block {
    int            component;
    int32_t        step, offset; /* its column of blocks: MCU column * step + offset */
    int32_t        left, right;  /* columns of blocks that are wanted */
    int            side;         /* samples of a row it gives: 8, 4, 2 or 1 */
    stk_idct_fn    idct;
    const int16_t *quant;
    uint8_t       *row; /* where column left goes; NULL: not wanted in this row of MCUs */
    size_t         stride;
} stk_scan_block;

typedef struct stk_jpeg_scan stk_jpeg_scan;

/* How blocks are taken from the stream: at most STK_SCAN_BATCH, whole MCUs of one segment. False:
 * give up. */
typedef struct stk_scan_kernel {
    /* Coefficients to blocks of zeros, of which there is one more than count; DC as differences. */
    bool (*take)(stk_jpeg_scan *scan, int16_t (*coefficients)[64], int count);
    /* Only the DC differences, to as many. */
    bool (*skip)(stk_jpeg_scan *scan, int16_t *differences, int count);
} stk_scan_kernel;

extern const stk_scan_kernel stk_scan_kernel_plain, stk_scan_kernel_bmi2;

struct stk_jpeg_scan {
    const stk_scan_kernel *kernel;
    stk_unstuff_fn         unstuff;
    stk_find_marker_fn     find_marker;

    stk_scan_block  blocks[STK_SCAN_BLOCKS];
    stk_scan_tables tables[STK_SCAN_BLOCKS]; /* a ring */
    int             block_count;

    stk_bytes       encoded;     /* of which the scan begins at first */
    size_t          first, read; /* read: place of what is unstuffed next */
    uint32_t        interval;    /* MCUs of a segment; 0: all */
    const uint32_t *restarts;    /* of segments; NULL: unknown */
    uint32_t        restart_count;

    uint32_t segment, mcu; /* where the scan stands */
    int32_t  predicted[STK_SCAN_COMPONENTS];

    uint64_t       window;   /* the next bits, from the highest on */
    uint64_t       left;     /* how many of them are valid: its low 6 bits */
    const uint8_t *next;     /* the byte behind them, in buffer */
    const uint8_t *end;      /* of what is unstuffed */
    const uint8_t *guard;    /* a batch may begin while next is not past it */
    bool           finished; /* end is that of the segment */
    uint8_t       *buffer;   /* STK_SCAN_BUFFER bytes */

    _Alignas(64) int16_t coefficients[STK_SCAN_BATCH + 1][64]; /* zero between batches */
};

enum { STK_SCAN_ORDER = 192, STK_SCAN_SIZES = 16 };

/* Together, so that one register leads to them. */
typedef struct stk_scan_lists {
    /* Zigzag to natural order; places past the block, which only broken or overrun entries name, go
     * to the next one's first, which is written later. */
    uint8_t order[STK_SCAN_ORDER];
    int32_t lowest[STK_SCAN_SIZES]; /* 1 - 2^size: what all bits 0 mean */
} stk_scan_lists;
extern const stk_scan_lists stk_scan_constants;

/* True when there is a marker before every place but the first, each with the number it has to
 * have. As many as there are segments and each behind the one before, they are then the places. */
bool stk_scan_check_restarts(const stk_jpeg_scan *scan);

/* Before the first MCU. The fields above segment are set. */
void stk_scan_begin(stk_jpeg_scan *scan);
/* Goes forward to MCU number mcu, by segments where it can. */
bool stk_scan_seek(stk_jpeg_scan *scan, uint32_t mcu);
/* count MCUs of a row from column on, to the blocks' rows. */
bool stk_scan_decode(stk_jpeg_scan *scan, int32_t column, uint32_t count);

#endif
