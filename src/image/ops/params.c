/* Parameters from text and back, by the operation's table. */
#include "image/ops/image_op.h"

#include <stdlib.h>

static const char *const messages[STK_PARAM_MESSAGES] = {
    [STK_PARAM_NOT_NUMBER] = "{name}={text} must be {numbers}",
    [STK_PARAM_NOT_WHOLE] = "{name}={text} must be a whole number",
    [STK_PARAM_NOT_IN_RANGE] = "{name}={text} is out of bounds: it must be from {min} to {max}",
    [STK_PARAM_NOT_CHOICE] = "{name}={text} is none of: {choices}{near}",
    [STK_PARAM_NOT_BOOL] = "{name}={text} must be true or false",
    [STK_PARAM_NO_VALUE] = "{name} must be a parameter with its value: name=value",
};

static stk_params table_of(const stk_image_op *op)
{
    return (stk_params){op->parameters, op->parameter_count, op->params_bytes, op->name, messages};
}

static stk_status set_all(const stk_image_op *op, const char *text, void *params, stk_error *err)
{
    const stk_params        table = table_of(op);
    stk_params_given        given = {0};
    const stk_params_source source = {.component = op->name, .given = &given};
    STK_TRY(stk_params_parse(&table, params, text, " \t\r\n", &source, err));
    STK_TRY(stk_params_complete(&table, params, &source, err));
    return op->check ? op->check(params, err) : STK_OK;
}

stk_status stk_image_params_parse(void **out, const stk_image_op *op, const char *text,
                                  stk_error *err)
{
    *out = NULL;
    void *params = calloc(1, op->params_bytes ? op->params_bytes : 1);
    if (!params)
        return stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory for %zu bytes",
                        op->params_bytes);
    const stk_status st = set_all(op, text, params, err);
    if (st)
        free(params);
    else
        *out = params;
    return st;
}

char *stk_image_params_text(const stk_image_op *op, const void *params, char *text, int capacity)
{
    const stk_params table = table_of(op);
    return stk_params_print(&table, params, " ", text, (size_t)capacity);
}
