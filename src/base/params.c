/* Parameter tables: rows by name, structs set from items of text. */
#include "base/params_internal.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

const stk_param *stk_params_at(const stk_params *table, size_t index)
{
    return index < table->count ? &table->rows[index] : NULL;
}

char *stk_param_key(const stk_param *row, char *text, size_t capacity)
{
    snprintf(text, capacity, "%s%s%s", row->group ? row->group : "", row->group ? "." : "",
             row->name);
    return text;
}

static bool is_called(const stk_param *row, const char *wanted, const char *name)
{
    const size_t group = row->group ? strlen(row->group) + 1 : 0;
    if (group && (strncmp(row->group, name, group - 1) != 0 || name[group - 1] != '.'))
        return false;
    return strcmp(wanted, name + group) == 0;
}

const stk_param *stk_params_find(const stk_params *table, const char *name)
{
    const stk_param *former = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const stk_param *row = &table->rows[i];
        if (is_called(row, row->name, name)) return row;
        if (row->renamed_from && is_called(row, row->renamed_from, name)) former = row;
    }
    return former;
}

static bool is_given(const stk_params_given *given, size_t index)
{
    return given && given->bits[index / 64] >> index % 64 & 1;
}

static void note_name(const stk_param_call *call)
{
    char        key[128], text[320];
    const char *prefix = call->source->prefix ? call->source->prefix : "";
    stk_param_key(call->row, key, sizeof key);
    if (!call->source->note || strcmp(key, call->name) == 0) return;
    snprintf(text, sizeof text, "%s%s is now called %s%s", prefix, call->name, prefix, key);
    call->source->note(call->source->context, text);
}

static stk_status set(const stk_param_call *call, void *to, stk_error *err)
{
    stk_params_given *given = call->source->given;
    if (!call->row) return stk_param_refuse(call, STK_PARAM_UNKNOWN, err);
    if (!call->text) return stk_param_refuse(call, STK_PARAM_NO_VALUE, err);
    const size_t index = (size_t)(call->row - call->table->rows);
    if (is_given(given, index)) return stk_param_refuse(call, STK_PARAM_TWICE, err);
    STK_TRY(stk_param_read(call, to, err));
    if (given) given->bits[index / 64] |= UINT64_C(1) << index % 64;
    note_name(call);
    return STK_OK;
}

stk_status stk_params_set(const stk_params *table, void *to, const char *name, const char *text,
                          const stk_params_source *source, stk_error *err)
{
    const stk_param_call call = {table, stk_params_find(table, name), name, text, source};
    return set(&call, to, err);
}

stk_status stk_params_set_item(const stk_params *table, void *to, stk_bytes item,
                               const stk_params_source *source, stk_error *err)
{
    char name[STK_PARAM_ITEM];
    if (item.size >= sizeof name)
        return stk_fail(err, STK_E_LIMIT, source->component, source->where,
                        "%.40s... has %zu characters, more than %zu", (const char *)item.data,
                        item.size, sizeof name - 1);
    memcpy(name, item.data, item.size);
    name[item.size] = 0;
    char *text = strchr(name, '=');
    if (text) *text++ = 0;
    stk_param_call call = {table, stk_params_find(table, name), name, text, source};
    if (!text && call.row) call.text = call.row->alone;
    if (call.row && call.row->kind == STK_PARAM_STRING && text)
        return stk_fail(err, STK_E_UNSUPPORTED, source->component, name,
                        "takes a text that stays, which an item does not");
    /* Where items have values, a word alone is more likely a part of one than a name. */
    if (!text && !call.row && table->messages && table->messages[STK_PARAM_NO_VALUE])
        return stk_param_refuse(&call, STK_PARAM_NO_VALUE, err);
    return set(&call, to, err);
}

stk_status stk_params_parse(const stk_params *table, void *to, const char *text,
                            const char *separators, const stk_params_source *source, stk_error *err)
{
    const bool blank = strchr(separators, ' ');
    for (;;) {
        if (blank) text += strspn(text, separators);
        if (blank && !*text) return STK_OK;
        const size_t length = strcspn(text, separators);
        STK_TRY(stk_params_set_item(table, to, (stk_bytes){(const uint8_t *)text, length}, source,
                                    err));
        text += length;
        if (!*text) return STK_OK;
        text++;
    }
}

stk_status stk_params_complete(const stk_params *table, void *to, const stk_params_source *source,
                               stk_error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        const stk_param     *row = &table->rows[i];
        const stk_param_call call = {table, row, row->name, row->default_value, source};
        if (is_given(source->given, i)) continue;
        if (!row->default_value) return stk_param_refuse(&call, STK_PARAM_MISSING, err);
        STK_TRY(stk_param_read(&call, to, err));
    }
    return STK_OK;
}

char *stk_params_print(const stk_params *table, const void *from, const char *separator, char *text,
                       size_t capacity)
{
    size_t used = 0;
    if (capacity) *text = 0;
    for (size_t i = 0; i < table->count && used < capacity; i++) {
        char value[STK_PARAM_VALUE];
        if (!stk_param_print(&table->rows[i], from, value, sizeof value)) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s=%s", used ? separator : "",
                                 table->rows[i].name, value);
    }
    return text;
}

const char *stk_params_nearest(const char *word,
                               const char *(*candidate)(const void *context, size_t index),
                               const void *context)
{
    const char *name;
    stk_suggest suggest = {.wanted = word};
    for (size_t i = 0; (name = candidate(context, i)); i++)
        stk_suggest_offer(&suggest, name);
    return suggest.best;
}
