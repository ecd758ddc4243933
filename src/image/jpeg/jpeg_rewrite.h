/* A JPEG's coefficients written again: one sequential scan, Huffman codes of its own, a restart
 * marker after every interval of MCUs. Around libjpeg, and so the one place with setjmp. */
#ifndef STK_IMAGE_JPEG_JPEG_REWRITE_H
#define STK_IMAGE_JPEG_JPEG_REWRITE_H

#include <stoker/image.h>

/* The MCUs of an image's only scan. */
typedef struct stk_mcu_grid {
    uint32_t columns, rows;
    uint32_t width; /* of one, in pixels */
} stk_mcu_grid;

/* MCUs between restarts, at most STK_JPEG_INTERVAL_MAX; 0 leaves the image as it is. */
typedef uint32_t stk_interval_rule(const stk_mcu_grid *grid, size_t encoded_bytes);

enum { STK_JPEG_INTERVAL_MAX = 65535 };

typedef struct stk_jpeg_rewritten {
    bool         done; /* false: of a kind that cannot be written so, or the rule said 0 */
    stk_mcu_grid grid;
    uint32_t     interval;
} stk_jpeg_rewritten;

/* Appends the image to out, whose ledger also holds the coefficients meanwhile. On failure, and
 * when it is not done, out may hold a part. limits may be NULL. Damage is STK_E_DATALOSS. */
STK_NODISCARD stk_status stk_jpeg_rewrite(stk_bytes encoded, const stk_image_limits *limits,
                                          stk_interval_rule *rule, stk_blob *out,
                                          stk_jpeg_rewritten *result, stk_error *err);

#endif
