/* Steps with what was drawn, in the numbers that an edit has for them. */
#include "edit/edit_ops.h"

#include "edit/edit_warp.h"

#include <math.h>

static stk_status add(const char *op, stk_edit *edit, const stk_edit_op *step, stk_error *err)
{
    int count = 0;
    while (count < STK_EDIT_OPS && edit->step[count].kind != STK_EDIT_END)
        count++;
    if (count == STK_EDIT_OPS)
        return stk_fail(err, STK_E_UNSUPPORTED, op, NULL,
                        "on a device an image is changed by %d steps at most, and there are so "
                        "many before this one",
                        STK_EDIT_OPS);
    edit->step[count] = *step;
    return STK_OK;
}

stk_status stk_edit_add_number(const char *op, stk_edit *edit, stk_edit_kind kind, double number,
                               stk_error *err)
{
    const stk_edit_op step = {.kind = (int32_t)kind, .number = {(float)number}};
    return add(op, edit, &step, err);
}

stk_status stk_edit_add_word(const char *op, stk_edit *edit, stk_edit_kind kind, int32_t word,
                             stk_error *err)
{
    const stk_edit_op step = {.kind = (int32_t)kind, .word = {word}};
    return add(op, edit, &step, err);
}

stk_status stk_edit_add_hue(const char *op, stk_edit *edit, double shift, stk_error *err)
{
    const float near = (float)shift;
    const float beside = nextafterf(near, shift > (double)near ? 1 : -1);
    const bool  same = (int)((double)near * 255) == (int)(shift * 255);
    return stk_edit_add_number(op, edit, STK_EDIT_HUE, (double)(same ? near : beside), err);
}

static int32_t colour_word(const uint8_t colour[3])
{
    return colour[0] | colour[1] << 8 | colour[2] << 16;
}

stk_status stk_edit_add_rect(const char *op, stk_edit *edit, int32_t x, int32_t y, int32_t width,
                             int32_t height, const uint8_t colour[3], stk_error *err)
{
    const stk_edit_op step = {.kind = STK_EDIT_ERASE,
                              .word = {x, y, width, height, colour_word(colour)}};
    return add(op, edit, &step, err);
}

static bool is_stepped(int32_t width, int32_t height, const double m[6])
{
    return !(m[1] == 0 && m[3] == 0) && stk_edit_fits_ops(m, 0, 0) &&
           stk_edit_fits_ops(m, width, 0) && stk_edit_fits_ops(m, 0, height) &&
           stk_edit_fits_ops(m, width, height);
}

/* The CPU rounds m to 65536ths, and so do we before a float does: it has these exactly. */
static void to_steps(const double row[3], float number[3])
{
    const double start = (double)stk_edit_fixed(row[2] + row[0] * 0.5 + row[1] * 0.5);
    const double right = (double)stk_edit_fixed(row[0]), down = (double)stk_edit_fixed(row[1]);
    number[0] = (float)(right / 65536);
    number[1] = (float)(down / 65536);
    number[2] = (float)((start - (right + down) / 2) / 65536);
}

stk_status stk_edit_add_warp(const char *op, stk_edit *edit, int32_t width, int32_t height,
                             const double m[6], bool bilinear, const uint8_t fill[3],
                             stk_error *err)
{
    stk_edit_op step = {.kind = STK_EDIT_WARP};
    for (int i = 0; i < 6; i++)
        step.number[i] = (float)m[i];
    for (int i = 0; i < 6 && !bilinear && is_stepped(width, height, m); i += 3)
        to_steps(m + i, step.number + i);
    step.word[STK_EDIT_WARP_HOW] = (int32_t)bilinear << 24 | colour_word(fill);
    return add(op, edit, &step, err);
}
