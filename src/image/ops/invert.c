/* invert: the negative. */
#include "edit/edit_ops.h"
#include "image/ops/area.h"
#include "image/ops/image_ops.h"
#include "image/ops/lut.h"

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    uint8_t table[STK_LUT_SIZE];
    (void)params, (void)random, (void)err;
    for (int level = 0; level < STK_LUT_SIZE; level++)
        table[level] = (uint8_t)(255 - level);
    stk_lut_apply(canvas->pixels.data, stk_area_bytes(&canvas->pixels), table);
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    (void)params, (void)random, (void)size;
    return stk_edit_add_word("invert", edit, STK_EDIT_INVERT, 0, err);
}

const stk_image_op stk_image_op_invert = {
    .name = "invert",
    .help = "turns every level into its negative",
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
