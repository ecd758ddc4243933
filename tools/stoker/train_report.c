/* Output at the end of training. */
#include "train_report.h"

#include "diagnosis_text.h"
#include "format.h"
#include "stage_table.h"
#include "text.h"

#include <string.h>

/* Names the images that selected the model: a test split would be biased by it. */
static void print_chosen_by(const stk_train_data *data)
{
    printf(" (");
    if (data->validation_fraction > 0) printf("held back of ");
    cli_text_print(stdout, data->validation_split);
    printf(")");
}

static void print_accuracy(const cli_train_report *report, const cli_style *style)
{
    const stk_train_result   *r = report->result;
    const stk_train_progress *p = &r->last;
    char                      a[CLI_FORMAT_CAPACITY];
    if (r->best_accuracy >= 0)
        printf("%s%.2f %%%s of the validation images right", style->bold, 100 * r->best_accuracy,
               style->plain);
    if (r->best_accuracy >= 0) {
        print_chosen_by(report->data);
        printf(", at step %s\n", cli_format_count(a, (uint64_t)r->best_step));
    }
    cli_train_final_print(&report->final);
    if (p->step && p->step == report->first_step)
        printf("all %lld steps were done before; there was nothing left to do\n",
               (long long)p->steps);
    else if (p->step)
        printf("loss %.4g, accuracy %.2f %% over the last epoch%s, %lld of %lld steps done%s\n",
               p->epoch_loss, 100 * p->epoch_accuracy, p->epoch_end ? "" : " so far",
               (long long)p->step, (long long)p->steps,
               r->interrupted     ? ", interrupted"
               : r->stopped_early ? ", stopped early"
                                  : "");
    if (p->skipped)
        printf("%lld steps were skipped: their gradients were not finite\n", (long long)p->skipped);
}

static void print_percent(const char *name, double seconds, double all)
{
    if (all > 0) printf(", %s %.1f %%", name, 100 * seconds / all);
}

static void print_time(const cli_train_report *report)
{
    const stk_train_result *r = report->result;
    const double            all = report->wall_seconds;
    const double            known =
        r->compute_seconds + r->input_seconds + r->evaluation_seconds + r->output_seconds;
    const double images =
        (double)((r->last.step - report->first_step) * report->recipe->data.batch);
    const double training = r->compute_seconds + r->input_seconds;
    char         a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    printf("time %s", cli_format_duration(a, all));
    print_percent("compute", r->compute_seconds, all);
    print_percent("input", r->input_seconds, all);
    print_percent("evaluation", r->evaluation_seconds, all);
    print_percent("output", r->output_seconds, all);
    print_percent("other", known < all ? all - known : 0, all);
    if (training > 0)
        printf("; %s img/s over all steps",
               cli_format_count(b, (uint64_t)(images / training + 0.5)));
    printf("\n");
}

static void print_callbacks(const stk_trainer *trainer)
{
    for (size_t i = 0; i < stk_trainer_callback_count(trainer); i++) {
        const stk_callback_stats c = stk_trainer_callback_at(trainer, i);
        const double mean = c.calls ? (double)c.nanoseconds / (double)c.calls * 1e-6 : 0;
        if (c.slow) printf("callback %s is slow: %.2f ms a call\n", c.name, mean);
        if (c.failures)
            printf("callback %s failed %llu times\n", c.name, (unsigned long long)c.failures);
    }
}

/* Nothing for a run too short to diagnose. */
static void print_verdict(const stk_diagnosis *diagnosis)
{
    if (!diagnosis || diagnosis->samples_per_s.value < 0) return;
    printf("limit: ");
    cli_text_print(stdout, diagnosis->verdict);
    printf("\n");
}

void cli_train_print_faults(FILE *out, const stk_inject *inject)
{
    char text[STK_PROFILE_LINE];
    if (*stk_inject_text(inject, text, sizeof text)) fprintf(out, "faults on purpose: %s\n", text);
}

