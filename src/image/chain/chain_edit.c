/* A view composed as by stk_chain_run but never applied; then edit ops. A crop may follow edit ops
 * that ignore positions: they do the same to fewer pixels. */
#include "image/chain/chain_edit.h"

#include "image/chain/lazy_view.h"

#include <string.h>

enum { TRIES = 64 };

_Static_assert((int)STK_BORDER_CONSTANT == (int)STK_EDIT_CONSTANT &&
                   (int)STK_BORDER_EDGE == (int)STK_EDIT_EDGE &&
                   (int)STK_BORDER_REFLECT == (int)STK_EDIT_REFLECT,
               "borders of framings are those of edits");

typedef struct work {
    stk_lazy_view  view;
    stk_edit      *edit;
    stk_image_size size;
    bool           always;              /* independent of probabilities */
    const char    *placed, *contrasted; /* op after which no crop, or no partial one, can be
                                           composed; NULL: none */
} work;

static bool is_whole(const stk_geometry *framing, const stk_lazy_view *view)
{
    const stk_rect *w = &framing->window;
    return w->x == 0 && w->y == 0 && w->width == stk_lazy_view_width(view) &&
           w->height == stk_lazy_view_height(view);
}

static bool is_nothing(const stk_geometry *framing, const stk_lazy_view *view)
{
    return is_whole(framing, view) && !framing->flip_x && !framing->flip_y &&
           (!framing->width ||
            (framing->width == framing->window.width && framing->height == framing->window.height));
}

/* A window that reaches outside of what was flipped is the one on the other side, flipped. */
static bool move(stk_lazy_view *view, stk_geometry framing)
{
    const bool flip_x = view->flip_x, flip_y = view->flip_y;
    stk_rect  *w = &framing.window;
    if (stk_lazy_view_compose(view, &framing)) return true;
    if (flip_x) w->x = stk_lazy_view_width(view) - w->x - w->width;
    if (flip_y) w->y = stk_lazy_view_height(view) - w->y - w->height;
    view->flip_x = view->flip_y = false;
    const bool moved = stk_lazy_view_compose(view, &framing);
    view->flip_x ^= flip_x;
    view->flip_y ^= flip_y;
    return moved;
}

static bool reaches_out(const stk_geometry *framing, const stk_lazy_view *view)
{
    const stk_rect *w = &framing->window;
    return w->x < 0 || w->y < 0 || w->width > stk_lazy_view_width(view) - w->x ||
           w->height > stk_lazy_view_height(view) - w->y;
}

/* The part of a crop that must precede existing edit ops; NULL: nothing. */
static const char *step_before(const work *w, const stk_geometry *framing)
{
    if (w->placed) return w->placed;
    if (w->contrasted && !is_whole(framing, &w->view)) return w->contrasted;
    return w->edit->step[0].kind != STK_EDIT_END && reaches_out(framing, &w->view)
               ? "what changes its pixels"
               : NULL;
}

static stk_status frame(work *w, const stk_chain_op *step, stk_random *random, stk_error *err)
{
    const char   *name = step->op->name;
    const int32_t width = stk_lazy_view_width(&w->view), height = stk_lazy_view_height(&w->view);
    stk_geometry  framing = {.window = {0, 0, width, height}};
    STK_TRY(step->op->geometry(step->params, random, width, height, &framing, err));
    STK_TRY(stk_geometry_check(&framing, width, height, name, err));
    if (is_nothing(&framing, &w->view)) return STK_OK;
    const char *before = step_before(w, &framing);
    if (before)
        return stk_fail(err, STK_E_UNSUPPORTED, name, NULL,
                        "on a device a window is cut out before %s: put %s before it", before,
                        name);
    if (!move(&w->view, framing))
        return stk_fail(err, STK_E_UNSUPPORTED, name, NULL,
                        "on a device one window is cut out of an image, and one before this one "
                        "was cut already");
    if (w->view.resized)
        return stk_fail(err, STK_E_UNSUPPORTED, name, NULL,
                        "on a device images are not resized, and %dx%d would become %dx%d: store "
                        "them in that size",
                        (int)framing.window.width, (int)framing.window.height, (int)framing.width,
                        (int)framing.height);
    w->size.width = stk_lazy_view_width(&w->view);
    w->size.height = stk_lazy_view_height(&w->view);
    return STK_OK;
}

