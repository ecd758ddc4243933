/* files: the names of files, listed when the dataset is made. */
#include "base/permutation.h"
#include "pipeline/operators/operators.h"
#include "pipeline/support/file_glob.h"
#include "pipeline/support/file_list.h"
#include "pipeline/support/file_series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_file_list         list; /* in the order they are given */
    stk_buffer          **names;
    const stk_filesystem *fs;
} params;

typedef struct state {
    size_t given;
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_file_list_free_names(&p->list, p->names);
    stk_file_list_release(&p->list);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_file_series_spec(data, "file", err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)((const params *)data->params)->list.count;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return stk_file_list_describe(&((const params *)data->params)->list, out, err);
}

/* The names are returned here; later operators read the files. */
static stk_status mix_content(const stk_dataset *data, stk_content *content, stk_error *err)
{
    const params *p = data->params;
    return stk_file_list_content(&p->list, p->fs, content, err);
}

/* The name is the value and the origin at once. */
static stk_status element_at(const params *p, size_t index, uint64_t epoch, stk_element **out,
                             stk_error *err)
{
    stk_buffer      *name = p->names[index];
    const stk_origin origin = {.file = name, .epoch = epoch, .index = index};
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_view(stk_element_edit(*out, 0),
                   stk_bytes_of(stk_buffer_data(name), stk_buffer_size(name)), name);
    stk_element_set_origin(*out, &origin);
    return STK_OK;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    (void)ledger;
    const params *p = data->params;
    if (index >= p->list.count)
        return stk_fail(err, STK_E_RANGE, "files", NULL,
                        "file %" PRIu64 " was asked for; there are %zu", index, p->list.count);
    return element_at(p, (size_t)index, 0, out, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    return s->given < p->list.count ? element_at(p, s->given++, node->epoch, out, err) : STK_OK;
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state       *s = node->state;
    const size_t left = STK_PARAMS(params, node)->list.count - s->given;
    *discarded = count < left ? count : left;
    s->given += (size_t)*discarded;
    return STK_OK;
}

static size_t file_count(const stk_dataset *data)
{
    return ((const params *)data->params)->list.count;
}

const stk_operator stk_operator_files = {
    .name = "files",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .content = mix_content,
    .at = at,
    .file_count = file_count,
    .state_bytes = sizeof(state),
    .next = next,
    .discard = discard,
};

/* A permutation of its own, so that one seed is one order whatever the pipeline's seed is. */
static stk_status shuffle(stk_file_list *list, uint64_t seed, stk_error *err)
{
    char **shuffled = calloc(list->count, sizeof *shuffled);
    if (!shuffled)
        return stk_fail(err, STK_E_NOMEM, "files", NULL, "no memory for the names of %zu files",
                        list->count);
    const stk_permutation order = stk_permutation_of(list->count, seed, 0);
    for (size_t i = 0; i < list->count; i++)
        shuffled[i] = list->paths[stk_permutation_at(&order, i)];
    free(list->paths);
    list->paths = shuffled;
    return STK_OK;
}

stk_status stk_dataset_files(stk_dataset **out, const stk_filesystem *fs, const char *pattern,
                             const stk_files_options *options, stk_error *err)
{
    *out = NULL;
    params     p = {.fs = fs};
    stk_status st = stk_file_glob(&p.list, "files", fs, pattern, err);
    if (!st && options && options->shuffle) st = shuffle(&p.list, options->seed, err);
    if (!st) st = stk_file_list_names(&p.list, "files", &p.names, err);
    if (st) {
        release_params(&p);
        return st;
    }
    return stk_dataset_make(out, &stk_operator_files, &p, NULL, 0, err);
}
