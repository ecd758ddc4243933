/* Engines of a graph and their knobs. */
#include "compute/cuda/cudnn_desc.h"
#include "compute/cuda/cudnn_engine.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGS = 128, NOTES = 32, VALUES = 64 };

bool stk_cudnn_choice_same(const stk_cudnn_choice *a, const stk_cudnn_choice *b)
{
    if (a->engine != b->engine || a->knobs != b->knobs) return false;
    for (int i = 0; i < a->knobs; i++)
        if (a->knob[i].type != b->knob[i].type || a->knob[i].value != b->knob[i].value)
            return false;
    return true;
}

static void append(const stk_cudnn_choice *choice, stk_cudnn_choice *choices, int capacity,
                   int *count)
{
    for (int i = 0; i < *count; i++)
        if (stk_cudnn_choice_same(choice, &choices[i])) return;
    if (*count < capacity) choices[(*count)++] = *choice;
}

char *stk_cudnn_choice_text(const stk_cudnn_choice *choice, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%" PRId64, choice->engine);
    for (int i = 0; i < choice->knobs && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, " %d:%" PRId64, choice->knob[i].type,
                                 choice->knob[i].value);
    return text;
}

stk_status stk_cudnn_choice_parse(stk_cudnn_choice *out, const char *text, stk_error *err)
{
    *out = (stk_cudnn_choice){0};
    int used = 0;
    if (sscanf(text, "%" SCNd64 "%n", &out->engine, &used) != 1)
        return stk_fail(err, STK_E_FORMAT, "cudnn", text,
                        "a choice begins with an engine's number");
    for (const char *rest = text + used; *rest; rest += used) {
        int     type;
        int64_t value;
        if (out->knobs == STK_CUDNN_KNOBS ||
            sscanf(rest, " %d:%" SCNd64 "%n", &type, &value, &used) != 2)
            return stk_fail(err, STK_E_FORMAT, "cudnn", text,
                            "'%s' is no list of at most %d knobs type:value", rest,
                            STK_CUDNN_KNOBS);
        out->knob[out->knobs].type = type;
        out->knob[out->knobs++].value = value;
    }
    return STK_OK;
}

stk_status stk_cudnn_engine_new(cudnnBackendDescriptor_t *out, const stk_cudnn_graph *graph,
                                int64_t index, stk_error *err)
{
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph->graph);
    stk_cudnn_put(&d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_ENGINE_DEVICEPROP, graph->target.device);
    return stk_cudnn_end(&d, out, graph->spec.name, err);
}

/* Notes are small enums, stored as bits. An engine without notes has none set. */
static uint32_t read_notes(cudnnBackendDescriptor_t engine, cudnnBackendAttributeName_t name,
                           cudnnBackendAttributeType_t type)
{
    int      note[NOTES];
    int64_t  count = 0;
    uint32_t bits = 0;
    if (cudnnBackendGetAttribute(engine, name, type, NOTES, &count, note)) return 0;
    for (int64_t i = 0; i < count && i < NOTES; i++)
        if (note[i] >= 0 && note[i] < 32) bits |= 1u << note[i];
    return bits;
}