static void note_steps(work *w, const char *name)
{
    for (int i = 0; i < STK_EDIT_OPS; i++) {
        const int32_t kind = w->edit->step[i].kind;
        if (!w->placed && (kind == STK_EDIT_WARP || kind == STK_EDIT_ERASE)) w->placed = name;
        if (!w->contrasted && kind == STK_EDIT_CONTRAST) w->contrasted = name;
    }
}

static stk_status do_step(work *w, const stk_chain_op *step, stk_random random, stk_error *err)
{
    const stk_image_op *op = step->op;
    const bool          maybe = step->probability < 1;
    if (maybe && stk_random_double(&random) >= step->probability && !w->always) return STK_OK;
    if (op->geometry) return frame(w, step, &random, err);
    if (op->output)
        return stk_fail(err, STK_E_UNSUPPORTED, op->name, NULL,
                        "a device makes images of bytes; how they are taken further is up to "
                        "what it computes");
    if (!op->encode_edit)
        return stk_fail(err, STK_E_UNSUPPORTED, op->name, NULL,
                        "there is no such operation on a device");
    STK_TRY(op->encode_edit(step->params, &random, &w->size, w->edit, err));
    note_steps(w, op->name);
    return STK_OK;
}

static int32_t colour_word(const uint8_t colour[3])
{
    return colour[0] | colour[1] << 8 | colour[2] << 16;
}

static stk_status make_edit(const stk_chain *chain, const stk_image_size *source,
                            const stk_random *randoms, uint64_t attempt, stk_edit *out,
                            stk_error *err)
{
    work w = {.edit = out, .size = *source, .always = !randoms && attempt % 2 == 0};
    memset(out, 0, sizeof *out); /* a copy of stk_edit_none takes twice as long */
    out->partner = -1;
    out->fraction = 1;
    stk_lazy_view_init(&w.view, source->width, source->height);
    for (size_t i = 0; i < chain->count; i++)
        STK_TRY(do_step(&w, &chain->steps[i],
                        randoms ? randoms[i] : stk_random_for(attempt, 0, 0, (uint32_t)i), err));
    out->x = w.view.window.x;
    out->y = w.view.window.y;
    out->flip = (w.view.flip_x ? STK_EDIT_FLIP_X : 0) | (w.view.flip_y ? STK_EDIT_FLIP_Y : 0);
    out->border = w.view.bordered ? (int32_t)w.view.border : STK_EDIT_CONSTANT;
    out->fill = colour_word(w.view.fill);
    return STK_OK;
}

stk_status stk_chain_edit(const stk_chain *chain, const stk_image_size *source,
                          const stk_random *randoms, stk_edit *out, stk_error *err)
{
    return make_edit(chain, source, randoms, 0, out, err);
}

/* Whether a window reaches outside depends on what is drawn, and so does whether another may follow
 * it: hence many tries, half of them with all steps. */
stk_status stk_chain_can_edit(const stk_chain *chain, const stk_image_size *source, stk_error *err)
{
    const stk_chain decoded = {.steps = chain->steps, .count = chain->count};
    stk_image_size  size;
    stk_edit        edit;
    for (uint64_t i = 0; i < TRIES; i++)
        STK_TRY(make_edit(chain, source, NULL, i, &edit, err));
    STK_TRY(stk_chain_measure(&decoded, source, &size, err));
    if (size.width > 0 && size.height > 0) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "image", NULL,
                    "on a device all images of a batch have one size, and the operations may "
                    "give several");
}
