/* The run state: numbers as texts, bytes as tensors. One table each serves writing and reading. */
#include "base/decimal.h"
#include "train/checkpoint/checkpoint_format.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { INTEGER, NUMBER, BITS } kind;

enum { NUMBERS_BEFORE = 8 }; /* numbers that earlier versions have */

static const struct number {
    const char *key;
    kind        kind;
    size_t      offset; /* in stk_run_state */
} numbers[STK_RUN_STATE_NUMBERS] = {
    {"stoker.step", INTEGER, offsetof(stk_run_state, step)},
    {"stoker.phase", INTEGER, offsetof(stk_run_state, group)},
    {"stoker.phase_step", INTEGER, offsetof(stk_run_state, group_step)},
    {"stoker.best_step", INTEGER, offsetof(stk_run_state, best_step)},
    {"stoker.best_accuracy", NUMBER, offsetof(stk_run_state, best_accuracy)},
    {"stoker.seconds", NUMBER, offsetof(stk_run_state, seconds)},
    {"stoker.not_better", INTEGER, offsetof(stk_run_state, not_better)},
    {"stoker.recipe", BITS, offsetof(stk_run_state, recipe)},
    {"stoker.accuracy", NUMBER, offsetof(stk_run_state, accuracy)},
};

static const struct bytes {
    const char *name;
    size_t      offset;
} blobs[STK_RUN_STATE_BLOBS] = {
    {"stoker.input", offsetof(stk_run_state, input)},
    {"stoker.schedule", offsetof(stk_run_state, schedule)},
    {"stoker.metrics", offsetof(stk_run_state, metrics)},
};

void stk_run_state_init(stk_run_state *state, stk_ledger *ledger)
{
    *state = (stk_run_state){.best_accuracy = -1, .accuracy = NAN};
    stk_blob_init(&state->input, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&state->schedule, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&state->metrics, ledger, STK_MEMORY_OUTPUT);
}

void stk_run_state_release(stk_run_state *state)
{
    stk_blob_release(&state->input);
    stk_blob_release(&state->schedule);
    stk_blob_release(&state->metrics);
}

static stk_blob *blob_at(stk_run_state *state, size_t index)
{
    return (stk_blob *)(void *)((char *)state + blobs[index].offset);
}

stk_status stk_run_state_copy(stk_run_state *to, const stk_run_state *from, stk_error *err)
{
    const char *name;
    for (size_t i = 0; i < STK_RUN_STATE_NUMBERS; i++)
        memcpy((char *)to + numbers[i].offset, (const char *)from + numbers[i].offset,
               sizeof(uint64_t));
    for (size_t i = 0; i < STK_RUN_STATE_BLOBS; i++) {
        const stk_bytes bytes = stk_blob_bytes(stk_run_state_blob(from, i, &name));
        blob_at(to, i)->size = 0;
        STK_TRY(stk_blob_append(blob_at(to, i), bytes.data, bytes.size, err));
    }
    return STK_OK;
}

const stk_blob *stk_run_state_blob(const stk_run_state *state, size_t index, const char **name)
{
    *name = blobs[index].name;
    return (const stk_blob *)(const void *)((const char *)state + blobs[index].offset);
}

/* Decimal if that reads back to the same bits; non-finite values have no decimal form. */
const char *stk_run_state_text(const stk_run_state *state, size_t index,
                               char text[STK_RUN_STATE_CAPACITY])
{
    const struct number *n = &numbers[index];
    uint64_t             bits;
    double               number;
    memcpy(&bits, (const char *)state + n->offset, sizeof bits);
    memcpy(&number, &bits, sizeof number);
    if (n->kind == INTEGER)
        snprintf(text, STK_RUN_STATE_CAPACITY, "%" PRId64, (int64_t)bits);
    else if (n->kind == NUMBER && isfinite(number))
        stk_decimal_shortest(number, 1, text);
    else
        snprintf(text, STK_RUN_STATE_CAPACITY, "0x%016" PRIx64, bits);
    return n->key;
}

static bool parse(kind what, const char *text, uint64_t *bits)
{
    const char *end = text;
    errno = 0;
    if (what == INTEGER)
        *bits = (uint64_t)strtoll(text, (char **)&end, 10);
    else if (!strncmp(text, "0x", 2))
        *bits = strtoull(text, (char **)&end, 16);
    else if (what == NUMBER) {
        const double number = stk_decimal_read(text, &end);
        memcpy(bits, &number, sizeof number);
        errno = 0; /* a denormal number sets it and is valid */
    }
    return end > text && !*end && !errno;
}

static stk_status read_number(stk_run_state *state, const stk_safetensors *file, size_t index,
                              const char *path, stk_error *err)
{
    const struct number *n = &numbers[index];
    const char          *text = stk_safetensors_text(file, n->key);
    uint64_t             bits = 0;
    if (!text && index >= NUMBERS_BEFORE) return STK_OK; /* keeps its initial value */
    if (!text || !parse(n->kind, text, &bits))
        return stk_fail(err, STK_E_FORMAT, "checkpoint", path, "'%s' is '%.40s', not a number",
                        n->key, text ? text : "missing");
    memcpy((char *)state + n->offset, &bits, sizeof bits);
    return STK_OK;
}

static stk_status read_blob(stk_blob *blob, const stk_safetensors *file, const char *name,
                            const char *path, stk_error *err)
{
    const stk_safetensors_tensor *t = stk_safetensors_find(file, name);
    if (!t || t->dtype != STK_DTYPE_U8)
        return stk_fail(err, STK_E_FORMAT, "checkpoint", path,
                        "the tensor '%s' is %s, not uint8: this is no whole checkpoint", name,
                        t ? stk_dtype_name(t->dtype) : "missing");
    STK_TRY(stk_blob_reserve_exact(blob, (size_t)t->bytes, err));
    blob->size = (size_t)t->bytes;
    return stk_safetensors_read(file, t, blob->data, err);
}

stk_status stk_run_state_read(stk_run_state *state, const stk_safetensors *file, const char *path,
                              stk_error *err)
{
    for (size_t i = 0; i < STK_RUN_STATE_NUMBERS; i++)
        STK_TRY(read_number(state, file, i, path, err));
    for (size_t i = 0; i < STK_RUN_STATE_BLOBS; i++)
        STK_TRY(read_blob(blob_at(state, i), file, blobs[i].name, path, err));
    return STK_OK;
}
