/* Event files. Curves use simple_value and images the Image message, the older forms.
 * TensorBoard converts them when loading, every version reads them, and a point takes 49 bytes
 * instead of 71. */
#include "base/utf8.h"
#include "storage/file/paths.h"
#include "train/log/events_plugin.h"
#include "train/log/proto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/events.h>
#include <stoker/image.h>
#include <stoker/tfrecord.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFERED_MAX = 4 << 20, /* buffered bytes while the file cannot be written */
    WRITE_FROM = 64 << 10,  /* larger buffers are written at once */
    POINT_CAPACITY = 512,   /* a point with a tag of common length */
    HOST_CAPACITY = 256,
    SAME_NAME_MAX = 1000
};

enum { EVENT_WALL_TIME = 1, EVENT_STEP, EVENT_FILE_VERSION, EVENT_SUMMARY = 5, EVENT_LOG = 7 };
enum { EVENT_SOURCE = 10, SOURCE_WRITER = 1 };
enum { LOG_STATUS = 1, LOG_START = 1 };
enum { SUMMARY_VALUE = 1 };
enum { VALUE_TAG = 1, VALUE_SIMPLE, VALUE_IMAGE = 4, VALUE_TENSOR = 8, VALUE_METADATA };
enum { IMAGE_HEIGHT = 1, IMAGE_WIDTH, IMAGE_CHANNELS, IMAGE_ENCODED };
enum { TENSOR_DTYPE = 1, TENSOR_SHAPE, TENSOR_STRINGS = 8, DTYPE_STRING = 7 };
enum { METADATA_PLUGIN = 1, METADATA_CLASS = 4, CLASS_TENSOR = 2 };
enum { PLUGIN_NAME = 1, PLUGIN_CONTENT };

struct stk_events {
    stk_output *output;
    stk_blob    frames;                      /* framed events not yet in the file */
    stk_blob    part, value, summary, event; /* messages, innermost first */
    bool        lost;                        /* a point was lost: no memory, or too many buffered */
    double      flush_seconds, flushed_at;
    double (*now)(void *context);
    void *now_context;
};

static double read_clock(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static stk_status write_frames(stk_events *events, stk_error *err)
{
    events->flushed_at = events->now(events->now_context);
    if (!events->frames.size) return STK_OK;
    STK_TRY(stk_output_write(events->output, events->frames.data, events->frames.size, err));
    events->frames.size = 0;
    return STK_OK;
}

/* A clock set back counts as elapsed time. */
static bool is_due(const stk_events *events, double now)
{
    if (events->frames.size >= WRITE_FROM) return true;
    const double waited = now - events->flushed_at;
    return events->flush_seconds >= 0 && (waited >= events->flush_seconds || waited < 0);
}

/* Time and step, which every event has; a step of 0 is omitted, as in protobuf's own writers. */
static stk_proto begin_event(stk_events *events, int64_t step, stk_error *err)
{
    stk_proto p = stk_proto_begin(&events->event, err);
    stk_proto_double(&p, EVENT_WALL_TIME, events->now(events->now_context));
    if (step) stk_proto_varint(&p, EVENT_STEP, (uint64_t)step);
    return p;
}

/* Buffers the event completely or not at all. */
static stk_status end_event(stk_events *events, const stk_proto *p, stk_error *err)
{
    STK_TRY(p->status);
    if (events->frames.size + events->event.size > BUFFERED_MAX) STK_TRY(write_frames(events, err));
    return stk_tfrecord_frame(&events->frames, stk_blob_bytes(&events->event), err);
}

/* Builds the event around a value. */
static stk_status take_value(stk_events *events, int64_t step, const stk_proto *value,
                             stk_error *err)
{
    STK_TRY(value->status);
    stk_proto summary = stk_proto_begin(&events->summary, err);
    stk_proto_message(&summary, SUMMARY_VALUE, &events->value);
    STK_TRY(summary.status);
    stk_proto event = begin_event(events, step, err);
    stk_proto_message(&event, EVENT_SUMMARY, &events->summary);
    return end_event(events, &event, err);
}

static stk_status write_due(stk_events *events, stk_error *err)
{
    return is_due(events, events->now(events->now_context)) ? write_frames(events, err) : STK_OK;
}

/* For events that can be added again: fails only if the event was not buffered. The next writing
 * call reports write failures. */
static stk_status put_value(stk_events *events, int64_t step, const stk_proto *value,
                            stk_error *err)
{
    STK_TRY(take_value(events, step, value, err));
    (void)!write_due(events, NULL);
    return STK_OK;
}

/* Protobuf's readers reject an event with invalid UTF-8. */
stk_status stk_events_check_text(const stk_events *events, const char *what, const char *text,
                                 stk_error *err)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        const int bytes = stk_utf8_length((const uint8_t *)text + at, length - at);
        if (!bytes)
            return stk_fail(err, STK_E_INVALID, "events", events->output->path,
                            "the %s '%s' is not UTF-8 from byte %zu on", what, text, at);
        at += (size_t)bytes;
    }
    return STK_OK;
}