static void read_all_notes(cudnnBackendDescriptor_t engine, stk_cudnn_choice *choice)
{
    choice->numerical =
        read_notes(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
    choice->behavior =
        read_notes(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
}

/* An array of descriptors for cuDNN to fill. */
typedef struct desc_list {
    cudnnBackendDescriptor_t it[CONFIGS];
    int64_t                  made, filled;
} desc_list;

static void drop_list(desc_list *list)
{
    for (int64_t i = 0; i < list->made; i++)
        stk_cudnn_drop(&list->it[i]);
    free(list);
}

/* Not every attribute reports its count before it is read, so capacity is the maximum. */
static cudnnStatus_t fill_list(desc_list *list, cudnnBackendDescriptor_t from,
                               cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                               int64_t max)
{
    cudnnStatus_t st = CUDNN_STATUS_SUCCESS;
    while (!st && list->made < max) {
        st = cudnnBackendCreateDescriptor(type, &list->it[list->made]);
        if (!st) list->made++;
    }
    if (st) return st;
    return cudnnBackendGetAttribute(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, max, &list->filled,
                                    list->it);
}

/* Reads the descriptors of `from` under name. *out is the caller's, on failure too. */
static stk_status get_list(desc_list **out, cudnnBackendDescriptor_t from,
                           cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                           int64_t max, const char *where, stk_error *err)
{
    desc_list *list = *out = calloc(1, sizeof *list);
    if (!list) return stk_fail(err, STK_E_NOMEM, "cudnn", where, "no memory for descriptors");
    char tried[64];
    snprintf(tried, sizeof tried, "reading attribute %d", name);
    const stk_status st =
        stk_cudnn_check(fill_list(list, from, name, type, max), where, tried, err);
    if (st) {
        drop_list(list);
        *out = NULL;
    }
    return st;
}

static stk_status read_knobs(cudnnBackendDescriptor_t config, stk_cudnn_choice *choice,
                             const char *where, stk_error *err)
{
    desc_list *list;
    STK_TRY(get_list(&list, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                     CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, STK_CUDNN_KNOBS, where, err));
    cudnnStatus_t st = CUDNN_STATUS_SUCCESS;
    for (int64_t i = 0; i < list->filled && !st; i++) {
        cudnnBackendKnobType_t type;
        int64_t                value, got;
        st = cudnnBackendGetAttribute(list->it[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                      CUDNN_TYPE_KNOB_TYPE, 1, &got, &type);
        if (!st)
            st = cudnnBackendGetAttribute(list->it[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE,
                                          CUDNN_TYPE_INT64, 1, &got, &value);
        if (st) break;
        choice->knob[choice->knobs].type = (int)type;
        choice->knob[choice->knobs++].value = value;
    }
    drop_list(list);
    return stk_cudnn_check(st, where, "reading a knob", err);
}

static stk_status read_config(cudnnBackendDescriptor_t config, stk_cudnn_choice *choice,
                              const char *where, stk_error *err)
{
    *choice = (stk_cudnn_choice){0};
    desc_list *engine;
    STK_TRY(get_list(&engine, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR,
                     1, where, err));
    int64_t       got = 0;
    cudnnStatus_t st = CUDNN_STATUS_BAD_PARAM;
    if (engine->filled == 1)
        st = cudnnBackendGetAttribute(engine->it[0], CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                      CUDNN_TYPE_INT64, 1, &got, &choice->engine);
    if (!st) read_all_notes(engine->it[0], choice);
    drop_list(engine);
    STK_TRY(stk_cudnn_check(st, where, "reading an engine's index", err));
    return read_knobs(config, choice, where, err);
}

stk_status stk_cudnn_propose(const stk_cudnn_graph *graph, cudnnBackendHeurMode_t mode,
                             stk_cudnn_choice *choices, int capacity, int *count, stk_error *err)
{
    const char              *where = graph->spec.name;
    cudnnBackendDescriptor_t heuristic;
    stk_cudnn_desc           d = stk_cudnn_begin(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph->graph);
    stk_cudnn_put(&d, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    stk_cudnn_put_desc(&d, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, graph->target.device);
    STK_TRY(stk_cudnn_end(&d, &heuristic, where, err));
    desc_list *list = NULL;
    stk_status st = get_list(&list, heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                             CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CONFIGS, where, err);
    for (int64_t i = 0; !st && i < list->filled; i++) {
        stk_cudnn_choice choice;
        st = read_config(list->it[i], &choice, where, err);
        if (!st) append(&choice, choices, capacity, count);
    }
    if (list) drop_list(list);
    stk_cudnn_drop(&heuristic);
    return st;
}

stk_status stk_cudnn_every_engine(const stk_cudnn_graph *graph, stk_cudnn_choice *choices,
                                  int capacity, int *count, stk_error *err)
{
    int64_t engines = 0, got;
    STK_TRY(stk_cudnn_check(cudnnBackendGetAttribute(graph->graph,
                                                     CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                                                     CUDNN_TYPE_INT64, 1, &got, &engines),
                            graph->spec.name, "counting engines", err));
    for (int64_t i = 0; i < engines; i++) {
        cudnnBackendDescriptor_t engine;
        stk_cudnn_choice         choice = {.engine = i};
        if (stk_cudnn_engine_new(&engine, graph, i, NULL)) continue;
        read_all_notes(engine, &choice);
        append(&choice, choices, capacity, count);
        stk_cudnn_drop(&engine);
    }
    return STK_OK;
}

typedef struct knob_range {
    cudnnBackendKnobType_t type;
    int64_t                min, max, step;
} knob_range;

static bool read_range(cudnnBackendDescriptor_t info, knob_range *range)
{
    int64_t got;
    return !cudnnBackendGetAttribute(info, CUDNN_ATTR_KNOB_INFO_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &got,
                                     &range->type) &&
           !cudnnBackendGetAttribute(info, CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE, CUDNN_TYPE_INT64, 1,
                                     &got, &range->min) &&
           !cudnnBackendGetAttribute(info, CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE, CUDNN_TYPE_INT64, 1,
                                     &got, &range->max) &&
           !cudnnBackendGetAttribute(info, CUDNN_ATTR_KNOB_INFO_STRIDE, CUDNN_TYPE_INT64, 1, &got,
                                     &range->step);
}

/* Knobs absent from a choice have the engine's default; setting one is a neighbour too. */
static void vary(const stk_cudnn_choice *from, const knob_range *range, stk_cudnn_choice *choices,
                 int capacity, int *count)
{
    stk_cudnn_choice choice = *from;
    int              at = 0;
    while (at < choice.knobs && choice.knob[at].type != (int)range->type)
        at++;
    if (at == STK_CUDNN_KNOBS) return;
    if (at == choice.knobs) choice.knobs++;
    choice.knob[at].type = (int)range->type;
    const int64_t step = range->step > 0 ? range->step : 1;
    int64_t       value = range->min;
    for (int i = 0; i < VALUES && value <= range->max; i++, value += step) {
        choice.knob[at].value = value;
        if (!stk_cudnn_choice_same(&choice, from)) append(&choice, choices, capacity, count);
    }
}

stk_status stk_cudnn_neighbours(const stk_cudnn_graph *graph, const stk_cudnn_choice *from,
                                stk_cudnn_choice *choices, int capacity, int *count, stk_error *err)
{
    cudnnBackendDescriptor_t engine;
    STK_TRY(stk_cudnn_engine_new(&engine, graph, from->engine, err));
    desc_list *list = NULL;
    stk_status st =
        get_list(&list, engine, CUDNN_ATTR_ENGINE_KNOB_INFO, CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR,
                 STK_CUDNN_KNOBS, graph->spec.name, err);
    for (int64_t i = 0; !st && i < list->filled; i++) {
        knob_range range;
        if (read_range(list->it[i], &range)) vary(from, &range, choices, capacity, count);
    }
    if (list) drop_list(list);
    stk_cudnn_drop(&engine);
    return st;
}
