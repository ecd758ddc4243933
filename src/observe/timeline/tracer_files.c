/* Requests and replies as files, written atomically. Write access to the run's folder is the
 * permission to request. */
#include "observe/timeline/tracer_files.h"

#include <stdio.h>
#include <stoker/json.h>
#include <string.h>

enum { BYTES_MAX = 1 << 16 };

/* File names include the requester's id, so that several can request at once. */
static const char request_name[] = "trace-request-", reply_name[] = "trace-reply-";

enum { PATH_CAPACITY = STK_TRACER_PATH + 80 };

static void path_of(char path[PATH_CAPACITY], const char *folder, const char *name, const char *id)
{
    snprintf(path, PATH_CAPACITY, "%.1000s/%s%.40s.json", folder, name, id);
}

static stk_status save(const stk_filesystem *fs, const char *folder, const char *name,
                       const char *id, const stk_blob *json, stk_error *err)
{
    char        path[PATH_CAPACITY];
    stk_output *out;
    path_of(path, folder, name, id);
    STK_TRY(stk_output_create(&out, fs, path, err));
    stk_status st = stk_output_write(out, json->data, json->size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

static stk_status read(const stk_filesystem *fs, const char *folder, const char *name,
                       const char *id, stk_json_document **out, stk_error *err)
{
    char          path[PATH_CAPACITY];
    stk_blob      text;
    stk_file_info info;
    *out = NULL;
    path_of(path, folder, name, id);
    STK_TRY(stk_path_info(fs, path, &info, err));
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(fs, path, 0, BYTES_MAX, &text, err);
    if (!st) st = stk_json_parse(out, stk_blob_bytes(&text), path, err);
    stk_blob_release(&text);
    return st;
}

static void drop(const stk_filesystem *fs, const char *folder, const char *name, const char *id)
{
    char      path[PATH_CAPACITY];
    stk_error unasked;
    path_of(path, folder, name, id);
    if (stk_path_remove(fs, path, &unasked)) return; /* it existed */
}

void stk_tracer_drop_request(const stk_filesystem *fs, const char *folder, const char *id)
{
    drop(fs, folder, request_name, id);
    drop(fs, folder, reply_name, id);
}

/* Finds a file by prefix; its id. */
typedef struct search {
    const char *name;
    char       *id;
} search;

static stk_status visit(void *context, const char *name, const stk_file_info *info, stk_error *err)
{
    const search *s = context;
    const size_t  begin = strlen(s->name), length = strlen(name);
    (void)info, (void)err;
    if (*s->id || length <= begin + 5 || length - begin - 5 >= STK_TRACER_ID) return STK_OK;
    if (strncmp(name, s->name, begin) != 0 || strcmp(name + length - 5, ".json") != 0)
        return STK_OK;
    snprintf(s->id, STK_TRACER_ID, "%.*s", (int)(length - begin - 5), name + begin);
    return STK_OK;
}

static bool find(const stk_filesystem *fs, const char *folder, const char *name,
                 char id[STK_TRACER_ID])
{
    search    s = {name, id};
    stk_error unasked;
    id[0] = 0;
    return !stk_path_list(fs, folder, STK_LIST_KINDS, visit, &s, &unasked) && *id;
}

void stk_tracer_drop_all(const stk_filesystem *fs, const char *folder)
{
    enum { LISTED_MAX = 1000 }; /* a file that cannot be removed is found again */
    char id[STK_TRACER_ID];
    for (int i = 0; i < LISTED_MAX && find(fs, folder, request_name, id); i++)
        drop(fs, folder, request_name, id);
    for (int i = 0; i < LISTED_MAX && find(fs, folder, reply_name, id); i++)
        drop(fs, folder, reply_name, id);
}

stk_status stk_tracer_write_request(const stk_filesystem *fs, const char *folder,
                                    const stk_tracer_request *request, const char *id,
                                    stk_error *err)
{
    stk_json_writer w;
    stk_blob        json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &json, 1);
    stk_json_object(&w);
    stk_json_pair_int(&w, "steps", request->steps);
    stk_json_pair_int(&w, "level", request->level);
    stk_json_object_end(&w);
    stk_status st = stk_json_end(&w, err);
    if (!st) st = save(fs, folder, request_name, id, &json, err);
    stk_blob_release(&json);
    return st;
}

bool stk_tracer_take_request(const stk_filesystem *fs, const char *folder,
                             stk_tracer_request *request, char id[STK_TRACER_ID], stk_error *err)
{
    stk_json_document *doc;
    *request = (stk_tracer_request){0};
    err->status = STK_OK;
    if (!find(fs, folder, request_name, id)) return false;
    if (read(fs, folder, request_name, id, &doc, err) == STK_E_NOTFOUND) return false;
    drop(fs, folder, request_name, id);
    const stk_json_value *root = stk_json_root(doc);
    request->steps = stk_json_integer(stk_json_get(root, "steps"), 0);
    request->level = (stk_trace_level)stk_json_integer(stk_json_get(root, "level"), 0);
    stk_json_document_free(doc);
    return true;
}

static void write_answer(stk_json_writer *w, const stk_tracer_answer *a)
{
    stk_json_object(w);
    stk_json_pair_string(w, "state", stk_tracer_state_name(a->state));
    stk_json_pair_int(w, "steps", a->request.steps);
    stk_json_pair_int(w, "level", a->request.level);
    stk_json_pair_int(w, "first_step", a->first_step);
    stk_json_pair_string(w, "path", a->path);
    stk_json_pair_uint(w, "events", a->events);
    stk_json_pair_string(w, "message", a->message);
    stk_json_object_end(w);
}

stk_status stk_tracer_answer_write(const stk_tracer_answer *answer, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    write_answer(&w, answer);
    return stk_json_end(&w, err);
}

void stk_tracer_write_reply(const stk_filesystem *fs, const char *folder, const char *id,
                            const stk_tracer_answer *answer)
{
    stk_json_writer w;
    stk_blob        json;
    stk_error       unasked;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &json, 1);
    write_answer(&w, answer);
    if (!stk_json_end(&w, &unasked)) (void)!save(fs, folder, reply_name, id, &json, &unasked);
    stk_blob_release(&json);
}

static stk_tracer_state state_of(const char *name)
{
    stk_tracer_state state = STK_TRACER_IDLE;
    while (state < STK_TRACER_FAILED && strcmp(stk_tracer_state_name(state), name) != 0)
        state++;
    return state;
}

static void read_answer(const stk_json_value *root, stk_tracer_answer *a)
{
    *a =
        (stk_tracer_answer){.state = state_of(stk_json_text(stk_json_get(root, "state"), "failed")),
                            .first_step = stk_json_integer(stk_json_get(root, "first_step"), -1)};
    a->request.steps = stk_json_integer(stk_json_get(root, "steps"), 0);
    a->request.level = (stk_trace_level)stk_json_integer(stk_json_get(root, "level"), 0);
    a->events = (uint64_t)stk_json_integer(stk_json_get(root, "events"), 0);
    snprintf(a->path, sizeof a->path, "%s", stk_json_text(stk_json_get(root, "path"), ""));
    snprintf(a->message, sizeof a->message, "%s", stk_json_text(stk_json_get(root, "message"), ""));
}

stk_status stk_tracer_read_reply(const stk_filesystem *fs, const char *folder, const char *id,
                                 stk_tracer_answer *answer, stk_error *err)
{
    stk_json_document *doc;
    STK_TRY(read(fs, folder, reply_name, id, &doc, err));
    read_answer(stk_json_root(doc), answer);
    stk_json_document_free(doc);
    return STK_OK;
}
