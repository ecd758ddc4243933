/* Reads and writes the file of tuned values. */
#include "pipeline/iterator/tuning_file.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/filesystem.h>
#include <stoker/json.h>
#include <unistd.h>

enum { VERSION = 1, LIMIT_BYTES = 1 << 20, KEY = 160 };

/* Another number of cores is another host: what was tuned for it need not hold. */
static void key_of(char key[KEY], uint64_t fingerprint)
{
    char host[64] = "";
    if (gethostname(host, sizeof host - 1)) snprintf(host, sizeof host, "unknown");
    snprintf(key, KEY, "%016" PRIx64 "@%s/%d", fingerprint, host, stk_limits_cores());
}

/* *doc is NULL when there is no such file. */
static stk_status read_document(const char *path, stk_json_document **doc, stk_error *err)
{
    *doc = NULL;
    stk_blob  text;
    stk_error missing;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(NULL, path, 0, LIMIT_BYTES, &text, &missing);
    if (st && st != STK_E_NOTFOUND && err) *err = missing;
    if (!st) st = stk_json_parse(doc, stk_blob_bytes(&text), path, err);
    stk_blob_release(&text);
    if (st == STK_E_NOTFOUND) return STK_OK;
    if (!st && stk_json_integer(stk_json_get(stk_json_root(*doc), "stoker_tuning"), 0) != VERSION) {
        stk_json_document_free(*doc);
        *doc = NULL;
        st = stk_fail(err, STK_E_FORMAT, "autotune", path,
                      "this is no file of tuned values of version %d; name another file", VERSION);
    }
    return st;
}

static uint64_t positive(const stk_json_value *value)
{
    const int64_t number = stk_json_integer(value, 0);
    return number > 0 && number <= INT32_MAX ? (uint64_t)number : 0;
}

stk_status stk_tuning_file_load(const char *path, uint64_t fingerprint, stk_tuned *tuned,
                                size_t capacity, size_t *count, stk_error *err)
{
    *count = 0;
    stk_json_document *doc;
    char               key[KEY];
    STK_TRY(read_document(path, &doc, err));
    if (!doc) return STK_OK;
    key_of(key, fingerprint);
    const stk_json_value *stages =
        stk_json_get(stk_json_get(stk_json_get(stk_json_root(doc), "pipelines"), key), "stages");
    for (size_t i = 0; i < stk_json_count(stages) && *count < capacity; i++) {
        const stk_json_value *stage = stk_json_at(stages, i);
        stk_tuned            *one = &tuned[*count];
        const char           *name = stk_json_key_at(stages, i);
        if (!name || strlen(name) >= sizeof one->path) continue;
        *one = (stk_tuned){.capacity = positive(stk_json_get(stage, "ahead")),
                           .target_ns = positive(stk_json_get(stage, "chunk_ns"))};
        memcpy(one->path, name, strlen(name) + 1);
        ++*count;
    }
    stk_json_document_free(doc);
    return STK_OK;
}

static void write_value(stk_json_writer *w, const stk_json_value *value)
{
    if (stk_json_type_of(value) != STK_JSON_OBJECT) {
        stk_json_int(w, stk_json_integer(value, 0));
        return;
    }
    stk_json_object(w);
    for (size_t i = 0; i < stk_json_count(value); i++) {
        stk_json_key(w, stk_json_key_at(value, i));
        write_value(w, stk_json_at(value, i));
    }
    stk_json_object_end(w);
}

static void write_stages(stk_json_writer *w, stk_run *run)
{
    stk_json_object(w);
    stk_json_key(w, "stages");
    stk_json_object(w);
    for (stk_node_counters *one = stk_run_counters(run); one; one = one->next) {
        const uint64_t capacity = __atomic_load_n(&one->tuned_capacity, __ATOMIC_RELAXED);
        const uint64_t target = __atomic_load_n(&one->tuned_target_ns, __ATOMIC_RELAXED);
        char           path[STK_TUNED_PATH];
        if ((!capacity && !target) || !stk_node_counters_path(one, path)) continue;
        stk_json_key(w, path);
        stk_json_object(w);
        if (capacity) stk_json_pair_uint(w, "ahead", capacity);
        if (target) stk_json_pair_uint(w, "chunk_ns", target);
        stk_json_object_end(w);
    }
    stk_json_object_end(w);
    stk_json_object_end(w);
}

static stk_status write_document(stk_blob *text, const stk_json_document *old, const char *key,
                                 stk_run *run, stk_error *err)
{
    const stk_json_value *pipelines = old ? stk_json_get(stk_json_root(old), "pipelines") : NULL;
    stk_json_writer       w;
    stk_json_begin(&w, text, 2);
    stk_json_object(&w);
    stk_json_pair_int(&w, "stoker_tuning", VERSION);
    stk_json_key(&w, "pipelines");
    stk_json_object(&w);
    for (size_t i = 0; i < stk_json_count(pipelines); i++) {
        if (strcmp(stk_json_key_at(pipelines, i), key) == 0) continue;
        stk_json_key(&w, stk_json_key_at(pipelines, i));
        write_value(&w, stk_json_at(pipelines, i));
    }
    stk_json_key(&w, key);
    write_stages(&w, run);
    stk_json_object_end(&w);
    stk_json_object_end(&w);
    return stk_json_end(&w, err);
}

stk_status stk_tuning_file_save(const char *path, uint64_t fingerprint, stk_run *run,
                                stk_error *err)
{
    stk_json_document *old;
    char               key[KEY];
    STK_TRY(read_document(path, &old, err));
    key_of(key, fingerprint);
    stk_blob    text;
    stk_output *out = NULL;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    stk_status st = write_document(&text, old, key, run, err);
    if (!st) st = stk_output_create(&out, NULL, path, err);
    if (!st) st = stk_output_write(out, text.data, text.size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    stk_blob_release(&text);
    stk_json_document_free(old);
    return st;
}
