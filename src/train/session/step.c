/* Training steps. A step is enqueued and its results follow in a slot of the fetch queue: at once
 * on a synchronous device, up to STK_STEPS_IN_FLIGHT_MAX steps later on an asynchronous one. */
#include "compute/runtime/device.h"
#include "train/session/session_internal.h"
#include <string.h>

/* Outputs that a step leaves on the host. */
typedef struct left {
    float loss, guard[STK_OPTIMIZER_GUARD];
    float metrics[4];
} left;

static stk_status feed_hyper(stk_program *program, const stk_session_ports *ports,
                             const float *hyper, stk_error *err)
{
    return stk_program_feed_at(program, ports->input[STK_SESSION_HYPER], hyper,
                               STK_OPTIMIZER_HYPER * sizeof *hyper, false, err);
}

typedef struct part {
    stk_session_input input;
    const void       *data;
    size_t            bytes;
} part;

/* Fills parts with the batch's buffers to upload. Returns how many there are. */
static size_t parts_of(const stk_session *s, const stk_loader_batch *batch, int64_t size,
                       part parts[2])
{
    const size_t rows = (size_t)s->recipe->data.batch;
    size_t       count = 0;
    if (batch->images)
        parts[count++] =
            (part){STK_SESSION_IMAGE, batch->images, rows * stk_session_image_bytes(s, size)};
    if (batch->edits)
        parts[count++] = (part){STK_SESSION_EDITS, batch->edits, rows * sizeof(stk_edit)};
    return count;
}

/* Borrowed batches are uploaded asynchronously: they stay unchanged until their step is done
 * (stk_loader_options.kept). */
static stk_status feed(stk_session *s, const stk_session_program_row *row,
                       const stk_loader_batch *batch, const stk_instruction_input *input,
                       bool async, stk_error *err)
{
    const stk_train_recipe *r = s->recipe;
    const size_t           *ports = row->ports.input;
    bool                    soft = stk_loader_soft(r, false);
    size_t                  rows = (size_t)r->data.batch;
    part                    parts[2];
    size_t                  count = parts_of(s, batch, input->size, parts), bytes = 0;
    for (size_t i = 0; i < count; i++) {
        STK_TRY(stk_program_feed_at(row->program, ports[parts[i].input], parts[i].data,
                                    parts[i].bytes, async, err));
        bytes += parts[i].bytes;
    }
    STK_TRY(stk_program_feed_at(row->program, ports[STK_SESSION_LABEL], batch->labels,
                                soft ? rows * (size_t)r->model.classes * sizeof(float)
                                     : rows * sizeof(int64_t),
                                async, err));
    stk_meter_add(input->meter, STK_STAGE_HOST_TO_DEVICE, 0, rows, bytes);
    return stk_program_feed_at(row->program, ports[STK_SESSION_STEP], &input->step,
                               sizeof input->step, false, err);
}

/* Uploads the same bytes again, for the injected copy fault: only the cost changes. */
static stk_status feed_again(stk_session *s, const stk_session_program_row *row,
                             const stk_loader_batch *batch, const stk_instruction_input *input,
                             stk_error *err)
{
    part parts[2];
    (void)parts_of(s, batch, input->size, parts);
    for (int64_t i = stk_faults_copies(s->faults); i > 0; i--) {
        STK_TRY(stk_program_feed_at(row->program, row->ports.input[parts[0].input], parts[0].data,
                                    parts[0].bytes, false, err));
        stk_meter_add(input->meter, STK_STAGE_HOST_TO_DEVICE, 0, 0, parts[0].bytes);
    }
    return STK_OK;
}

static stk_status all_reduce(stk_session *s, const stk_instruction_input *input, stk_error *err)
{
    size_t bytes;
    if (!stk_faults_shares(s->faults)) return STK_OK;
    stk_meter_enter(input->meter, STK_STAGE_ALLREDUCE);
    STK_TRY(stk_faults_allreduce(s->faults, s->variables, &bytes, err));
    stk_meter_add(input->meter, STK_STAGE_ALLREDUCE, 0, (uint64_t)s->recipe->data.batch, bytes);
    return STK_OK;
}

