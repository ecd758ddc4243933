/* The plan as text: one line per operator, source first; then again after each pass that changed
 * it. */
#include "pipeline/element/spec.h"
#include "pipeline/passes/pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/text.h>

enum { INDENT = 2 };

static stk_status put_text(stk_blob *out, const char *text, stk_error *err)
{
    return stk_blob_append(out, text, strlen(text), err);
}

static stk_status put_cardinality(int64_t cardinality, stk_blob *out, stk_error *err)
{
    if (cardinality == STK_CARDINALITY_INFINITE) return put_text(out, "  infinite\n", err);
    if (cardinality == STK_CARDINALITY_UNKNOWN) return put_text(out, "  unknown number\n", err);
    return stk_describe(out, err, "  %" PRId64 "\n", cardinality);
}

/* Descriptions may contain file names: keeps each on one line. */
static stk_status put_described(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const size_t before = out->size;
    STK_TRY(stk_describe_stage(data, false, out, err));
    STK_TRY(stk_blob_append(out, "", 1, err));
    const char  *said = (const char *)out->data + before;
    const size_t size = stk_text_escape(NULL, 0, said);
    out->size--;
    if (size == strlen(said)) return STK_OK;
    char *shown = malloc(size + 1);
    if (!shown) return stk_fail(err, STK_E_NOMEM, "pipeline", data->op->name, "no memory");
    (void)stk_text_escape(shown, size + 1, said);
    out->size = before;
    const stk_status st = stk_blob_append(out, shown, size, err);
    free(shown);
    return st;
}

static stk_status put_stage(const stk_dataset *data, int indent, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_describe(out, err, "%*s%s(", indent, "", data->op->name));
    STK_TRY(put_described(data, out, err));
    STK_TRY(put_text(out, ")  ", err));
    STK_TRY(stk_spec_text(&data->spec, out, err));
    return put_cardinality(data->cardinality, out, err);
}

/* A single input precedes its operator; several are indented. */
static stk_status put_plan(const stk_dataset *data, int indent, stk_blob *out, stk_error *err)
{
    const int deeper = data->input_count > 1 ? indent + INDENT : indent;
    for (size_t i = 0; i < data->input_count; i++)
        STK_TRY(put_plan(data->inputs[i], deeper, out, err));
    return put_stage(data, indent, out, err);
}

static stk_status put_pass(void *context, const char *pass, stk_dataset *data, stk_error *err)
{
    stk_blob *out = context;
    STK_TRY(stk_describe(out, err, "\nafter %s:\n", pass));
    return put_plan(data, 0, out, err);
}

static stk_status explain(stk_dataset *data, unsigned passes, stk_blob *out, stk_error *err)
{
    STK_TRY(put_plan(data, 0, out, err));
    if (!passes) return STK_OK;
    stk_dataset *optimised;
    STK_TRY(stk_optimize(&optimised, data, passes, put_pass, out, err));
    stk_dataset_unref(optimised);
    return STK_OK;
}

stk_status stk_dataset_explain(stk_dataset *data, unsigned passes, stk_blob *out, stk_error *err)
{
    const size_t before = out->size;
    stk_status   st = explain(data, passes, out, err);
    if (st) out->size = before;
    return st;
}