void cli_train_report_print(const cli_train_report *report, const cli_style *style)
{
    print_accuracy(report, style);
    print_time(report);
    cli_startup_print(&report->startup);
    if (report->profile) cli_stage_table_print(report->profile, style);
    cli_train_print_faults(stdout, report->inject);
    print_callbacks(report->trainer);
    print_verdict(report->diagnosis);
    if (report->diagnosis) cli_diagnosis_print_findings(stdout, report->diagnosis, style);
    if (report->result->interrupted && report->result->best_accuracy < 0) return;
    printf("model ");
    cli_text_print(stdout, report->result->best_path);
    printf("\n");
}

void cli_train_report_hint(const cli_train_report *report)
{
    const char *folder = stk_trainer_folder(report->trainer);
    if (report->result->interrupted) {
        fprintf(stderr, "interrupted; go on with: stoker train --resume ");
        cli_print_path(stderr, folder);
        fprintf(stderr, "\n");
        return;
    }
    fprintf(stderr, "next: stoker eval ");
    cli_print_path(stderr, folder);
    fprintf(stderr, "\n      stoker predict ");
    cli_print_path(stderr, folder);
    fprintf(stderr, " IMAGE...\n");
}

static void write_time(stk_json_writer *json, const cli_train_report *report)
{
    const stk_train_result *r = report->result;
    stk_json_key(json, "time");
    stk_json_object(json);
    stk_json_pair_double(json, "wall_s", report->wall_seconds);
    stk_json_pair_double(json, "compute_s", r->compute_seconds);
    stk_json_pair_double(json, "input_s", r->input_seconds);
    stk_json_pair_double(json, "evaluation_s", r->evaluation_seconds);
    stk_json_pair_double(json, "output_s", r->output_seconds);
    stk_json_object_end(json);
}

