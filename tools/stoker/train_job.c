/* A resolved recipe with its data. */
#include "train_job.h"

#include "signals.h"
#include "spread.h"
#include "text.h"

#include <string.h>

void cli_train_job_init(cli_train_job *job)
{
    job->data = (stk_train_data){0};
    job->inject = (stk_inject){0};
    job->read_s = job->resolve_s = 0;
    job->resumed = false;
    job->names_folder = false;
    stk_train_recipe_init(&job->recipe);
    stk_blob_init(&job->reasons, NULL, STK_MEMORY_OUTPUT);
}

void cli_train_job_release(cli_train_job *job)
{
    stk_train_data_release(&job->data);
    stk_blob_release(&job->reasons);
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_CEILING) return "--memory-mb raises the limit";
    if (strcmp(err->component, "decode") == 0) return "--on-bad skip passes over bad images";
    if (err->status == STK_E_DATALOSS) return "'stoker inspect --verify' finds all damage";
    return NULL;
}

int cli_train_job_error(const cli_invocation *call, const stk_error *err)
{
    return cli_report_recipe(call->command, err, advise(err));
}

/* Data with one class, or with too few images per class, usually means a wrong folder. */
static stk_status check_classes(const cli_train_job *job, stk_error *err)
{
    if (job->data.classes >= 2) return STK_OK;
    return stk_fail(
        err, STK_E_INVALID, "data", job->recipe.data.path,
        "there is one class only, so there is nothing to tell apart; give a folder that "
        "has a folder for each class");
}

static stk_status read_and_resolve(cli_train_job *job, stk_error *err)
{
    const double begin = cli_seconds_now();
    job->names_folder = !*job->recipe.output.folder;
    STK_TRY(stk_train_data_read(&job->data, &job->recipe, err));
    STK_TRY(check_classes(job, err));
    job->read_s = cli_seconds_now() - begin;
    STK_TRY(stk_train_resolve(&job->recipe, &job->data, &job->reasons, err));
    job->resolve_s = cli_seconds_now() - begin - job->read_s;
    return STK_OK;
}

/* Lines may contain file names. */
static void print_warnings(const cli_train_job *job)
{
    const char *at = (const char *)job->reasons.data, *end = at + job->reasons.size;
    while (at && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const int   length = (int)((stop ? stop : end) - at);
        char        line[768];
        snprintf(line, sizeof line, "%.*s", length, at);
        if (strncmp(line, "WARNING: ", 9) == 0) {
            cli_text_print(stderr, line);
            fprintf(stderr, "\n");
        }
        at += length + 1;
    }
}

int cli_train_job_prepare(cli_train_job *job, const cli_invocation *call,
                          const cli_train_values *values, const char *data)
{
    stk_error err;
    char      note[300], shown[250];
    int       code = cli_train_flags_apply(call, values, data, &job->recipe);
    if (!code) code = cli_train_flags_inject(call, values, &job->inject);
    if (code) return code;
    if (!*job->recipe.data.path)
        return cli_report_usage(call->command, "DATA is missing",
                                "name a folder of images, a pack, or a recipe with --recipe");
    cli_text_fit(shown, sizeof shown, job->recipe.data.path, 200);
    snprintf(note, sizeof note, "looking at %s ...", shown);
    if (!values->quiet) cli_notice_begin(note);
    const stk_status st = read_and_resolve(job, &err);
    cli_notice_end();
    if (st == STK_E_NOTFOUND && job->resumed && !data)
        return cli_report_recipe(call->command, &err,
                                 "where data was moved to is said as DATA beside --resume");
    if (st) return cli_train_job_error(call, &err);
    print_warnings(job);
    return CLI_EXIT_OK;
}

/* The last line of the reasons that begins with name and after; NULL: none. */
static const char *find_line(const cli_train_job *job, const char *name, char after, size_t *length)
{
    const char  *at = (const char *)job->reasons.data, *end = at + job->reasons.size;
    const char  *found = NULL;
    const size_t begin = strlen(name);
    while (at && at < end) {
        const char  *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t line = (size_t)((stop ? stop : end) - at);
        if (line > begin + 2 && strncmp(at, name, begin) == 0 && at[begin] == after)
            found = at, *length = line;
        at += line + 1;
    }
    return found;
}

char *cli_train_job_reason(const cli_train_job *job, const char *name, char *text, size_t capacity)
{
    size_t       length = 0;
    const size_t skip = strlen(name) + 2;
    const char  *line = find_line(job, name, ':', &length);
    snprintf(text, capacity, "%.*s", line ? (int)(length - skip) : 0, line ? line + skip : "");
    return text;
}

char *cli_train_job_decision(const cli_train_job *job, const char *name, char *text,
                             size_t capacity)
{
    size_t      length = 0;
    const char *line = find_line(job, name, ' ', &length);
    snprintf(text, capacity, "%.*s", (int)length, line ? line : "");
    return text;
}