static stk_status begin_value(stk_events *events, const char *tag, int64_t step, stk_proto *value,
                              stk_error *err)
{
    if (!tag || !tag[0] || step < 0)
        return stk_fail(err, STK_E_INVALID, "events", events->output->path,
                        "tag '%s' at step %" PRId64 ": a tag has letters, a step is 0 or more",
                        tag ? tag : "", step);
    STK_TRY(stk_events_check_text(events, "tag", tag, err));
    *value = stk_proto_begin(&events->value, err);
    stk_proto_text(value, VALUE_TAG, tag);
    return STK_OK;
}

stk_status stk_events_scalar(stk_events *events, const char *tag, int64_t step, double value,
                             stk_error *err)
{
    stk_proto p;
    STK_TRY(begin_value(events, tag, step, &p, err));
    stk_proto_float(&p, VALUE_SIMPLE, (float)value);
    const stk_status st = take_value(events, step, &p, err);
    events->lost = events->lost || st;
    STK_TRY(st);
    return write_due(events, err);
}

stk_status stk_events_text(stk_events *events, const char *tag, int64_t step, const char *text,
                           stk_error *err)
{
    stk_proto p;
    STK_TRY(begin_value(events, tag, step, &p, err));
    stk_proto part = stk_proto_begin(&events->part, err);
    stk_proto_varint(&part, TENSOR_DTYPE, DTYPE_STRING);
    stk_proto_bytes(&part, TENSOR_SHAPE, stk_bytes_of("", 0)); /* a scalar */
    stk_proto_text(&part, TENSOR_STRINGS, text);
    STK_TRY(part.status);
    stk_proto_message(&p, VALUE_TENSOR, &events->part);
    part = stk_proto_begin(&events->part, err);
    stk_proto_text(&part, PLUGIN_NAME, "text");
    STK_TRY(part.status);
    stk_proto metadata =
        stk_proto_begin(&events->summary, err); /* unused until the value is complete */
    stk_proto_message(&metadata, METADATA_PLUGIN, &events->part);
    stk_proto_varint(&metadata, METADATA_CLASS, CLASS_TENSOR);
    STK_TRY(metadata.status);
    stk_proto_message(&p, VALUE_METADATA, &events->summary);
    return put_value(events, step, &p, err);
}

stk_status stk_events_metadata(stk_events *events, const char *tag, const char *plugin,
                               stk_bytes content, stk_error *err)
{
    stk_proto p;
    STK_TRY(begin_value(events, tag, 0, &p, err));
    stk_proto part = stk_proto_begin(&events->part, err);
    stk_proto_text(&part, PLUGIN_NAME, plugin);
    stk_proto_bytes(&part, PLUGIN_CONTENT, content);
    STK_TRY(part.status);
    stk_proto metadata =
        stk_proto_begin(&events->summary, err); /* unused until the value is complete */
    stk_proto_message(&metadata, METADATA_PLUGIN, &events->part);
    STK_TRY(metadata.status);
    stk_proto_message(&p, VALUE_METADATA, &events->summary);
    return put_value(events, 0, &p, err);
}

double stk_events_now(const stk_events *events)
{
    return events->now(events->now_context);
}

stk_status stk_events_image(stk_events *events, const char *tag, int64_t step, stk_bytes encoded,
                            stk_error *err)
{
    stk_proto      p;
    stk_image_info info;
    STK_TRY(begin_value(events, tag, step, &p, err));
    STK_TRY(stk_image_read_info(encoded, NULL, &info, err));
    if (info.format != STK_IMAGE_PNG && info.format != STK_IMAGE_JPEG)
        return stk_fail(err, STK_E_UNSUPPORTED, "events", events->output->path,
                        "the image '%s' is a %s; TensorBoard shows PNG and JPEG", tag,
                        stk_image_format_name(info.format));
    stk_proto part = stk_proto_begin(&events->part, err);
    stk_proto_varint(&part, IMAGE_HEIGHT, (uint64_t)info.height);
    stk_proto_varint(&part, IMAGE_WIDTH, (uint64_t)info.width);
    stk_proto_varint(&part, IMAGE_CHANNELS, (uint64_t)info.channels);
    stk_proto_bytes(&part, IMAGE_ENCODED, encoded);
    STK_TRY(part.status);
    stk_proto_message(&p, VALUE_IMAGE, &events->part);
    return put_value(events, step, &p, err);
}

stk_status stk_events_show(stk_events *events, stk_error *err)
{
    return write_frames(events, err);
}

stk_status stk_events_flush(stk_events *events, stk_error *err)
{
    if (events->lost)
        return stk_fail(err, STK_E_DATALOSS, "events", events->output->path,
                        "points of curves are missing: there was no memory for them, or the file "
                        "could not be written for too long");
    STK_TRY(write_frames(events, err));
    return stk_output_commit(events->output, err);
}

