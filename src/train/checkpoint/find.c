/* Finds the checkpoint to resume from. Reads every byte, so that damage shows while an older
 * checkpoint still exists. */
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/folder.h"

#include <stdio.h>
#include <string.h>

enum { LINE_CAPACITY = 1024 };

typedef struct search {
    const stk_filesystem *fs;
    void (*warn)(void *context, const char *line);
    void    *context;
    stk_blob steps, path, scratch;
} search;

static stk_status read_all(search *s, const stk_safetensors *file, stk_error *err)
{
    for (size_t i = 0; i < stk_safetensors_count(file); i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(file, i);
        STK_TRY(stk_blob_reserve(&s->scratch, (size_t)t->bytes, err));
        STK_TRY(stk_safetensors_read(file, t, s->scratch.data, err));
    }
    return STK_OK;
}

/* Reads the state too: an invalid number makes an intact file useless. */
static stk_status read_state(const stk_safetensors *file, const char *path, stk_error *err)
{
    stk_run_state state;
    stk_run_state_init(&state, NULL);
    const stk_status st = stk_run_state_read(&state, file, path, err);
    stk_run_state_release(&state);
    return st;
}

static stk_status verify(search *s, stk_error *err)
{
    const char      *path = (const char *)s->path.data;
    stk_safetensors *file;
    STK_TRY(stk_checkpoint_open(&file, s->fs, path, NULL, err));
    stk_status st = read_state(file, path, err);
    if (!st) st = read_all(s, file, err);
    stk_safetensors_free(file);
    return st;
}

static void log_damaged(const search *s, const stk_error *why)
{
    char text[LINE_CAPACITY], line[LINE_CAPACITY + 64];
    if (!s->warn) return;
    snprintf(line, sizeof line, "this checkpoint is passed over: %s",
             stk_error_line(why, text, sizeof text));
    s->warn(s->context, line);
}

static stk_status give(const search *s, char *path, size_t capacity, stk_error *err)
{
    if (s->path.size < capacity) {
        memcpy(path, s->path.data, s->path.size + 1);
        return STK_OK;
    }
    return stk_fail(err, STK_E_LIMIT, "checkpoint", (const char *)s->path.data,
                    "the path has %zu bytes, there is space for %zu", s->path.size, capacity);
}

static stk_status look_through(search *s, const char *folder, char *path, size_t capacity,
                               stk_error *err)
{
    stk_error why = {0};
    STK_TRY(stk_checkpoint_steps(s->fs, folder, &s->steps, err));
    const int64_t *steps = (const int64_t *)(const void *)s->steps.data;
    const size_t   count = s->steps.size / sizeof *steps;
    for (size_t i = 0; i < count; i++) {
        STK_TRY(stk_checkpoint_path(&s->path, folder, steps[i], err));
        const stk_status st = verify(s, &why);
        if (!st) return give(s, path, capacity, err);
        if (!stk_checkpoint_is_damage(st)) {
            if (err) *err = why;
            return st;
        }
        log_damaged(s, &why);
    }
    return stk_fail(err, STK_E_NOTFOUND, "checkpoint", folder,
                    "of %zu checkpoints here none is whole: begin anew", count);
}

stk_status stk_checkpoint_find(const stk_filesystem *fs, const char                *folder,
                               void (*warn)(void *context, const char *line), void *context,
                               char *path, size_t capacity, stk_error *err)
{
    search s = {.fs = fs, .warn = warn, .context = context};
    stk_blob_init(&s.steps, NULL, STK_MEMORY_READ);
    stk_blob_init(&s.path, NULL, STK_MEMORY_READ);
    stk_blob_init(&s.scratch, NULL, STK_MEMORY_READ);
    const stk_status st = look_through(&s, folder, path, capacity, err);
    stk_blob_release(&s.scratch);
    stk_blob_release(&s.path);
    stk_blob_release(&s.steps);
    return st;
}
