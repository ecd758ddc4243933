/* Runs a chain: geometry ops compose a lazy view; it is applied before a pixel op, when it cannot
 * be composed further, and at the end. */
#include "base/checked.h"
#include "base/clock.h"
#include "image/chain/lazy_view.h"
#include "image/chain/part.h"
#include "image/chain/workspace.h"
#include "image/codec/codec.h"
#include "image/codec/orientation.h"

#include <inttypes.h>

/* An image on its way through a chain. */
typedef struct work {
    const stk_chain        *chain;
    const stk_chain_source *source;
    stk_image_workspace    *workspace;
    stk_decode_outcome     *outcome;
    stk_lazy_view           view;
    bool                    is_encoded; /* nothing was carried out yet, and the source is encoded */
    stk_image_header        header;     /* of that source */
    stk_pixels              pixels;     /* source of the view, unless is_encoded */
    int32_t                 channels;
    stk_output_format       ending;
    size_t                  carrier; /* the part that the next pass over the pixels is */
} work;

/* Pixels to carry the view out on, and where its window lies in them. */
typedef struct seen {
    stk_pixels pixels;
    double     x, y, width, height;
    int32_t    left, top; /* of pixels in the source: for windows with a border */
} seen;

static uint64_t now(const work *w)
{
    return w->chain->ticks ? stk_clock_ticks() : 0;
}

static void add_time(const work *w, size_t part, uint64_t since)
{
    if (w->chain->ticks) w->chain->ticks[part] += stk_clock_ticks() - since;
}

/* The first step since the last pass names the next one. */
static void carry(work *w, const stk_chain_op *step)
{
    if (w->carrier > w->chain->count) w->carrier = (size_t)(step - w->chain->steps) + 1;
}

static bool may_shrink(const work *w)
{
    const stk_sampling *s = &w->view.sampling;
    const bool          antialiased = s->like == STK_RESIZE_PIL || s->antialias ||
                             (s->like == STK_RESIZE_OPENCV && s->filter == STK_FILTER_AREA);
    return w->chain->decode->shrink && w->view.resized && antialiased &&
           s->filter != STK_FILTER_NEAREST && w->header.info.format == STK_IMAGE_JPEG;
}

/* The most that still leaves a pixel for every result. */
static int shrink_of(const work *w)
{
    const stk_lazy_view *v = &w->view;
    int                  shrink = 8;
    if (!may_shrink(w)) return 1;
    while (shrink > 1 &&
           (v->window.width / shrink < v->width || v->window.height / shrink < v->height))
        shrink /= 2;
    return shrink;
}

/* The region of the source that the view needs. Reflecting borders may need any of it. */
static stk_rect needed(const stk_lazy_view *v)
{
    stk_rect w = v->window;
    if (!v->bordered) return w;
    if (v->border != STK_BORDER_CONSTANT)
        return (stk_rect){0, 0, v->source_width, v->source_height};
    const int32_t right = w.x + w.width < v->source_width ? w.x + w.width : v->source_width;
    const int32_t bottom = w.y + w.height < v->source_height ? w.y + w.height : v->source_height;
    w.x = w.x > 0 ? w.x : 0;
    w.y = w.y > 0 ? w.y : 0;
    return (stk_rect){w.x, w.y, right - w.x, bottom - w.y};
}

static int32_t up(int32_t a, int32_t b)
{
    return (a + b - 1) / b;
}

