/* Pages and traces as files; the line that was typed. */
#include "profile_files.h"

#include <stdio.h>
#include <stoker/filesystem.h>
#include <stoker/json.h>
#include <stoker/report.h>
#include <stoker/text.h>
#include <string.h>

/* Of what a run learnt. */
static const uint64_t max_bytes = 1u << 30;

enum { LONGEST_COMMAND = 4096 };

/* Stays empty where there is none. It becomes part of a page, so it must be whole. */
static stk_status load_learning(stk_blob *out, const char *run, stk_error *err)
{
    char               path[CLI_PROFILE_PATH + 32];
    stk_file_info      info;
    stk_json_document *doc = NULL;
    if (!run) return STK_OK;
    snprintf(path, sizeof path, "%s/learning.json", run);
    const stk_status st = stk_path_info(NULL, path, &info, err);
    if (st) return st == STK_E_NOTFOUND ? STK_OK : st;
    STK_TRY(stk_file_read_all(NULL, path, 0, max_bytes, out, err));
    STK_TRY(stk_json_parse(&doc, stk_blob_bytes(out), path, err));
    const bool whole =
        stk_json_type_of(stk_json_get(stk_json_root(doc), "points")) == STK_JSON_OBJECT;
    stk_json_document_free(doc);
    if (whole) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "learning", path,
                    "is not what 'stoker train' writes; take it away to make the page without it");
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Its name, when both are in the same folder as far as their paths tell. */
static const char *beside(const char *file, const char *page)
{
    const size_t folder = (size_t)(last_part(file) - file);
    if (folder != (size_t)(last_part(page) - page) || strncmp(file, page, folder) != 0) return NULL;
    return last_part(file);
}

stk_status cli_profile_save_page(const stk_profile *profile, const stk_diagnosis *diagnosis,
                                 const stk_timeline *timeline, const char *trace_file,
                                 const char *run, const char *path, stk_error *err)
{
    stk_blob   learning;
    const bool named = *profile->run.model || !trace_file;
    stk_blob_init(&learning, NULL, STK_MEMORY_OUTPUT);
    stk_status               st = load_learning(&learning, run, err);
    const stk_report_options how = {.title = named ? NULL : last_part(trace_file),
                                    .timeline = timeline,
                                    .trace_path = timeline ? beside(trace_file, path) : NULL,
                                    .learning = stk_blob_bytes(&learning)};
    if (!st) st = stk_report_save(profile, diagnosis, &how, path, err);
    stk_blob_release(&learning);
    return st;
}

static bool looks_like_trace(const char *head)
{
    const char *first = head + strspn(head, " \t\r\n");
    if ((unsigned char)head[0] == 0x1f && (unsigned char)head[1] == 0x8b) return true;
    return *first == '[' || strstr(head, "\"traceEvents\"") ||
           strstr(head, "\"displayTimeUnit\"") || strstr(head, "\"schemaVersion\"");
}

stk_status cli_profile_is_trace(const char *path, bool *is_trace, stk_error *err)
{
    enum { LOOK = 4096 };
    char      head[LOOK + 1] = "";
    stk_file *file;
    size_t    got;
    *is_trace = false;
    STK_TRY(stk_file_open(&file, NULL, path, STK_ACCESS_SEQUENTIAL, err));
    const stk_status st = stk_file_read_at(file, head, LOOK, 0, &got, err);
    stk_file_close(file);
    if (!st) *is_trace = looks_like_trace(head);
    return st;
}

/* Appends an argument; false where it does not fit with what tells that there are more. */
static bool add_word(char *text, size_t capacity, size_t *used, const char *word)
{
    static const char more[] = " ...";
    const size_t      before = *used > 0, size = stk_shell_word(NULL, 0, word);
    if (*used + before + size + sizeof more > capacity) {
        snprintf(text + *used, capacity - *used, "%s", more);
        return false;
    }
    if (before) text[*used] = ' ';
    (void)stk_shell_word(text + *used + before, size + 1, word);
    *used += before + size;
    return true;
}

/* As it could be typed again. */
void cli_profile_command_line(char *text, size_t capacity)
{
    char   read[LONGEST_COMMAND + 1];
    FILE  *file = fopen("/proc/self/cmdline", "r");
    size_t size = file ? fread(read, 1, LONGEST_COMMAND, file) : 0, used = 0;
    if (file) fclose(file);
    read[size] = 0;
    *text = 0;
    for (const char *word = read; word < read + size; word += strlen(word) + 1)
        if (!add_word(text, capacity, &used, word)) break;
}
