/* Hyperparameters for TensorBoard's HPARAMS page: settings, metrics and outcome, as three messages
 * of plugin_data.proto under the plugin's tags. */
#include "train/log/events_plugin.h"
#include "train/log/proto.h"

enum { DATA_EXPERIMENT = 2, DATA_START, DATA_END };
enum { EXPERIMENT_CREATED = 3, EXPERIMENT_HPARAM, EXPERIMENT_METRIC };
enum { HPARAM_NAME = 1, HPARAM_TYPE = 4, TYPE_STRING = 1, TYPE_BOOL, TYPE_NUMBER };
enum { METRIC_NAME = 1, METRIC_NAME_TAG };
enum { START_HPARAM = 1, START_TIME = 5, MAP_KEY = 1, MAP_VALUE };
enum { VALUE_NUMBER = 2, VALUE_STRING, VALUE_BOOL };
enum { END_STATUS = 1, END_TIME, STATUS_SUCCESS = 1, STATUS_FAILURE };

/* Messages, innermost first. */
typedef struct layers {
    stk_blob value, entry, body, data;
} layers;

static void init(layers *l)
{
    stk_blob *const blobs[] = {&l->value, &l->entry, &l->body, &l->data};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_init(blobs[i], NULL, STK_MEMORY_OUTPUT);
}

static void release(layers *l)
{
    stk_blob *const blobs[] = {&l->value, &l->entry, &l->body, &l->data};
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; i++)
        stk_blob_release(blobs[i]);
}

/* Wraps the body as the plugin message of this kind. */
static stk_status put(stk_events *events, layers *l, int kind, const char *tag, stk_error *err)
{
    stk_proto data = stk_proto_begin(&l->data, err);
    stk_proto_message(&data, kind, &l->body);
    STK_TRY(data.status);
    return stk_events_metadata(events, tag, "hparams", stk_blob_bytes(&l->data), err);
}

static int type_of(const stk_events_hparam *h)
{
    return h->kind == STK_EVENTS_TEXT   ? TYPE_STRING
           : h->kind == STK_EVENTS_BOOL ? TYPE_BOOL
                                        : TYPE_NUMBER;
}

static stk_status add_kind(layers *l, stk_proto *body, const stk_events_hparam *h, stk_error *err)
{
    stk_proto entry = stk_proto_begin(&l->entry, err);
    stk_proto_text(&entry, HPARAM_NAME, h->name);
    stk_proto_varint(&entry, HPARAM_TYPE, (uint64_t)type_of(h));
    STK_TRY(entry.status);
    stk_proto_message(body, EXPERIMENT_HPARAM, &l->entry);
    return body->status;
}

static stk_status add_metric(layers *l, stk_proto *body, const char *tag, stk_error *err)
{
    stk_proto name = stk_proto_begin(&l->value, err);
    stk_proto_text(&name, METRIC_NAME_TAG, tag);
    STK_TRY(name.status);
    stk_proto entry = stk_proto_begin(&l->entry, err);
    stk_proto_message(&entry, METRIC_NAME, &l->value);
    STK_TRY(entry.status);
    stk_proto_message(body, EXPERIMENT_METRIC, &l->entry);
    return body->status;
}

static stk_status put_experiment(stk_events *events, layers *l, const stk_events_hparams *all,
                                 stk_error *err)
{
    stk_proto body = stk_proto_begin(&l->body, err);
    stk_proto_double(&body, EXPERIMENT_CREATED, stk_events_now(events));
    for (size_t i = 0; i < all->count; i++)
        STK_TRY(add_kind(l, &body, &all->list[i], err));
    for (size_t i = 0; i < all->metric_count; i++)
        STK_TRY(add_metric(l, &body, all->metrics[i], err));
    STK_TRY(body.status);
    return put(events, l, DATA_EXPERIMENT, "_hparams_/experiment", err);
}

static stk_status add_value(layers *l, stk_proto *body, const stk_events_hparam *h, stk_error *err)
{
    stk_proto value = stk_proto_begin(&l->value, err);
    if (h->kind == STK_EVENTS_TEXT)
        stk_proto_text(&value, VALUE_STRING, h->text ? h->text : "");
    else if (h->kind == STK_EVENTS_BOOL)
        stk_proto_varint(&value, VALUE_BOOL, h->number != 0);
    else
        stk_proto_double(&value, VALUE_NUMBER, h->number);
    STK_TRY(value.status);
    stk_proto entry = stk_proto_begin(&l->entry, err);
    stk_proto_text(&entry, MAP_KEY, h->name);
    stk_proto_message(&entry, MAP_VALUE, &l->value);
    STK_TRY(entry.status);
    stk_proto_message(body, START_HPARAM, &l->entry);
    return body->status;
}

static stk_status put_start(stk_events *events, layers *l, const stk_events_hparams *all,
                            stk_error *err)
{
    stk_proto body = stk_proto_begin(&l->body, err);
    for (size_t i = 0; i < all->count; i++)
        STK_TRY(add_value(l, &body, &all->list[i], err));
    stk_proto_double(&body, START_TIME, stk_events_now(events));
    STK_TRY(body.status);
    return put(events, l, DATA_START, "_hparams_/session_start_info", err);
}

static stk_status check(const stk_events *events, const stk_events_hparams *all, stk_error *err)
{
    for (size_t i = 0; i < all->count; i++) {
        const stk_events_hparam *h = &all->list[i];
        STK_TRY(stk_events_check_text(events, "name", h->name, err));
        if (h->kind == STK_EVENTS_TEXT && h->text)
            STK_TRY(stk_events_check_text(events, h->name, h->text, err));
    }
    return STK_OK;
}

stk_status stk_events_hparams_begin(stk_events *events, const stk_events_hparams *all,
                                    stk_error *err)
{
    layers l;
    STK_TRY(check(events, all, err));
    init(&l);
    stk_status st = put_experiment(events, &l, all, err);
    if (!st) st = put_start(events, &l, all, err);
    release(&l);
    return st;
}

stk_status stk_events_hparams_end(stk_events *events, bool success, stk_error *err)
{
    layers l;
    init(&l);
    stk_proto body = stk_proto_begin(&l.body, err);
    stk_proto_varint(&body, END_STATUS, success ? STATUS_SUCCESS : STATUS_FAILURE);
    stk_proto_double(&body, END_TIME, stk_events_now(events));
    stk_status st = body.status;
    if (!st) st = put(events, &l, DATA_END, "_hparams_/session_end_info", err);
    release(&l);
    return st;
}
