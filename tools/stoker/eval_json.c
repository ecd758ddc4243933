/* Writes an evaluation as JSON. */
#include "eval_report.h"

#include <stdlib.h>

static void write_class(stk_json_writer *json, const cli_eval_report *r, int64_t class)
{
    const stk_class_score *s = &r->evaluation->scores[class];
    stk_json_object(json);
    stk_json_pair_string(json, "class", stk_predictor_class_name(r->predictor, class));
    stk_json_pair_int(json, "index", class);
    stk_json_pair_int(json, "images", s->images);
    stk_json_pair_int(json, "predicted", s->predicted);
    stk_json_pair_int(json, "right", s->right);
    stk_json_pair_double(json, "precision", s->precision);
    stk_json_pair_double(json, "recall", s->recall);
    stk_json_pair_double(json, "f1", s->f1);
    stk_json_object_end(json);
}

static void write_classes(stk_json_writer *json, const cli_eval_report *r)
{
    size_t          count;
    cli_eval_tally *list = cli_eval_list_classes(r->evaluation, &count);
    stk_json_key(json, "classes");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++)
        write_class(json, r, list[i].truth);
    stk_json_array_end(json);
    free(list);
}

static void write_pairs(stk_json_writer *json, const cli_eval_report *r)
{
    cli_eval_tally pairs[CLI_EVAL_PAIRS + 1];
    const size_t   count = cli_eval_list_pairs(r->evaluation, pairs);
    stk_json_key(json, "confused");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "class", stk_predictor_class_name(r->predictor, pairs[i].truth));
        stk_json_pair_string(json, "taken_for",
                             stk_predictor_class_name(r->predictor, pairs[i].guess));
        stk_json_pair_int(json, "images", pairs[i].hits);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_matrix(stk_json_writer *json, const cli_eval_report *r)
{
    const stk_evaluation *e = r->evaluation;
    if (!e->confusion) return;
    stk_json_key(json, "confusion");
    stk_json_object(json);
    stk_json_key(json, "classes");
    stk_json_array(json);
    for (int64_t i = 0; i < e->classes; i++)
        stk_json_string(json, stk_predictor_class_name(r->predictor, i));
    stk_json_array_end(json);
    stk_json_key(json, "matrix");
    stk_json_array(json);
    for (int64_t i = 0; i < e->classes; i++) {
        stk_json_array(json);
        for (int64_t k = 0; k < e->classes; k++)
            stk_json_int(json, e->confusion[i * e->classes + k]);
        stk_json_array_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static void write_calibration(stk_json_writer *json, const stk_evaluation *e)
{
    stk_json_key(json, "calibration");
    stk_json_object(json);
    stk_json_pair_double(json, "ece", e->expected_error);
    stk_json_pair_double(json, "mce", e->largest_error);
    stk_json_pair_double(json, "confidence", e->confidence);
    stk_json_key(json, "bins");
    stk_json_array(json);
    for (int i = 0; i < e->bin_count; i++) {
        stk_json_object(json);
        stk_json_pair_double(json, "from", e->bins[i].from);
        stk_json_pair_double(json, "to", e->bins[i].to);
        stk_json_pair_int(json, "images", e->bins[i].images);
        stk_json_pair_double(json, "confidence", e->bins[i].confidence);
        stk_json_pair_double(json, "accuracy", e->bins[i].accuracy);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static void write_sums(stk_json_writer *json, const stk_evaluation *e)
{
    stk_json_pair_int(json, "count", e->count);
    if (e->outside) stk_json_pair_int(json, "outside", e->outside);
    if (e->skipped >= 0) stk_json_pair_int(json, "skipped", e->skipped);
    stk_json_pair_double(json, "loss", e->loss);
    stk_json_pair_double(json, "accuracy", e->accuracy);
    stk_json_pair_double(json, "top5", e->top5);
    stk_json_pair_double(json, "balanced_accuracy", e->balanced_accuracy);
    stk_json_pair_double(json, "macro_precision", e->macro_precision);
    stk_json_pair_double(json, "macro_recall", e->balanced_accuracy);
    stk_json_pair_double(json, "macro_f1", e->macro_f1);
    stk_json_pair_double(json, "seconds", e->seconds);
    stk_json_pair_double(json, "images_per_s", e->images_per_second);
}

void cli_eval_report_json(stk_json_writer *json, const cli_eval_report *report)
{
    const stk_evaluation *e = report->evaluation;
    stk_json_object(json);
    stk_json_pair_string(json, "run", report->run);
    stk_json_pair_string(json, "weights", stk_predictor_weights(report->predictor));
    if (*stk_predictor_note(report->predictor))
        stk_json_pair_string(json, "warning", stk_predictor_note(report->predictor));
    stk_json_pair_string(json, "data", report->data);
    stk_json_pair_string(json, "split", e->split);
    stk_json_pair_bool(json, "held_back", e->held_back);
    stk_json_pair_string(json, "classes_by", e->matched == STK_CLASSES_BY_NAME ? "name" : "index");
    stk_json_pair_int(json, "classes_of_run", e->classes);
    stk_json_pair_int(json, "classes_present", e->present);
    write_sums(json, e);
    write_calibration(json, e);
    write_classes(json, report);
    write_pairs(json, report);
    write_matrix(json, report);
    stk_json_object_end(json);
}
