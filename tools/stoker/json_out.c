/* Prints a JSON result. */
#include "json_out.h"

void cli_json_out_begin(cli_json_out *out)
{
    stk_blob_init(&out->text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&out->writer, &out->text, 2);
}

int cli_json_out_end(cli_json_out *out, const cli_invocation *call)
{
    stk_error err;
    int       code = CLI_EXIT_OK;
    if (stk_json_end(&out->writer, &err))
        code = cli_report_error(call->command, &err, NULL);
    else
        fwrite(out->text.data, 1, out->text.size, stdout);
    stk_blob_release(&out->text);
    return code;
}
