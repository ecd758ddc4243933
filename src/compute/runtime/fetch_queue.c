/* Results on their way to the host. A slot is there when the mark behind its copies has passed. */
#include "compute/runtime/device.h"
#include "compute/runtime/device_variables.h"
#include "compute/runtime/program_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uint8_t *data;
    void    *begun, *sent; /* marks; NULL: not yet, or of a device without */
} slot;

struct stk_fetch_queue {
    stk_device *device;
    size_t      slots, bytes;
    uint64_t    sent, taken; /* slots so far: the one that is open is sent % slots */
    bool        open;
    slot        list[STK_OUTBOX_SLOTS];
};

/* Copies end up here: without pinned memory each would be waited for. */
static uint8_t *take_bytes(stk_device *device, size_t size)
{
    if (device->backend->host_alloc) return device->backend->host_alloc(device, size);
    return malloc(size);
}

static void give_bytes(stk_device *device, void *data, size_t size)
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
    if (slots < 1 || slots > STK_OUTBOX_SLOTS || bytes < 1)
        return stk_fail(err, STK_E_INVALID, "outbox", NULL, "%zu slots of %zu bytes; 1 to %d slots",
                        slots, bytes, STK_OUTBOX_SLOTS);
    stk_fetch_queue *o = calloc(1, sizeof *o);
    if (!o) return stk_fail(err, STK_E_NOMEM, "outbox", NULL, "no memory");
    *o = (stk_fetch_queue){.device = device, .slots = slots, .bytes = bytes};
    for (size_t i = 0; i < slots; i++) {
        o->list[i].data = take_bytes(device, bytes);
        if (o->list[i].data) continue;
        stk_fetch_queue_free(o);
        return stk_fail(err, STK_E_NOMEM, "outbox", NULL, "no memory for a slot of %zu bytes",
                        bytes);
    }
    *out = o;
    return STK_OK;
}

void stk_fetch_queue_free(stk_fetch_queue *outbox)
{
    stk_error unasked;
    if (!outbox) return;
    const stk_backend *backend = outbox->device->backend;
    const stk_status   waited = stk_device_sync(outbox->device, &unasked);
    (void)waited; /* a device that is lost copies nothing any more */
    for (size_t i = 0; i < outbox->slots; i++) {
        slot *s = &outbox->list[i];
        if (backend->unmark) backend->unmark(outbox->device, s->begun);
        if (backend->unmark) backend->unmark(outbox->device, s->sent);
        give_bytes(outbox->device, s->data, outbox->bytes);
    }
    free(outbox);
}

size_t stk_fetch_queue_in_flight(const stk_fetch_queue *outbox)
{
    return (size_t)(outbox->sent - outbox->taken);
}

static slot *open_slot(stk_fetch_queue *o)
{
    return &o->list[o->sent % o->slots];
}

stk_status stk_fetch_queue_begin(stk_fetch_queue *outbox, stk_error *err)
{
    const stk_backend *backend = outbox->device->backend;
    if (stk_fetch_queue_in_flight(outbox) == outbox->slots)
        return stk_fail(err, STK_E_LIMIT, "outbox", NULL,
                        "all %zu slots are under way; take one first", outbox->slots);
    outbox->open = true;
    return backend->mark ? backend->mark(outbox->device, &open_slot(outbox)->begun, err) : STK_OK;
}

static stk_status copy(stk_fetch_queue *o, size_t at, const void *from, size_t size, stk_error *err)
{
    const stk_backend *backend = o->device->backend;
    uint8_t           *to = open_slot(o)->data + at;
    if (!o->open || at > o->bytes || size > o->bytes - at)
        return stk_fail(err, STK_E_RANGE, "outbox", NULL,
                        "%zu bytes at %zu of a slot of %zu that is %s", size, at, o->bytes,
                        o->open ? "open" : "not open");
    if (backend->post && backend->mark) return backend->post(o->device, to, from, size, err);
    backend->download(o->device, to, from, size);
    return stk_device_sync(o->device, err);
}

stk_status stk_fetch_queue_add(stk_fetch_queue *outbox, stk_program *program, const char *output,
                               size_t at, size_t size, stk_error *err)
{
    const void *from = NULL;
    STK_TRY(stk_program_output(program, output, size, &from, err));
    return copy(outbox, at, from, size, err);
}

stk_status stk_fetch_queue_add_variable(stk_fetch_queue *outbox, stk_variables *variables,
                                        size_t index, size_t at, size_t size, stk_error *err)
{
    const stk_variable *v = &variables->list[index];
    bool plain = v->format == STK_FORMAT_PLAIN || v->format == (stk_format)STK_FORMAT_ANY;
    if (!plain || size != stk_type_bytes(&v->type))
        return stk_fail(err, STK_E_SHAPE, "outbox", v->name,
                        "it has %zu bytes%s; %zu are asked for", stk_type_bytes(&v->type),
                        plain ? "" : " in a format of the backend", size);
    return copy(outbox, at, v->data, size, err);
}

stk_status stk_fetch_queue_commit(stk_fetch_queue *outbox, stk_error *err)
{
    const stk_backend *backend = outbox->device->backend;
    if (backend->mark) STK_TRY(backend->mark(outbox->device, &open_slot(outbox)->sent, err));
    outbox->open = false;
    outbox->sent++;
    return STK_OK;
}

stk_status stk_fetch_queue_pop(stk_fetch_queue *outbox, bool wait, stk_fetch_queue_slot *out,
                               stk_error *err)
{
    const stk_backend *backend = outbox->device->backend;
    bool               passed = true;
    *out = (stk_fetch_queue_slot){0};
    if (!stk_fetch_queue_in_flight(outbox)) return STK_OK;
    slot *s = &outbox->list[outbox->taken % outbox->slots];
    if (backend->mark) STK_TRY(backend->passed(outbox->device, s->sent, wait, &passed, err));
    if (!passed) return STK_OK;
    out->data = s->data;
    if (backend->mark) out->device_ns = backend->between(outbox->device, s->begun, s->sent);
    outbox->taken++;
    return STK_OK;
}
