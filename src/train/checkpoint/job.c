/* Jobs of the checkpoint writer. */
#include "train/checkpoint/job.h"
#include "train/checkpoint/checkpoint_snapshot.h"

#include <string.h>

stk_status stk_writer_job_init(stk_writer_job *job, stk_ledger *ledger, stk_error *err)
{
    *job = (stk_writer_job){0};
    stk_arena_init(&job->texts, ledger, STK_MEMORY_OUTPUT);
    return stk_snapshot_new(&job->snapshot, ledger, err);
}

void stk_writer_job_release(stk_writer_job *job)
{
    stk_arena_release(&job->texts);
    stk_snapshot_free(job->snapshot);
}

static stk_status copy_text(stk_writer_job *job, const char *text, const char **copy,
                            stk_error *err)
{
    *copy = NULL;
    if (!text) return STK_OK;
    *copy = stk_arena_text(&job->texts, text, strlen(text), err);
    return *copy ? STK_OK : err->status;
}

static stk_status copy_metadata(stk_writer_job *job, const char *const *metadata, stk_error *err)
{
    size_t count = 0;
    while (metadata && metadata[count])
        count += 2;
    job->metadata = stk_arena_array(&job->texts, count + 1, sizeof *job->metadata, err);
    if (!job->metadata) return err->status;
    for (size_t i = 0; i < count; i++)
        STK_TRY(copy_text(job, metadata[i], &job->metadata[i], err));
    job->metadata[count] = NULL;
    return STK_OK;
}

static stk_status copy_models(stk_writer_job *job, const char *const *models, stk_error *err)
{
    for (int i = 0; models && i < STK_WRITER_MODELS && models[i]; i++) {
        STK_TRY(copy_text(job, models[i], &job->models[i], err));
        job->model_count++;
    }
    return STK_OK;
}

stk_status stk_writer_job_fill(stk_writer_job *job, stk_variables *variables,
                               const stk_run_state *state, const char *const *models,
                               const char *prefix, const char *const *metadata, stk_error *err)
{
    stk_arena_release(&job->texts);
    job->model_count = 0;
    stk_status st = copy_models(job, models, err);
    if (!st) st = copy_text(job, prefix, &job->prefix, err);
    if (!st) st = copy_metadata(job, metadata, err);
    if (!st) st = stk_snapshot_take(job->snapshot, variables, state, err);
    if (st) job->model_count = 0;
    return st;
}

static uint64_t model_bytes(const stk_snapshot *snapshot)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i);
        if (entry->role == STK_VARIABLE_PARAMETER || entry->role == STK_VARIABLE_STATISTIC)
            bytes += entry->bytes;
    }
    return bytes;
}

uint64_t stk_writer_job_bytes(const stk_writer_job *job)
{
    const stk_snapshot *s = job->snapshot;
    const uint64_t      models = (uint64_t)job->model_count;
    return s->data.size + s->state.input.size + (models ? models * model_bytes(s) : 0);
}

static bool writes(const stk_writer_job *job, const char *path)
{
    for (int i = 0; i < job->model_count; i++)
        if (strcmp(job->models[i], path) == 0) return true;
    return false;
}

void stk_writer_job_leave_to(stk_writer_job *job, const stk_writer_job *other)
{
    int left = 0;
    for (int i = 0; i < job->model_count; i++)
        if (!writes(other, job->models[i])) job->models[left++] = job->models[i];
    job->model_count = left;
}
