/* Training progress. A run may have any number of reports, a chart some hundred pixels. When the
 * points are full, pairs are merged, and each point then takes twice as many reports. */
#include "base/base64.h"
#include "observe/report/learning_state.h"
#include <math.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

stk_status stk_learning_new(stk_learning **out, stk_error *err)
{
    stk_learning *l = calloc(1, sizeof *l);
    *out = l;
    if (!l) return stk_fail(err, STK_E_NOMEM, "learning", NULL, "no memory for the curves");
    l->reports_each = 1;
    l->position = (stk_learning_position){.state = "running", .seconds_left = -1};
    for (int i = 0; i < 2; i++)
        stk_blob_init(&l->images[i].json, NULL, STK_MEMORY_OUTPUT);
    return STK_OK;
}

void stk_learning_free(stk_learning *learning)
{
    if (!learning) return;
    for (int i = 0; i < 2; i++)
        stk_blob_release(&learning->images[i].json);
    free(learning);
}

void stk_learning_set_position(stk_learning *learning, const stk_learning_position *position)
{
    learning->position = *position;
}

/* A merged point has the position of its last report. */
static void join(stk_learning_point *to, const stk_learning_point *from)
{
    to->step = from->step;
    to->epoch = from->epoch;
    to->seconds = from->seconds;
    to->reports += from->reports;
    for (int i = 0; i < STK_LEARNING_VALUES; i++) {
        to->sum[i] += from->sum[i];
        to->count[i] += from->count[i];
    }
}

static void join_neighbours(stk_learning *l)
{
    for (size_t i = 0; i < l->point_count / 2; i++) {
        stk_learning_point both = l->points[2 * i];
        join(&both, &l->points[2 * i + 1]);
        l->points[i] = both;
    }
    l->point_count /= 2;
    l->reports_each *= 2;
}

static void add_point(stk_learning *l, const stk_learning_row *row)
{
    const double       values[STK_LEARNING_VALUES] = {row->loss, row->accuracy, row->learning_rate};
    stk_learning_point one = {
        .step = row->step, .epoch = row->epoch, .seconds = row->seconds, .reports = 1};
    for (int i = 0; i < STK_LEARNING_VALUES; i++)
        if (isfinite(values[i])) {
            one.sum[i] = values[i];
            one.count[i] = 1;
        }
    if (l->point_count && l->points[l->point_count - 1].reports < l->reports_each) {
        join(&l->points[l->point_count - 1], &one);
        return;
    }
    if (l->point_count == STK_LEARNING_POINTS) join_neighbours(l);
    l->points[l->point_count++] = one;
}

/* Beyond the capacity every second epoch is dropped; the best one is kept separately. */
static void add_epoch(stk_learning *l, const stk_learning_row *row)
{
    if (l->epoch_count == STK_LEARNING_EPOCHS) {
        for (size_t i = 0; i < STK_LEARNING_EPOCHS / 2; i++)
            l->epochs[i] = l->epochs[2 * i + 1];
        l->epoch_count /= 2;
    }
    l->epochs[l->epoch_count++] = *row;
}

void stk_learning_add(stk_learning *learning, const stk_learning_row *row)
{
    stk_learning *l = learning;
    l->last = *row;
    add_point(l, row);
    if (isfinite(row->epoch_loss) || isfinite(row->validation_loss)) add_epoch(l, row);
    if (!isfinite(row->validation_accuracy)) return;
    if (!l->best.step || row->validation_accuracy > l->best.validation_accuracy) l->best = *row;
}

static const char *type_of(stk_bytes encoded)
{
    return encoded.size > 2 && encoded.data[0] == 0xff ? "data:image/jpeg;base64,"
                                                       : "data:image/png;base64,";
}

/* Appends a data URL with the image. */
static stk_status put_address(stk_blob *out, stk_bytes encoded, stk_error *err)
{
    const char *type = type_of(encoded);
    STK_TRY(stk_blob_append(out, type, strlen(type), err));
    return stk_base64_append(out, encoded, err);
}

static stk_status write_image(stk_json_writer *w, const stk_learning_image *image,
                              stk_blob *scratch, stk_error *err)
{
    scratch->size = 0;
    STK_TRY(put_address(scratch, image->encoded, err));
    stk_json_object(w);
    stk_json_key(w, "src");
    stk_json_bytes(w, stk_blob_bytes(scratch));
    stk_json_pair_string(w, "label", image->label);
    if (*image->predicted) {
        stk_json_pair_string(w, "predicted", image->predicted);
        stk_json_pair_double(w, "probability", image->probability);
        stk_json_pair_bool(w, "right", image->right);
    }
    stk_json_object_end(w);
    return STK_OK;
}

static stk_status write_images(stk_blob *out, const stk_learning_image *images, size_t count,
                               stk_error *err)
{
    stk_json_writer w;
    stk_blob        scratch;
    stk_status      st = STK_OK;
    stk_blob_init(&scratch, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, out, 0);
    stk_json_array(&w);
    for (size_t i = 0; i < count && i < STK_LEARNING_IMAGES && !st; i++)
        st = write_image(&w, &images[i], &scratch, err);
    stk_json_array_end(&w);
    stk_blob_release(&scratch);
    STK_TRY(st);
    return stk_json_end(&w, err);
}

stk_status stk_learning_show(stk_learning *learning, stk_learning_set set, int64_t step,
                             const stk_learning_image *images, size_t count, stk_error *err)
{
    stk_blob made;
    stk_blob_init(&made, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = write_images(&made, images, count, err);
    if (!st) {
        stk_learning_images *into = &learning->images[set];
        stk_blob             before = into->json;
        *into = (stk_learning_images){step, made};
        made = before;
    }
    stk_blob_release(&made);
    return st;
}