static stk_status fetch_more(stk_session *s, const stk_instruction_input *input, stk_error *err)
{
    size_t bytes;
    STK_TRY(stk_faults_fetch(s->faults, s->variables, &bytes, err));
    stk_meter_add(input->meter, STK_STAGE_DEVICE_TO_HOST, 0, 0, bytes);
    return STK_OK;
}

static stk_status put(stk_session *s, stk_program *program, size_t output, size_t at, size_t size,
                      uint64_t items, stk_meter *meter, stk_error *err)
{
    STK_TRY(stk_fetch_queue_add_at(s->queue, program, output, at, size, err));
    stk_meter_add(meter, STK_STAGE_DEVICE_TO_HOST, 0, items, size);
    return STK_OK;
}

/* Queues a fetch of the sums after this step, then clears them. */
static stk_status put_metrics(stk_session *s, stk_error *err)
{
    for (size_t i = 0; i < 4; i++) {
        const size_t index = s->metrics[i];
        if (index == SIZE_MAX) continue;
        STK_TRY(stk_fetch_queue_add_variable(s->queue, s->variables, index,
                                             offsetof(left, metrics) + i * sizeof(float),
                                             sizeof(float), err));
        stk_variables_clear(s->variables, index);
    }
    return STK_OK;
}

/* Applies accumulated gradients. */
static stk_status run_update(stk_session *s, const stk_instruction_input *input, const float *hyper,
                             stk_trace_thread *thread, stk_error *err)
{
    STK_TRY(feed_hyper(s->update, &s->update_ports, hyper, err));
    stk_meter_enter(input->meter, STK_STAGE_COMPUTE);
    STK_TRY(stk_program_run(s->update, thread, err));
    stk_meter_enter(input->meter, STK_STAGE_DEVICE_TO_HOST);
    return STK_OK;
}

static stk_status run_lookahead(stk_session *s, const float *hyper, stk_trace_thread *thread,
                                stk_error *err)
{
    STK_TRY(feed_hyper(s->lookahead, &s->lookahead_ports, hyper, err));
    return stk_program_run(s->lookahead, thread, err);
}

stk_status stk_session_begin(stk_session *session, stk_error *err)
{
    float hyper[STK_OPTIMIZER_HYPER];
    stk_optimizer_hyper(&(stk_hyperparameters){.lookahead_weight = 0}, hyper);
    return session->lookahead ? run_lookahead(session, hyper, NULL, err) : STK_OK;
}

static stk_status run(stk_session *s, const stk_session_program_row *row,
                      const stk_loader_batch *batch, const stk_instruction_input *input,
                      stk_trace_thread *thread, stk_error *err)
{
    float                    hyper[STK_OPTIMIZER_HYPER];
    stk_program             *program = row->program, *updates = s->update ? s->update : program;
    const stk_session_ports *update_ports = s->update ? &s->update_ports : &row->ports;
    stk_optimizer_hyper(&input->now, hyper);
    if (!s->update) STK_TRY(feed_hyper(program, &row->ports, hyper, err));
    stk_meter_enter(input->meter, STK_STAGE_COMPUTE);
    STK_TRY(stk_fetch_queue_begin(s->queue, err));
    STK_TRY(stk_program_run(program, thread, err));
    stk_meter_add(input->meter, STK_STAGE_COMPUTE, 0, (uint64_t)batch->rows, 0);
    if (!s->update || input->update)
        STK_TRY(all_reduce(s, input, err)); /* accumulated gradients are exchanged once */
    stk_meter_enter(input->meter, STK_STAGE_DEVICE_TO_HOST);
    STK_TRY(fetch_more(s, input, err));
    STK_TRY(put(s, program, row->ports.loss, offsetof(left, loss), sizeof(float),
                (uint64_t)batch->rows, input->meter, err));
    if (s->update && input->update) STK_TRY(run_update(s, input, hyper, thread, err));
    if (s->lookahead && input->lookahead) STK_TRY(run_lookahead(s, hyper, thread, err));
    if (!s->update || input->update)
        STK_TRY(put(s, updates, update_ports->guard, offsetof(left, guard),
                    STK_OPTIMIZER_GUARD * sizeof(float), 0, input->meter, err));
    if (input->measure) STK_TRY(put_metrics(s, err));
    return stk_fetch_queue_commit(s->queue, err);
}

