/* Colours to hue, saturation and value and back, with Pillow's 8-bit HSV in between. */
#ifndef STK_IMAGE_OPS_HSV_H
#define STK_IMAGE_OPS_HSV_H

#include <stddef.h>
#include <stdint.h>

/* Adds steps (of 256, around) to the hue of every triple. */
void stk_hsv_turn(uint8_t *rgb, size_t pixels, uint8_t steps);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_hsv_fn)(uint8_t *rgb, size_t pixels, uint8_t steps);
void       stk_hsv_turn_plain(uint8_t *rgb, size_t pixels, uint8_t steps);
stk_hsv_fn stk_hsv_turn_avx2(void);

#endif