static void write_callbacks(stk_json_writer *json, const stk_trainer *trainer)
{
    stk_json_key(json, "callbacks");
    stk_json_array(json);
    for (size_t i = 0; i < stk_trainer_callback_count(trainer); i++) {
        const stk_callback_stats c = stk_trainer_callback_at(trainer, i);
        stk_json_object(json);
        stk_json_pair_string(json, "name", c.name);
        stk_json_pair_uint(json, "calls", c.calls);
        stk_json_pair_double(json, "seconds", (double)c.nanoseconds * 1e-9);
        stk_json_pair_uint(json, "failures", c.failures);
        stk_json_pair_bool(json, "slow", c.slow);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_memory(stk_json_writer *json, const stk_trainer *trainer)
{
    const stk_memory_plan plan = stk_trainer_memory(trainer);
    stk_json_key(json, "memory");
    stk_json_object(json);
    stk_json_pair_uint(json, "variables_bytes", plan.fixed);
    stk_json_pair_uint(json, "arena_bytes", plan.arena);
    stk_json_pair_uint(json, "without_reuse_bytes", plan.without_reuse);
    stk_json_object_end(json);
}

static void write_findings(stk_json_writer *json, const stk_diagnosis *diagnosis)
{
    stk_json_key(json, "findings");
    stk_json_array(json);
    for (size_t i = 0; i < diagnosis->finding_count; i++) {
        const stk_usage_note *f = &diagnosis->findings[i];
        stk_json_object(json);
        stk_json_pair_string(json, "name", f->name);
        stk_json_pair_double(json, "value", f->value);
        stk_json_pair_string(json, "sentence", f->sentence);
        stk_json_pair_string(json, "advice", f->advice);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_verdict(stk_json_writer *json, const stk_diagnosis *diagnosis)
{
    if (!diagnosis) return;
    stk_json_pair_string(json, "verdict", diagnosis->verdict);
    stk_json_pair_string(json, "limit", stk_stage_name(diagnosis->limit.stage));
    stk_json_pair_string(json, "cause", stk_cause_name(diagnosis->limit.cause));
    stk_json_pair_double(json, "compute_share", diagnosis->compute_share);
    write_findings(json, diagnosis);
}

static void write_data(stk_json_writer *json, const stk_train_data *data)
{
    const stk_train_survey *s = &data->survey;
    stk_json_key(json, "data");
    stk_json_object(json);
    stk_json_pair_string(json, "train_split", data->train_split);
    stk_json_pair_int(json, "train_count", data->train_count);
    stk_json_pair_string(json, "validation_split", data->validation_split);
    stk_json_pair_int(json, "validation_count", data->validation_count);
    stk_json_pair_double(json, "validation_share", data->validation_fraction);
    stk_json_pair_string(json, "test_split", data->test_split);
    stk_json_pair_int(json, "test_count", data->test_count);
    stk_json_pair_int(json, "classes", data->classes);
    stk_json_pair_int(json, "looked_at", s->looked + s->unreadable);
    stk_json_pair_int(json, "unreadable", s->unreadable);
    stk_json_pair_int(json, "grey", s->grey);
    stk_json_pair_int(json, "width", data->width);
    stk_json_pair_int(json, "height", data->height);
    stk_json_object_end(json);
}

void cli_train_report_json(stk_json_writer *json, const cli_train_report *report)
{
    const stk_train_result   *r = report->result;
    const stk_train_progress *p = &r->last;
    const stk_train_summary   outlook = stk_trainer_summary(report->trainer);
    const double              training = r->compute_seconds + r->input_seconds;
    const double images = (double)((p->step - report->first_step) * report->recipe->data.batch);
    char         faults[STK_PROFILE_LINE];
    stk_json_object(json);
    stk_json_pair_string(json, "folder", stk_trainer_folder(report->trainer));
    stk_json_pair_string(json, "model", report->recipe->model.name);
    stk_json_pair_string(json, "inject", stk_inject_text(report->inject, faults, sizeof faults));
    stk_json_pair_string(json, "backend", outlook.backend);
    stk_json_pair_int(json, "threads", outlook.threads);
    stk_json_pair_int(json, "input_threads", report->recipe->knobs.input_threads);
    stk_json_pair_int(json, "batch", report->recipe->data.batch);
    stk_json_pair_string(json, "cache", outlook.cache);
    stk_json_pair_int(json, "epochs", outlook.epochs);
    stk_json_pair_int(json, "steps", outlook.steps);
    stk_json_pair_int(json, "resumed_from", report->first_step);
    stk_json_pair_int(json, "step", p->step);
    stk_json_pair_double(json, "loss", p->epoch_loss);
    stk_json_pair_double(json, "accuracy", p->epoch_accuracy);
    if (r->best_accuracy >= 0) {
        stk_json_pair_double(json, "best_accuracy", r->best_accuracy);
        stk_json_pair_int(json, "best_step", r->best_step);
        stk_json_pair_double(json, "validation_loss", p->validation_loss);
        stk_json_pair_double(json, "validation_accuracy", p->validation_accuracy);
        stk_json_pair_double(json, "validation_top5", p->validation_top5);
    }
    write_data(json, report->data);
    cli_train_final_json(json, &report->final);
    stk_json_pair_string(json, "best_model", r->best_path);
    stk_json_pair_bool(json, "interrupted", r->interrupted);
    stk_json_pair_bool(json, "stopped_early", r->stopped_early);
    stk_json_pair_uint(json, "left_out_images", report->left_out);
    stk_json_pair_int(json, "skipped_steps", p->skipped);
    stk_json_pair_double(json, "images_per_s", training > 0 ? images / training : 0);
    stk_json_pair_double(json, "input_wait", training > 0 ? r->input_seconds / training : 0);
    write_time(json, report);
    cli_startup_json(json, &report->startup);
    write_memory(json, report->trainer);
    write_callbacks(json, report->trainer);
    if (report->profile) cli_stage_table_json(json, report->profile);
    write_verdict(json, report->diagnosis);
    stk_json_object_end(json);
}
