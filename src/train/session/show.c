/* Batch images as the network sees them, for display. Images made by edits come from the device by
 * a program that is compiled for one use; others are copied from the batch. */
#include "train/session/session_internal.h"
#include <stdlib.h>
#include <string.h>

static stk_status compile(stk_session *s, const stk_show *how, stk_program **out, int64_t *rows,
                          stk_error *err)
{
    const stk_program_options options = {
        .name = "show", .precision = STK_DTYPE_F32, .batch = how->fed};
    stk_graph *graph;
    STK_TRY(stk_graphs_show(&s->graphs, how->fed, how->size, how->evaluate, rows, &graph, err));
    const stk_status st = stk_program_compile(out, graph, s->variables, &options, err);
    stk_graph_free(graph);
    return st;
}

static stk_status run(stk_session *s, stk_program *program, const stk_loader_batch *batch,
                      const stk_show *how, float *values, size_t bytes, stk_error *err)
{
    if (batch->images)
        STK_TRY(stk_program_feed(program, "image", batch->images,
                                 (size_t)how->fed * stk_session_image_bytes(s, how->size), err));
    STK_TRY(
        stk_program_feed(program, "edits", batch->edits, (size_t)how->fed * sizeof(stk_edit), err));
    STK_TRY(stk_program_run(program, NULL, err));
    return stk_program_fetch(program, "images", values, bytes, err);
}

/* Inverts the normalisation. */
static void unnormalize(const stk_session *s, const float *values, size_t count, uint8_t *out)
{
    const size_t channels = (size_t)s->graphs.channels;
    float        mean[4], deviation[4];
    stk_loader_normalization(s->recipe->data.preset, mean, deviation);
    for (size_t i = 0; i < count; i++) {
        const float x = (values[i] * deviation[i % channels] + mean[i % channels]) * 255;
        out[i] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x + 0.5f);
    }
}

static stk_status carry_out(stk_session *s, const stk_loader_batch *batch, const stk_show *how,
                            uint8_t *out, stk_error *err)
{
    const size_t each = stk_session_image_bytes(s, how->size);
    stk_program *program = NULL;
    int64_t      rows = 0;
    stk_status   st = compile(s, how, &program, &rows, err);
    const size_t bytes = (size_t)rows * each * sizeof(float);
    float       *values = st ? NULL : malloc(bytes);
    if (!st && !values)
        st = stk_fail(err, STK_E_NOMEM, "show", NULL, "no memory for %zu bytes", bytes);
    if (!st) st = run(s, program, batch, how, values, bytes, err);
    if (!st) unnormalize(s, values, (size_t)how->rows * each, out);
    stk_program_free(program);
    free(values);
    return st;
}

stk_status stk_session_show(stk_session *session, const stk_loader_batch *batch,
                            const stk_show *how, uint8_t *out, stk_error *err)
{
    if (batch->edits) return carry_out(session, batch, how, out, err);
    memcpy(out, batch->images, (size_t)how->rows * stk_session_image_bytes(session, how->size));
    return STK_OK;
}
