/* Ring of asynchronous fetches. A slot is ready when the event after its copies has completed. */
#include "compute/runtime/device.h"
#include "compute/runtime/device_variables.h"
#include "compute/runtime/program_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uint8_t *data;
    void    *begin_event, *commit_event; /* NULL: not yet, or the device is synchronous */
} slot;

struct stk_fetch_queue {
    stk_device *device;
    size_t      slots, bytes;
    uint64_t    committed, popped; /* slots so far; the open one is committed % slots */
    bool        open;
    slot        list[STK_FETCH_QUEUE_SLOTS_MAX];
};

/* Copies go to pinned memory: a copy to pageable memory would block. */
static uint8_t *alloc_slot(stk_device *device, size_t size)
{
    if (device->backend->host_alloc) return device->backend->host_alloc(device, size);
    return malloc(size);
}

static void free_slot(stk_device *device, void *data, size_t size)
{
    if (device->backend->host_free && data)
        device->backend->host_free(device, data, size);
    else
        free(data);
}

stk_status stk_fetch_queue_new(stk_fetch_queue **out, stk_device *device, size_t slots,
                               size_t bytes, stk_error *err)
{
    *out = NULL;
    if (slots < 1 || slots > STK_FETCH_QUEUE_SLOTS_MAX || bytes < 1)
        return stk_fail(err, STK_E_INVALID, "fetch queue", NULL,
                        "%zu slots of %zu bytes; 1 to %d slots", slots, bytes,
                        STK_FETCH_QUEUE_SLOTS_MAX);
    stk_fetch_queue *queue = calloc(1, sizeof *queue);
    if (!queue) return stk_fail(err, STK_E_NOMEM, "fetch queue", NULL, "no memory");
    *queue = (stk_fetch_queue){.device = device, .slots = slots, .bytes = bytes};
    for (size_t i = 0; i < slots; i++) {
        queue->list[i].data = alloc_slot(device, bytes);
        if (queue->list[i].data) continue;
        stk_fetch_queue_free(queue);
        return stk_fail(err, STK_E_NOMEM, "fetch queue", NULL, "no memory for a slot of %zu bytes",
                        bytes);
    }
    *out = queue;
    return STK_OK;
}

void stk_fetch_queue_free(stk_fetch_queue *queue)
{
    stk_error unasked;
    if (!queue) return;
    const stk_backend *backend = queue->device->backend;
    const stk_status   waited = stk_device_sync(queue->device, &unasked);
    (void)waited; /* a lost device has no copies in flight */
    for (size_t i = 0; i < queue->slots; i++) {
        slot *s = &queue->list[i];
        if (backend->event_free) backend->event_free(queue->device, s->begin_event);
        if (backend->event_free) backend->event_free(queue->device, s->commit_event);
        free_slot(queue->device, s->data, queue->bytes);
    }
    free(queue);
}

size_t stk_fetch_queue_in_flight(const stk_fetch_queue *queue)
{
    return (size_t)(queue->committed - queue->popped);
}

static slot *open_slot(stk_fetch_queue *queue)
{
    return &queue->list[queue->committed % queue->slots];
}

stk_status stk_fetch_queue_begin(stk_fetch_queue *queue, stk_error *err)
{
    const stk_backend *backend = queue->device->backend;
    if (stk_fetch_queue_in_flight(queue) == queue->slots)
        return stk_fail(err, STK_E_LIMIT, "fetch queue", NULL,
                        "all %zu slots are in flight; pop one first", queue->slots);
    queue->open = true;
    return backend->event_record
               ? backend->event_record(queue->device, &open_slot(queue)->begin_event, err)
               : STK_OK;
}

static stk_status copy(stk_fetch_queue *queue, size_t offset, const void *from, size_t size,
                       stk_error *err)
{
    const stk_backend *backend = queue->device->backend;
    uint8_t           *to = open_slot(queue)->data + offset;
    if (!queue->open || offset > queue->bytes || size > queue->bytes - offset)
        return stk_fail(err, STK_E_RANGE, "fetch queue", NULL,
                        "%zu bytes at %zu of a slot of %zu that is %s", size, offset, queue->bytes,
                        queue->open ? "open" : "not open");
    if (backend->download_async && backend->event_record)
        return backend->download_async(queue->device, to, from, size, err);
    backend->download(queue->device, to, from, size);
    return stk_device_sync(queue->device, err);
}

stk_status stk_fetch_queue_add(stk_fetch_queue *queue, stk_program *program, const char *output,
                               size_t offset, size_t size, stk_error *err)
{
    const void *from = NULL;
    STK_TRY(stk_program_output(program, output, size, &from, err));
    return copy(queue, offset, from, size, err);
}

stk_status stk_fetch_queue_add_at(stk_fetch_queue *queue, stk_program *program, size_t output,
                                  size_t offset, size_t size, stk_error *err)
{
    const void *from = NULL;
    STK_TRY(stk_program_output_at(program, output, size, &from, err));
    return copy(queue, offset, from, size, err);
}

stk_status stk_fetch_queue_add_variable(stk_fetch_queue *queue, stk_variables *variables,
                                        size_t index, size_t offset, size_t size, stk_error *err)
{
    const stk_variable *v = &variables->list[index];
    bool plain = v->format == STK_FORMAT_PLAIN || v->format == (stk_format)STK_FORMAT_ANY;
    if (!plain || size != stk_type_bytes(&v->type))
        return stk_fail(err, STK_E_SHAPE, "fetch queue", v->name,
                        "it has %zu bytes%s; %zu are requested", stk_type_bytes(&v->type),
                        plain ? "" : " in a format of the backend", size);
    return copy(queue, offset, v->data, size, err);
}

stk_status stk_fetch_queue_commit(stk_fetch_queue *queue, stk_error *err)
{
    const stk_backend *backend = queue->device->backend;
    if (backend->event_record)
        STK_TRY(backend->event_record(queue->device, &open_slot(queue)->commit_event, err));
    queue->open = false;
    queue->committed++;
    return STK_OK;
}

stk_status stk_fetch_queue_pop(stk_fetch_queue *queue, bool wait, stk_fetch_queue_slot *out,
                               stk_error *err)
{
    const stk_backend *backend = queue->device->backend;
    bool               done = true;
    *out = (stk_fetch_queue_slot){0};
    if (!stk_fetch_queue_in_flight(queue)) return STK_OK;
    slot *s = &queue->list[queue->popped % queue->slots];
    if (backend->event_record)
        STK_TRY(backend->event_query(queue->device, s->commit_event, wait, &done, err));
    if (!done) return STK_OK;
    out->data = s->data;
    if (backend->event_record)
        out->device_ns = backend->event_elapsed(queue->device, s->begin_event, s->commit_event);
    queue->popped++;
    return STK_OK;
}
