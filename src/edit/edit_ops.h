/* Adds ops to edits. More ops than an edit holds are STK_E_UNSUPPORTED. op must be a literal, here
 * and below. */
#ifndef STK_EDIT_EDIT_OPS_H
#define STK_EDIT_EDIT_OPS_H

#include "edit/edit.h"

#include <stdbool.h>
#include <stoker/error.h>

STK_NODISCARD stk_status stk_edit_add_number(const char *op, stk_edit *edit, stk_edit_kind kind,
                                             double number, stk_error *err);
STK_NODISCARD stk_status stk_edit_add_word(const char *op, stk_edit *edit, stk_edit_kind kind,
                                           int32_t word, stk_error *err);
/* The same whole steps of 255 as by shift, whose last bits a float has not. */
STK_NODISCARD stk_status stk_edit_add_hue(const char *op, stk_edit *edit, double shift,
                                          stk_error *err);
STK_NODISCARD stk_status stk_edit_add_rect(const char *op, stk_edit *edit, int32_t x, int32_t y,
                                           int32_t width, int32_t height, const uint8_t colour[3],
                                           stk_error *err);
/* m as in image/ops/warp.h, for images of this size. Nearest pixels equal the CPU's if m[2] and
 * m[5] are below 128; bilinear ones may differ by one level. */
STK_NODISCARD stk_status stk_edit_add_warp(const char *op, stk_edit *edit, int32_t width,
                                           int32_t height, const double m[6], bool bilinear,
                                           const uint8_t fill[3], stk_error *err);

#endif