/* The first event of every file. */
static stk_status put_version(stk_events *events, stk_error *err)
{
    stk_proto part = stk_proto_begin(&events->part, err);
    stk_proto_text(&part, SOURCE_WRITER, "stoker");
    STK_TRY(part.status);
    stk_proto p = begin_event(events, 0, err);
    stk_proto_text(&p, EVENT_FILE_VERSION, "brain.Event:2");
    stk_proto_message(&p, EVENT_SOURCE, &events->part);
    return end_event(events, &p, err);
}

/* TensorBoard drops earlier points from this step on: those of the interrupted run. */
static stk_status put_start(stk_events *events, int64_t step, stk_error *err)
{
    stk_proto part = stk_proto_begin(&events->part, err);
    stk_proto_varint(&part, LOG_STATUS, LOG_START);
    STK_TRY(part.status);
    stk_proto p = begin_event(events, step, err);
    stk_proto_message(&p, EVENT_LOG, &events->part);
    return end_event(events, &p, err);
}

/* The first unused name of this second. TensorBoard reads files in name order. */
static stk_status choose_path(const stk_events *events, const char *folder,
                              const stk_events_options *options, stk_blob *path, stk_error *err)
{
    char    host[HOST_CAPACITY] = "localhost", name[2 * HOST_CAPACITY], number[16] = "";
    int64_t seconds = (int64_t)events->now(events->now_context);
    if (options->host)
        snprintf(host, sizeof host, "%s", options->host);
    else
        (void)gethostname(host, sizeof host - 1);
    for (int i = 1; i < SAME_NAME_MAX; i++) {
        stk_file_info info;
        snprintf(name, sizeof name, "events.out.tfevents.%010" PRId64 ".%s%s", seconds, host,
                 number);
        STK_TRY(stk_path_join(path, folder, name, err));
        const stk_status st =
            stk_path_info(options->filesystem, (const char *)path->data, &info, err);
        if (st == STK_E_NOTFOUND) return STK_OK;
        STK_TRY(st);
        snprintf(number, sizeof number, ".%d", i);
    }
    return stk_fail(err, STK_E_EXISTS, "events", folder, "has %d event files of one second",
                    SAME_NAME_MAX);
}

/* Afterwards points need no memory while the file can be written, so a temporary shortage loses
 * none. */
static stk_status reserve(stk_events *events, stk_error *err)
{
    STK_TRY(stk_blob_reserve(&events->value, POINT_CAPACITY, err));
    STK_TRY(stk_blob_reserve(&events->summary, POINT_CAPACITY, err));
    STK_TRY(stk_blob_reserve(&events->event, POINT_CAPACITY, err));
    return stk_blob_reserve(&events->frames, WRITE_FROM + 2 * POINT_CAPACITY, err);
}

static stk_status start(stk_events *events, const char *folder, const stk_events_options *options,
                        stk_error *err)
{
    STK_TRY(reserve(events, err));
    stk_blob path;
    stk_blob_init(&path, options->ledger, STK_MEMORY_OUTPUT);
    stk_status st = choose_path(events, folder, options, &path, err);
    if (!st)
        st = stk_output_append(&events->output, options->filesystem, (const char *)path.data, err);
    stk_blob_release(&path);
    if (!st) st = put_version(events, err);
    if (!st && options->resumed) st = put_start(events, options->resume_step, err);
    if (!st) st = write_frames(events, err);
    return st;
}

stk_status stk_events_open(stk_events **out, const char *folder, const stk_events_options *options,
                           stk_error *err)
{
    const stk_events_options defaults = {0};
    stk_error                unasked;
    *out = NULL;
    if (!options) options = &defaults;
    if (!err) err = &unasked;
    stk_events *events = calloc(1, sizeof *events);
    if (!events) return stk_fail(err, STK_E_NOMEM, "events", folder, "no memory for events");
    events->now = options->now ? options->now : read_clock;
    events->now_context = options->now_context;
    events->flush_seconds = options->flush_seconds != 0 ? options->flush_seconds : 10;
    stk_blob *const blobs[] = {&events->frames, &events->part, &events->value, &events->summary,
                               &events->event};
    for (size_t i = 0; i < sizeof blobs / sizeof blobs[0]; i++)
        stk_blob_init(blobs[i], options->ledger, STK_MEMORY_OUTPUT);
    const stk_status st = start(events, folder, options, err);
    if (st) {
        stk_events_free(events);
        return st;
    }
    *out = events;
    return STK_OK;
}

const char *stk_events_path(const stk_events *events)
{
    return events->output->path;
}

void stk_events_free(stk_events *events)
{
    if (!events) return;
    if (events->output) (void)!write_frames(events, NULL);
    stk_output_close(events->output);
    stk_blob_release(&events->event);
    stk_blob_release(&events->summary);
    stk_blob_release(&events->value);
    stk_blob_release(&events->part);
    stk_blob_release(&events->frames);
    free(events);
}