stk_status stk_session_step(stk_session *session, const stk_loader_batch *batch,
                            const stk_instruction_input *input, stk_trace_thread *thread,
                            stk_error *err)
{
    const stk_session_program_row *row = stk_session_find_step(session, input);
    if (!session->queue)
        STK_TRY(stk_fetch_queue_new(&session->queue, session->device, STK_SESSION_SLOTS,
                                    sizeof(left), err));
    stk_meter_enter(input->meter, STK_STAGE_HOST_TO_DEVICE);
    STK_TRY(feed(session, row, batch, input, true, err));
    STK_TRY(feed_again(session, row, batch, input, err));
    STK_TRY(run(session, row, batch, input, thread, err));
    session->pending[session->enqueued_count++ % STK_SESSION_SLOTS] =
        (stk_session_pending){input->step, !session->update || input->update, input->measure};
    return STK_OK;
}

size_t stk_session_under_way(const stk_session *session)
{
    return (size_t)(session->enqueued_count - session->done_count);
}

int stk_session_steps_in_flight(const stk_session *session)
{
    const int64_t wanted = session->recipe->knobs.steps_in_flight;
    if (session->recipe->knobs.eager || !stk_device_is_asynchronous(session->device)) return 0;
    return wanted < 0 || wanted > STK_STEPS_IN_FLIGHT_MAX ? STK_STEPS_IN_FLIGHT_MAX : (int)wanted;
}

stk_status stk_session_result(stk_session *session, stk_meter *meter,
                              stk_instruction_result *result, stk_error *err)
{
    stk_fetch_queue_slot slot;
    *result = (stk_instruction_result){0};
    if (stk_device_is_asynchronous(session->device)) stk_meter_enter(meter, STK_STAGE_COMPUTE);
    STK_TRY(stk_fetch_queue_pop(session->queue, true, &slot, err));
    const stk_session_pending *b = &session->pending[session->done_count++ % STK_SESSION_SLOTS];
    left                       found;
    memcpy(&found, slot.data, sizeof found);
    result->step = b->step;
    result->loss = found.loss;
    result->skipped = b->guarded && stk_optimizer_read_guard(found.guard).skipped;
    result->device_ns = slot.device_ns;
    result->measured = b->measured;
    if (b->measured)
        result->metrics =
            (stk_metrics){found.metrics[0], found.metrics[1], found.metrics[2], found.metrics[3]};
    return STK_OK;
}

void stk_session_drain(stk_session *session)
{
    stk_instruction_result unwanted;
    stk_error              unasked;
    while (session && stk_session_under_way(session))
        if (stk_session_result(session, NULL, &unwanted, &unasked)) return;
}

stk_status stk_session_find_not_finite(stk_session *session, const stk_loader_batch *batch,
                                       const stk_instruction_input *input, stk_error *err)
{
    stk_graph          *graph;
    stk_program        *program = NULL;
    stk_program_options options = {
        .name = "search", .passes_off = STK_GRAPH_PASS_ALL, .check = true};
    STK_TRY(stk_graphs_search(&session->graphs, input->size, &graph, err));
    stk_status st = stk_program_compile(&program, graph, session->variables, &options, err);
    stk_graph_free(graph);
    if (!st) {
        const stk_session_program_row row = {.program = program,
                                             .ports = stk_session_bind(program)};
        st = feed(session, &row, batch, input, false, err);
    }
    if (!st) st = stk_program_run(program, NULL, err);
    stk_program_free(program);
    return st;
}

stk_status stk_session_repeat(stk_session *session, int64_t size, int64_t times, stk_error *err)
{
    stk_program *program = stk_session_program(session, size);
    for (int64_t i = 0; i < times; i++) {
        STK_TRY(stk_program_run(program, NULL, err));
        if (session->update && (i + 1) % session->recipe->train.accumulate == 0)
            STK_TRY(stk_program_run(session->update, NULL, err));
    }
    return stk_device_sync(session->device, err);
}
