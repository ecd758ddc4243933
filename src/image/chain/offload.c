/* Following a chain without pixels. Each step's random numbers are its own, so those that are left
 * draw the same whether or not others were done elsewhere. */
#include "image/chain/offload.h"

#include "image/chain/lazy_view.h"
#include "image/codec/codec.h"

void stk_decode_offload_init(stk_decode_offload *foresight, stk_ledger *ledger)
{
    *foresight = (stk_decode_offload){.rest = 0};
    stk_axis_init(&foresight->across, ledger);
    stk_axis_init(&foresight->down, ledger);
}

void stk_decode_offload_release(stk_decode_offload *foresight)
{
    stk_axis_release(&foresight->across);
    stk_axis_release(&foresight->down);
}

static bool is_taken(const stk_chain_decode *decode, stk_bytes encoded, stk_image_info *info)
{
    stk_image_header header;
    stk_error        unasked;
    if (decode->blank || stk_image_read_header(encoded, &decode->limits, &header, &unasked))
        return false;
    *info = header.info;
    return (info->orientation == 1 || decode->stored_orientation) &&
           stk_image_is_plain_jpeg(&header, encoded);
}

/* Composes the view with the leading geometry ops; returns their number. */
static bool follow(const stk_chain *chain, const stk_random *randoms, stk_lazy_view *view,
                   size_t *steps)
{
    stk_error unasked;
    for (*steps = 0; *steps < chain->count; ++*steps) {
        const stk_chain_op *step = &chain->steps[*steps];
        stk_random          random = randoms[*steps];
        const int32_t       width = stk_lazy_view_width(view), height = stk_lazy_view_height(view);
        stk_geometry        framing = {.window = {0, 0, width, height}};
        if (step->probability < 1 && stk_random_double(&random) >= step->probability) continue;
        if (!step->op->geometry) break;
        if (step->op->geometry(step->params, &random, width, height, &framing, &unasked) ||
            stk_geometry_check(&framing, width, height, step->op->name, &unasked))
            return false;
        if (!stk_lazy_view_compose(view, &framing)) break;
    }
    return !view->bordered;
}

static stk_resize_request request_of(const stk_lazy_view *v)
{
    stk_resize_request r = {.x = v->window.x,
                            .y = v->window.y,
                            .width = v->window.width,
                            .height = v->window.height,
                            .out_width = v->resized ? v->width : v->window.width,
                            .out_height = v->resized ? v->height : v->window.height,
                            .part = v->part,
                            .flip_x = v->flip_x,
                            .flip_y = v->flip_y,
                            .sampling = v->sampling};
    return r;
}

static stk_resample_rounding sums_of(const stk_axis *down)
{
    if (down->arithmetic == STK_SUMS_BYTES) return STK_RESAMPLE_BYTES;
    if (down->arithmetic == STK_SUMS_FLOAT) return STK_RESAMPLE_FLOAT;
    return stk_axis_adds_in_steps(down) ? STK_RESAMPLE_STEPS : STK_RESAMPLE_INTEGER;
}

static stk_resample_axis borrow_axis(const stk_axis *axis)
{
    return (stk_resample_axis){axis->count, axis->taps, axis->first, axis->fixed};
}

bool stk_chain_split_offload(const stk_chain *chain, const stk_chain_source *source,
                             const stk_random *randoms, stk_decode_offload *out)
{
    stk_image_info   info;
    stk_lazy_view    view;
    stk_axis_request across, down;
    stk_error        unasked;
    if (!chain->decode || !is_taken(chain->decode, source->encoded, &info)) return false;
    stk_lazy_view_init(&view, info.stored_width, info.stored_height);
    if (!follow(chain, randoms, &view, &out->rest)) return false;
    const stk_resize_request resize = request_of(&view);
    stk_resize_axes(&resize, &across, &down);
    down.flip = view.flip_y; /* rows may come in any order */
    if (stk_axis_build(&out->across, &across, &unasked) ||
        stk_axis_build(&out->down, &down, &unasked))
        return false;
    out->request = (stk_decode_request){.encoded = source->encoded,
                                        .width = info.stored_width,
                                        .height = info.stored_height,
                                        .channels = chain->decode->channels,
                                        .across = borrow_axis(&out->across),
                                        .down = borrow_axis(&out->down),
                                        .sums = sums_of(&out->down)};
    return true;
}
