/* stoker backends: the available backends, and why others are not available. */
#include "command.h"
#include "json_out.h"
#include "text.h"

#include <stoker/program.h>
#include <string.h>

typedef struct values {
    bool json;
} values;

static const values defaults = {0};

static const cli_option options[] = {
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "What to show",
     .help = "print the result as JSON"},
};

enum { TEXT_CAPACITY = 1024 };

typedef struct row {
    const char *name;
    bool        here, used;
    char        text[TEXT_CAPACITY]; /* the machine, or why it is unavailable */
} row;

static void look(row *r, const char *name)
{
    stk_device *device;
    stk_error   err;
    char        machine[TEXT_CAPACITY];
    *r = (row){.name = name, .used = strcmp(name, stk_backend_fastest()) == 0};
    r->here = stk_device_open(&device, name, NULL, &err) == STK_OK;
    if (!r->here) {
        snprintf(r->text, sizeof r->text, "%s", err.message);
        return;
    }
    stk_device_describe(device, machine, sizeof machine);
    const char *after = strstr(machine, ": ");
    const int   threads = stk_device_threads(device);
    if (after)
        snprintf(r->text, sizeof r->text, "%s", after + 2);
    else
        snprintf(r->text, sizeof r->text, "%d thread%s", threads, threads == 1 ? "" : "s");
    stk_device_free(device);
}

static void print_row(const row *r)
{
    printf("  %-5s %-9s ", r->name, !r->here ? "not here" : r->used ? "default" : "yes");
    cli_text_print(stdout, r->text);
    printf("\n");
}

static void write_row(stk_json_writer *json, const row *r)
{
    stk_json_object(json);
    stk_json_pair_string(json, "name", r->name);
    stk_json_pair_bool(json, "here", r->here);
    stk_json_pair_bool(json, "default", r->used);
    stk_json_pair_string(json, r->here ? "machine" : "reason", r->text);
    stk_json_object_end(json);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    const char   *name;
    cli_json_out  out;
    row           r;
    if (v->json) {
        cli_json_out_begin(&out);
        stk_json_array(&out.writer);
    }
    for (size_t i = 0; (name = stk_backend_name_at(i)) != NULL; i++) {
        look(&r, name);
        if (v->json)
            write_row(&out.writer, &r);
        else
            print_row(&r);
    }
    if (!v->json) return CLI_EXIT_OK;
    stk_json_array_end(&out.writer);
    return cli_json_out_end(&out, call);
}

const cli_command cli_command_backends = {
    .name = "backends",
    .summary = "show what can compute here, and why what cannot, cannot",
    .operands = "",
    .description = "Opens every backend of this build. One that is not here says what is missing: "
                   "a driver, a GPU, its file. --backend of the other commands takes these names.",
    .examples = "stoker backends",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