static stk_status make_blank(const work *w, const stk_rect *window, stk_pixels *out, stk_error *err)
{
    stk_blob *blank = &w->workspace->blank;
    size_t    bytes;
    *out = (stk_pixels){.width = window->width, .height = window->height, .channels = w->channels};
    out->stride = (size_t)window->width * (size_t)w->channels;
    if (stk_mul_overflows(out->stride, (size_t)window->height, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode_image", NULL, "no image is so large");
    STK_TRY(stk_blob_reserve(blank, bytes, err));
    if (blank->size < bytes) memset(blank->data + blank->size, 0, bytes - blank->size);
    if (blank->size < bytes) blank->size = bytes;
    out->data = blank->data;
    return STK_OK;
}

/* The margin before the image's first pixel in the first shrunken one: if the size is no multiple
 * of shrink the last shrunken pixel is partial, and mirroring puts it first. */
static int32_t lead(bool mirrored, int32_t size, int shrink)
{
    return mirrored ? up(size, shrink) * shrink - size : 0;
}

static stk_status decode(const work *w, const stk_rect *all, int shrink, seen *out, stk_error *err)
{
    const stk_lazy_view    *v = &w->view;
    const stk_chain_decode *d = w->chain->decode;
    const int               orientation = d->stored_orientation ? 1 : w->header.info.orientation;
    const int32_t           left =
        all->x + lead(stk_orientation_mirrors_x(orientation), v->source_width, shrink);
    const int32_t top =
        all->y + lead(stk_orientation_mirrors_y(orientation), v->source_height, shrink);
    const stk_decode_options options = {.limits = d->limits,
                                        .channels = d->channels,
                                        .recover = d->recover,
                                        .stored_orientation = d->stored_orientation,
                                        .pillow_16bit = d->pillow_16bit,
                                        .restarts = w->source->restarts};
    stk_rect                 window = {left / shrink, top / shrink, 0, 0};
    window.width = up(left + all->width, shrink) - window.x;
    window.height = up(top + all->height, shrink) - window.y;
    out->x = (double)left / shrink - window.x;
    out->y = (double)top / shrink - window.y;
    out->width = (double)all->width / shrink;
    out->height = (double)all->height / shrink;
    if (d->blank) return make_blank(w, &window, &out->pixels, err);
    return stk_image_decode_measured(w->workspace->decoder, w->source->encoded, &w->header, &window,
                                     shrink, &options, &out->pixels, w->outcome, err);
}

static stk_status look(const work *w, seen *out, stk_error *err)
{
    const stk_rect all = needed(&w->view);
    *out = (seen){.x = 0, .y = 0, .width = all.width, .height = all.height};
    out->left = all.x;
    out->top = all.y;
    if (all.width < 1 || all.height < 1) { /* all border: any pixel will do, none is looked at */
        static uint8_t nothing[4];
        out->pixels = (stk_pixels){nothing, 0, 0, w->channels, 0};
        return STK_OK;
    }
    if (w->is_encoded) {
        const uint64_t   begin = now(w);
        const stk_status st = decode(w, &all, shrink_of(w), out, err);
        add_time(w, 0, begin);
        return st;
    }
    out->pixels = w->pixels;
    out->pixels.data += (size_t)all.y * w->pixels.stride + (size_t)all.x * (size_t)w->channels;
    out->pixels.width = all.width;
    out->pixels.height = all.height;
    return STK_OK;
}

static stk_status write_view(work *w, const stk_output_format *ending, const seen *from, void *out,
                             stk_error *err)
{
    const stk_lazy_view *v = &w->view;
    const seen           s = *from;
    if (!v->resized) {
        const stk_rect window = {v->window.x - s.left, v->window.y - s.top, v->window.width,
                                 v->window.height};
        stk_copy_window(&s.pixels, window, v->border, v->fill, v->flip_x, v->flip_y, ending, out);
        return STK_OK;
    }
    const stk_resize_request request = {.x = s.x,
                                        .y = s.y,
                                        .width = s.width,
                                        .height = s.height,
                                        .out_width = v->width,
                                        .out_height = v->height,
                                        .part = v->part,
                                        .flip_x = v->flip_x,
                                        .flip_y = v->flip_y,
                                        .sampling = v->sampling,
                                        .ending = *ending};
    return stk_resize(w->workspace->resizer, &s.pixels, &request, out, err);
}

/* Writes the view's pixels in the output format to out. */
static stk_status carry_out(work *w, const stk_output_format *ending, void *out, stk_error *err)
{
    seen s;
    STK_TRY(look(w, &s, err));
    const uint64_t   begin = now(w);
    const stk_status st = write_view(w, ending, &s, out, err);
    add_time(w, w->carrier, begin);
    w->carrier = w->chain->count + 1;
    return st;
}

/* Makes the view's pixels those of the canvas, and the view all of them. */
static stk_status apply_view(work *w, stk_error *err)
{
    static const stk_output_format plain = {.dtype = STK_DTYPE_U8};
    stk_canvas                    *canvas = &w->workspace->buffers.canvas;
    stk_pixels                     pixels;
    STK_TRY(canvas->reserve(canvas, stk_lazy_view_width(&w->view), stk_lazy_view_height(&w->view),
                            w->channels, &pixels, err));
    STK_TRY(carry_out(w, &plain, pixels.data, err));
    stk_canvas_use(canvas, &pixels);
    w->pixels = pixels;
    w->is_encoded = false;
    stk_lazy_view_init(&w->view, pixels.width, pixels.height);
    return STK_OK;
}

static bool is_on_canvas(const work *w)
{
    const stk_lazy_view *v = &w->view;
    return w->pixels.data && w->pixels.data == w->workspace->buffers.canvas.pixels.data &&
           !v->resized && !v->bordered && !v->flip_x && !v->flip_y &&
           v->window.width == w->pixels.width && v->window.height == w->pixels.height;
}

static stk_status frame(work *w, const stk_chain_op *step, stk_random *random, stk_error *err)
{
    const int32_t width = stk_lazy_view_width(&w->view), height = stk_lazy_view_height(&w->view);
    stk_geometry  framing = {.window = {0, 0, width, height}};
    STK_TRY(step->op->geometry(step->params, random, width, height, &framing, err));
    carry(w, step);
    STK_TRY(stk_geometry_check(&framing, width, height, step->op->name, err));
    if (stk_lazy_view_compose(&w->view, &framing)) return STK_OK;
    STK_TRY(apply_view(w, err));
    if (stk_lazy_view_compose(&w->view, &framing)) return STK_OK;
    /* A window that reaches outside and is resized besides: first the one, then the other. */
    stk_geometry first = framing, second = framing;
    first.width = first.height = 0;
    first.flip_x = first.flip_y = false;
    second.window = (stk_rect){0, 0, framing.window.width, framing.window.height};
    (void)stk_lazy_view_compose(&w->view, &first);
    STK_TRY(apply_view(w, err));
    (void)stk_lazy_view_compose(&w->view, &second);
    return STK_OK;
}

static stk_status paint(work *w, const stk_chain_op *step, stk_random *random, stk_error *err)
{
    stk_canvas *canvas = &w->workspace->buffers.canvas;
    if (!is_on_canvas(w)) STK_TRY(apply_view(w, err));
    const uint64_t begin = now(w);
    STK_TRY(step->op->pixels(step->params, random, canvas, err));
    add_time(w, (size_t)(step - w->chain->steps) + 1, begin);
    w->pixels = canvas->pixels;
    w->channels = canvas->pixels.channels;
    stk_lazy_view_init(&w->view, w->pixels.width, w->pixels.height);
    return STK_OK;
}

static stk_status do_step(work *w, const stk_chain_op *step, stk_random random, stk_error *err)
{
    if (step->probability < 1 && stk_random_double(&random) >= step->probability) return STK_OK;
    if (step->op->geometry) return frame(w, step, &random, err);
    if (step->op->pixels) return paint(w, step, &random, err);
    carry(w, step);
    return step->op->output(step->params, &w->ending, err);
}

/* The source's size, without its pixels. */
static stk_status begin(work *w, stk_error *err)
{
    const stk_chain_source *source = w->source;
    w->ending = (stk_output_format){.dtype = STK_DTYPE_U8};
    w->workspace->buffers.canvas.pixels = (stk_pixels){0};
    if (!w->chain->decode) {
        w->pixels = source->pixels;
        w->channels = source->pixels.channels;
        stk_lazy_view_init(&w->view, source->pixels.width, source->pixels.height);
        return STK_OK;
    }
    const stk_chain_decode *d = w->chain->decode;
    const stk_image_info   *info = &w->header.info;
    STK_TRY(stk_image_read_header(source->encoded, &d->limits, &w->header, err));
    w->is_encoded = true;
    w->channels = d->channels;
    stk_lazy_view_init(&w->view, d->stored_orientation ? info->stored_width : info->width,
                       d->stored_orientation ? info->stored_height : info->height);
    return STK_OK;
}

static stk_shape result_shape(const work *w)
{
    const int64_t width = stk_lazy_view_width(&w->view), height = stk_lazy_view_height(&w->view);
    const int64_t channels = w->ending.channels ? w->ending.channels : w->channels;
    return w->ending.planar ? stk_shape_3d(channels, height, width)
                            : stk_shape_3d(height, width, channels);
}

static stk_status end(work *w, const stk_chain_target *target, stk_error *err)
{
    const stk_shape shape = result_shape(w);
    void           *data;
    if (w->ending.channels && w->ending.channels < w->channels)
        return stk_fail(err, STK_E_SHAPE, "pad_channels", NULL,
                        "the image has %" PRId32 " channels already, which is more than %" PRId32,
                        w->channels, w->ending.channels);
    STK_TRY(target->allocate(target->context, &shape, w->ending.dtype, &data, err));
    return carry_out(w, &w->ending, data, err);
}

stk_status stk_chain_run(const stk_chain *chain, stk_image_workspace *workspace,
                         const stk_chain_source *source, const stk_random *randoms,
                         const stk_chain_target *target, stk_decode_outcome *outcome,
                         stk_error *err)
{
    stk_decode_outcome unasked;
    work               w = {.chain = chain,
                            .source = source,
                            .workspace = workspace,
                            .outcome = outcome ? outcome : &unasked,
                            .carrier = chain->count + 1};
    *w.outcome = (stk_decode_outcome){0};
    const uint64_t begin_ticks = now(&w);
    STK_TRY(begin(&w, err));
    if (chain->decode) add_time(&w, 0, begin_ticks);
    for (size_t i = 0; i < chain->count; i++)
        STK_TRY(do_step(&w, &chain->steps[i], randoms[i], err));
    return end(&w, target, err);
}

/* The size that is known after an operation of probability below 1. */
static void forget_differences(const stk_image_size *before, stk_image_size *after)
{
    if (before->width != after->width) after->width = -1;
    if (before->height != after->height) after->height = -1;
    if (before->channels != after->channels) after->channels = -1;
}

stk_status stk_chain_measure(const stk_chain *chain, const stk_image_size *source,
                             stk_image_size *out, stk_error *err)
{
    const char *finished = NULL;
    *out = *source;
    if (chain->decode)
        *out = (stk_image_size){-1, -1, chain->decode->channels, STK_DTYPE_U8, false};
    stk_output_format ending = {.dtype = STK_DTYPE_U8};
    for (size_t i = 0; i < chain->count; i++) {
        const stk_chain_op  *step = &chain->steps[i];
        const stk_image_size before = *out;
        if (finished && !step->op->output)
            return stk_fail(err, STK_E_INVALID, step->op->name, NULL,
                            "works on 8-bit pixels, and %s before it says how they are written: "
                            "put %s before %s",
                            finished, step->op->name, finished);
        if (step->op->output) {
            finished = step->op->name;
            if (step->probability < 1)
                return stk_fail(err, STK_E_INVALID, step->op->name, NULL,
                                "is done for all or for none; probability %g makes no sense here",
                                step->probability);
            STK_TRY(step->op->output(step->params, &ending, err));
        }
        if (step->op->measure) step->op->measure(step->params, out);
        if (step->probability < 1) forget_differences(&before, out);
    }
    return STK_OK;
}
