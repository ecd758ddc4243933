/* Writes training progress as the page reads it. */
#include "observe/report/learning_state.h"
#include <math.h>
#include <stoker/json.h>
#include <string.h>

static void write_position(stk_json_writer *w, const stk_learning *l)
{
    const stk_learning_position *p = &l->position;
    stk_json_pair_string(w, "state", p->state);
    stk_json_pair_int(w, "step", p->step);
    stk_json_pair_int(w, "steps", p->steps);
    stk_json_pair_int(w, "epoch", p->epoch);
    stk_json_pair_int(w, "epochs", p->epochs);
    stk_json_pair_double(w, "seconds", p->seconds);
    stk_json_pair_double(w, "seconds_left", p->seconds_left);
}

/* null if there is none. */
static void write_row(stk_json_writer *w, const char *key, const stk_learning_row *row)
{
    stk_json_key(w, key);
    if (!row->step) {
        stk_json_null(w);
        return;
    }
    stk_json_object(w);
    stk_json_pair_int(w, "step", row->step);
    stk_json_pair_double(w, "epoch", row->epoch);
    stk_json_pair_double(w, "seconds", row->seconds);
    stk_json_pair_double(w, "loss", row->loss);
    stk_json_pair_double(w, "accuracy", row->accuracy);
    stk_json_pair_double(w, "learning_rate", row->learning_rate);
    stk_json_pair_double(w, "validation_loss", row->validation_loss);
    stk_json_pair_double(w, "validation_accuracy", row->validation_accuracy);
    stk_json_object_end(w);
}

static void write_keys(stk_json_writer *w, const char *key, const char *const *keys, size_t count)
{
    stk_json_key(w, key);
    stk_json_object(w);
    stk_json_key(w, "keys");
    stk_json_array(w);
    for (size_t i = 0; i < count; i++)
        stk_json_string(w, keys[i]);
    stk_json_array_end(w);
    stk_json_key(w, "rows");
    stk_json_array(w);
}

static void write_points(stk_json_writer *w, const stk_learning *l)
{
    static const char *const keys[] = {"step", "epoch",    "seconds",
                                       "loss", "accuracy", "learning_rate"};
    write_keys(w, "points", keys, sizeof keys / sizeof *keys);
    for (size_t i = 0; i < l->point_count; i++) {
        const stk_learning_point *p = &l->points[i];
        stk_json_array(w);
        stk_json_int(w, p->step);
        stk_json_double(w, p->epoch);
        stk_json_double(w, p->seconds);
        for (int k = 0; k < STK_LEARNING_VALUES; k++)
            stk_json_double(w, p->count[k] > 0 ? p->sum[k] / p->count[k] : (double)NAN);
        stk_json_array_end(w);
    }
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static void write_epochs(stk_json_writer *w, const stk_learning *l)
{
    static const char *const keys[] = {
        "step", "epoch", "seconds", "loss", "accuracy", "validation_loss", "validation_accuracy"};
    write_keys(w, "epoch_list", keys, sizeof keys / sizeof *keys);
    for (size_t i = 0; i < l->epoch_count; i++) {
        const stk_learning_row *e = &l->epochs[i];
        stk_json_array(w);
        stk_json_int(w, e->step);
        stk_json_double(w, e->epoch);
        stk_json_double(w, e->seconds);
        stk_json_double(w, e->epoch_loss);
        stk_json_double(w, e->epoch_accuracy);
        stk_json_double(w, e->validation_loss);
        stk_json_double(w, e->validation_accuracy);
        stk_json_array_end(w);
    }
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static stk_status put_images(const stk_learning *l, stk_blob *out, stk_error *err)
{
    static const char *const names[] = {",\"training\":", ",\"validation\":"};
    for (int i = 0; i < 2; i++) {
        const stk_learning_images *set = &l->images[i];
        stk_json_writer            w;
        if (!set->json.size) continue;
        STK_TRY(stk_blob_append(out, names[i], strlen(names[i]), err));
        stk_json_begin(&w, out, 0);
        stk_json_object(&w);
        stk_json_pair_int(&w, "step", set->step);
        stk_json_object_end(&w);
        STK_TRY(stk_json_end(&w, err));
        out->size--; /* the list has its own bracket, which replaces the brace */
        STK_TRY(stk_blob_append(out, ",\"images\":", 10, err));
        STK_TRY(stk_blob_append(out, set->json.data, set->json.size, err));
        STK_TRY(stk_blob_append(out, "}", 1, err));
    }
    return STK_OK;
}

static stk_status write_all(const stk_learning *l, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_json_object(&w);
    write_position(&w, l);
    write_row(&w, "last", &l->last);
    write_row(&w, "best", &l->best);
    write_points(&w, l);
    write_epochs(&w, l);
    stk_json_object_end(&w);
    STK_TRY(stk_json_end(&w, err));
    out->size--;
    STK_TRY(put_images(l, out, err));
    return stk_blob_append(out, "}", 1, err);
}

stk_status stk_learning_write(const stk_learning *learning, stk_blob *out, stk_error *err)
{
    const size_t     before = out->size;
    const stk_status st = write_all(learning, out, err);
    if (st) out->size = before;
    return st;
}
