/* Resident images: the decision, and the upload. */
#include "base/clock.h"
#include "compute/runtime/backend.h"
#include "train/session/session_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void log_line(const stk_loader_options *o, const char *format, ...) STK_PRINTF(2, 3);

static void log_line(const stk_loader_options *o, const char *format, ...)
{
    char    line[768];
    va_list args;
    if (!o->log) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    o->log(o->log_context, line);
}

/* Memory left free for other processes and for the run's own programs. */
static bool fits(const stk_session *s, uint64_t bytes, bool wanted)
{
    const stk_backend *backend = s->device->backend;
    if (!backend->memory_free) return true;
    const uint64_t there = backend->memory_free(s->device);
    return wanted ? bytes < there : bytes < there / 8;
}

static stk_status load(stk_session *s, const stk_loader_options *options, stk_error *err)
{
    stk_loader_options o = *options;
    STK_TRY(stk_resident_load(&s->graphs.resident[false], &o, err));
    o.evaluate = true;
    o.size = s->recipe->data.size;
    return o.data->validation_count ? stk_resident_load(&s->graphs.resident[true], &o, err)
                                    : STK_OK;
}

static void drop(stk_session *s)
{
    for (int i = 0; i < 2; i++) {
        stk_resident_free(s->graphs.resident[i]);
        s->graphs.resident[i] = NULL;
    }
}

stk_status stk_session_make_resident(stk_session *session, const stk_loader_options *options,
                                     stk_error *err)
{
    const stk_train_recipe *r = session->recipe;
    const bool              on = r->data.resident == STK_RESIDENT_ON;
    const uint64_t          bytes = stk_resident_bytes(r, options->data);
    stk_error               why;
    if (r->data.resident == STK_RESIDENT_OFF) return STK_OK;
    if (stk_faults_change_input(options->faults)) {
        log_line(options, "resident: off, since a fault of the input is injected");
        return STK_OK;
    }
    if (!fits(session, bytes, on)) {
        if (on)
            return stk_fail(err, STK_E_LIMIT, "resident", "data.resident",
                            "the images take %.1f GB, more than the device has free; set "
                            "data.resident: off",
                            (double)bytes / 1e9);
        log_line(options, "resident: off, the images take more than an eighth of the free memory");
        return STK_OK;
    }
    uint64_t   begin = stk_clock_ns();
    stk_status st = load(session, options, &why);
    if (st) drop(session);
    if (!st)
        log_line(options, "resident: %lld images were read in %.1f s, %.0f MB stay on the device",
                 (long long)session->graphs.resident[false]->count,
                 (double)(stk_clock_ns() - begin) / 1e9, (double)bytes / 1e6);
    if (st == STK_E_SHAPE && !on) {
        log_line(options, "resident: off: %s", why.message);
        return STK_OK;
    }
    if (st && err) *err = why;
    return st;
}

const stk_resident *stk_session_resident(const stk_session *session, bool evaluate)
{
    return session->graphs.resident[evaluate];
}

stk_status stk_session_upload_resident(stk_session *session, stk_error *err)
{
    for (int i = 0; i < 2; i++) {
        stk_resident *r = session->graphs.resident[i];
        const size_t  index = stk_variables_find(session->variables, stk_resident_names[i]);
        if (!r || r->there || index == SIZE_MAX) continue;
        STK_TRY(
            stk_variables_write(session->variables, index, r->images.data, r->images.size, err));
        r->there = true;
    }
    return STK_OK;
}

void stk_session_drop_copies(stk_session *session)
{
    for (int i = 0; i < 2; i++) {
        stk_resident *r = session->graphs.resident[i];
        if (r && r->there) stk_blob_release(&r->images);
    }
}
