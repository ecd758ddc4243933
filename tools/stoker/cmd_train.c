/* stoker train: trains a model on images. */
#include "explain_json.h"
#include "json_out.h"
#include "notes.h"
#include "signals.h"
#include "spread.h"
#include "train_job.h"
#include "train_live.h"
#include "train_plan.h"
#include "train_progress.h"
#include "train_records.h"
#include "train_report.h"
#include "train_trace.h"

typedef struct values {
    cli_train_values train;
    const char      *resume, *color, *trace;
    bool             explain;
    cli_serve_values serve;
} values;

static const values defaults = {.serve.port = CLI_SERVE_OFF};

static const cli_option options[] = {
    {CLI_OPTION(values, resume, "resume", FILE, "RUN"), .group = "Recipe",
     .help = "go on with the run in this folder, exactly where its last checkpoint is; --epochs or "
             "--steps may give it another end; DATA says where its data lies now, if it was moved"},
    {CLI_OPTION(values, explain, "explain", FLAG, NULL), .group = "Recipe",
     .help = "print what was decided and why, the whole recipe, the plan of the input and the "
             "graph of a step after each pass; run nothing"},
    CLI_TRAIN_TEXT_OPTION(values, train.epochs, "epochs", "N", "Training",
                          "times that the data is seen (default: by its size)"),
    CLI_TRAIN_TEXT_OPTION(values, train.steps, "steps", "N", "Training",
                          "stop after so many steps (default: as the epochs say)"),
    CLI_TRAIN_WORD_OPTION(values, train.schedule, "schedule", "NAME", cli_choice_schedule,
                          "Training",
                          "how the rate goes: constant, step, multistep, cosine, poly, one-cycle, "
                          "triangle or plateau (default one-cycle; triangle for airbench)"),
    CLI_TRAIN_TEXT_OPTION(values, train.early_stop, "early-stop", "N", "Training",
                          "stop after so many evaluations without a better one (default 0: never)"),
    {CLI_OPTION(values, train.folder, "folder", FILE, "RUN"), .letter = 'o', .group = "Output",
     .help = "the run folder (default: a new one in runs/)"},
    CLI_TRAIN_TEXT_OPTION(values, train.log_every, "log-every", "N", "Output",
                          "steps between rows of metrics (default: 50 rows an epoch)"),
    CLI_TRAIN_TEXT_OPTION(values, train.checkpoint_every, "checkpoint-every", "N", "Output",
                          "steps between checkpoints (default: an epoch, or a minute if that is "
                          "shorter)"),
    CLI_SERVE_OPTIONS(values, serve),
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    CLI_TRACE_OPTION(values, trace),
    CLI_TRAIN_OPTIONS(values, train),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    cli_train_job        *job;
    double                begin_s, open_s; /* of the command; of opening the trainer */
    cli_train_watch       watch;
    stk_callback          callbacks[3]; /* must outlive the trainer */
    stk_tracer           *tracer;
    cli_train_learning   *learning;
    stk_monitor          *monitor; /* NULL: could not start */
    stk_trainer          *trainer;
    cli_train_live       *live;
    stk_train_result      result;
    cli_train_report      report;
    cli_train_records     records;
    bool                  saved; /* files are being written during the run */
} session;

static int explain(const session *s)
{
    stk_blob  text;
    stk_error err;
    int       code = CLI_EXIT_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    if (stk_train_explain(&s->job->recipe, &s->job->data, &text, &err)) {
        code = cli_train_job_error(s->call, &err);
    } else if (s->values->train.json) {
        cli_json_out json;
        cli_json_out_begin(&json);
        cli_explain_json_train(&json.writer, &s->job->recipe, stk_blob_bytes(&s->job->reasons),
                               stk_blob_bytes(&text));
        code = cli_json_out_end(&json, s->call);
    } else {
        printf("# Decisions\n");
        cli_print_lines(stdout, stk_blob_bytes(&s->job->reasons));
        printf("\n");
        cli_print_lines(stdout, stk_blob_bytes(&text));
    }
    stk_blob_release(&text);
    return code;
}

static void find_idle(session *s)
{
    s->records.idle = s->result.last.step == s->report.first_step;
    s->records.judged = s->result.evaluation_seconds > 0;
}

/* Tries to write every file; false: one failed, which is reported. */
static bool save_all(session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->color);
    const bool      shown = !s->values->train.json && !s->values->train.quiet;
    find_idle(s);
    const bool curve = cli_train_records_curve(&s->records, &style, shown);
    const bool records = cli_train_records_save(&s->records);
    if (s->records.has_profile) s->report.profile = &s->records.profile;
    if (s->records.has_diagnosis) s->report.diagnosis = &s->records.diagnosis;
    const bool tested =
        s->result.interrupted ||
        cli_train_final_run(&s->report.final, s->job, stk_trainer_folder(s->trainer));
    return curve && records && tested;
}

static int exit_code(const session *s, bool saved)
{
    if (s->result.interrupted) return CLI_EXIT_CANCELLED;
    if (saved) return CLI_EXIT_OK;
    fprintf(stderr, "what is missing is written by: stoker train --resume ");
    cli_print_path(stderr, stk_trainer_folder(s->trainer));
    fprintf(stderr, "\n");
    return CLI_EXIT_FAILED;
}

static int print_result(session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->color);
    int             code = CLI_EXIT_OK;
    const bool      saved = save_all(s) && s->saved;
    if (s->values->train.json) {
        cli_json_out json;
        cli_json_out_begin(&json);
        cli_train_report_json(&json.writer, &s->report);
        code = cli_json_out_end(&json, s->call);
    } else {
        cli_train_report_print(&s->report, &style);
    }
    /* After Ctrl-C the advice to resume is always printed: without it the work seems lost. */
    if (!s->values->train.quiet || s->result.interrupted) cli_train_report_hint(&s->report);
    return code ? code : exit_code(s, saved);
}

/* A resumed run does not repeat these steps, so their records are saved now. */
static int fail(session *s, const stk_error *err)
{
    find_idle(s);
    if (s->trainer && !s->records.idle) {
        (void)cli_train_records_curve(&s->records, NULL, false);
        (void)cli_train_records_save(&s->records);
    }
    return cli_train_job_error(s->call, err);
}

static stk_status open_trainer(session *s, stk_error *err)
{
    const stk_trainer_options how = {.resume = s->values->resume != NULL,
                                     .callbacks = s->callbacks,
                                     .callback_count = s->values->train.no_callbacks ? 1 : 3,
                                     .cancel = cli_signals_token(),
                                     .trace = stk_tracer_trace(s->tracer),
                                     .inject = &s->job->inject,
                                     .log = cli_train_watch_log,
                                     .log_context = &s->watch};
    s->callbacks[0] = cli_train_trace_callback(s->tracer);
    s->callbacks[1] = cli_train_watch_callback(&s->watch);
    s->callbacks[2] = cli_train_learning_callback(s->learning);
    if (!s->values->train.quiet) cli_train_plan_begin(s->job);
    s->open_s = cli_seconds_now() - s->begin_s;
    STK_TRY(stk_trainer_open(&s->trainer, &s->job->recipe, &s->job->data, &how, err));
    stk_tracer_follow(s->tracer, stk_trainer_meter(s->trainer));
    STK_TRY(cli_train_learning_follow(s->learning, s->trainer, err));
    if (!s->values->train.quiet) cli_train_plan_end(s->job, s->trainer);
    return STK_OK;
}

/* A failure does not stop the run. */
static void start_monitor(session *s)
{
    const stk_monitor_options how = {.interval_s = 1, .samples = STK_PROFILE_SAMPLES};
    stk_error                 err;
    char                      line[1024];
    if (stk_monitor_start(&s->monitor, &how, &err))
        fprintf(stderr, "stoker train: what the run uses is not watched: %s\n",
                stk_error_line(&err, line, sizeof line));
    s->watch.monitor = s->monitor;
}

static const char *state_after(stk_status st, const stk_train_result *result)
{
    if (st) return "failed";
    return result->interrupted ? "interrupted" : result->stopped_early ? "stopped early" : "done";
}

static int train(session *s)
{
    stk_error  err;
    stk_status st = cli_train_learning_new(&s->learning, &s->job->data, &err);
    if (!st) st = cli_train_live_open(&s->live, &s->values->serve, s->tracer, &err);
    if (!st) st = open_trainer(s, &err);
    if (!st) start_monitor(s);
    const cli_train_shown shown = {s->trainer, s->monitor, s->learning};
    if (!st) st = cli_train_live_follow(s->live, &shown, &err);
    const double begin = cli_seconds_now();
    if (!st) {
        s->report = (cli_train_report){.recipe = &s->job->recipe,
                                       .data = &s->job->data,
                                       .inject = &s->job->inject,
                                       .trainer = s->trainer,
                                       .result = &s->result,
                                       .first_step = stk_trainer_summary(s->trainer).first_step};
        st = stk_trainer_run(s->trainer, &s->result, &err);
    }
    if (s->learning) cli_train_learning_end(s->learning, state_after(st, &s->result));
    cli_train_live_stop(s->live);
    if (s->monitor) stk_monitor_stop(s->monitor);
    cli_train_watch_end(&s->watch);
    s->records.trainer = s->trainer;
    s->records.learning = s->learning;
    s->records.monitor = s->monitor;
    s->saved = !s->trainer || cli_left_out_end(&s->watch.left_out, stk_trainer_folder(s->trainer));
    s->report.left_out = s->watch.left_out.count;
    s->saved = cli_train_trace_end(s->tracer, s->call) && s->saved;
    s->report.wall_seconds = cli_seconds_now() - begin;
    if (s->trainer) s->report.startup = cli_startup_table_of(s->job, s->trainer, s->open_s);
    return st ? fail(s, &err) : print_result(s);
}

/* An explicit number of epochs reopens steps, unless steps are given too. */
static stk_status free_steps(const values *v, stk_train_recipe *recipe, stk_error *err)
{
    const bool epochs = cli_train_flags_name(&v->train, "train.epochs");
    if (!epochs || cli_train_flags_name(&v->train, "train.steps")) return STK_OK;
    return stk_train_recipe_set(recipe, "train.steps", "auto", "--resume", err);
}

/* A run's recipe is complete; flags may change its length and threads. */
static int load_run(const cli_invocation *call, cli_train_job *job)
{
    const values           *v = call->values;
    char                    path[STK_TRAIN_PATH + 32];
    stk_error               err;
    cli_notes               notes = {.command = call->command};
    const stk_params_source source = {.note = cli_notes_print, .context = &notes};
    if (v->train.recipe)
        return cli_report_usage(call->command, "--resume goes on with the run's own recipe",
                                "leave --recipe away");
    snprintf(path, sizeof path, "%s/recipe.yaml", v->resume);
    if (stk_train_recipe_load_from(&job->recipe, NULL, path, &source, &err))
        return cli_report_error(call->command, &err,
                                err.status == STK_E_NOTFOUND ? "--resume takes the folder of a run"
                                                             : NULL);
    job->resumed = true;
    if (stk_train_recipe_set(&job->recipe, "output.folder", v->resume, "--resume", &err) ||
        free_steps(v, &job->recipe, &err))
        return cli_report_error(call->command, &err, NULL);
    return CLI_EXIT_OK;
}

static void print_more(FILE *out, int width)
{
    cli_train_trace_print(out, width);
    cli_train_print_keys(out, width);
}

static int run_job(const cli_invocation *call, cli_train_job *job)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v, .job = job, .begin_s = cli_seconds_now()};
    stk_error     err;
    cli_train_records_init(&s.records);
    int code = v->resume ? load_run(call, job) : CLI_EXIT_OK;
    if (!code)
        code = cli_train_job_prepare(job, call, &v->train,
                                     call->operand_count ? call->operands[0] : NULL);
    if (code) return code;
    if (v->explain) return explain(&s);
    if (job->names_folder && stk_train_claim_folder(&job->recipe, &err))
        return cli_train_job_error(call, &err);
    cli_train_watch_init(&s.watch, job->recipe.data.batch, v->train.quiet);
    code = cli_train_trace_start(&s.tracer, call, v->trace, &job->recipe, job->recipe.output.folder,
                                 true, cli_train_watch_log, &s.watch);
    if (!code) code = train(&s);
    cli_train_final_release(&s.report.final);
    stk_trainer_free(s.trainer);
    stk_monitor_free(s.monitor);
    cli_train_learning_free(s.learning);
    stk_tracer_free(s.tracer);
    cli_train_records_release(&s.records);
    cli_train_watch_release(&s.watch);
    if (code &&
        job->names_folder) /* without a run the claimed folder is removed: it must be empty */
        (void)!stk_path_remove(NULL, job->recipe.output.folder, &err);
    return code;
}

static int run(const cli_invocation *call)
{
    cli_train_job job;
    cli_train_job_init(&job);
    const int code = run_job(call, &job);
    cli_train_job_release(&job);
    return code;
}

const cli_command cli_command_train = {
    .name = "train",
    .summary = "train a network on images; every choice is made unless you make it",
    .operands = "[DATA]",
    .description =
        "Trains a network on the labelled images of DATA (a pack, or any source that 'stoker "
        "pack' takes). No flag is needed: what is not said is decided by the data, and told. The "
        "run "
        "folder gets the recipe, a table of metrics, TensorBoard events, checkpoints and the best "
        "model. Ctrl-C ends with a checkpoint; --resume goes on from it, also after a crash, as if "
        "nothing had happened.",
    .examples = "stoker train photos/\n"
                "stoker train packed/ --model resnet18 --epochs 20 -o runs/first\n"
                "stoker train --recipe recipes/cifar10.yaml packed/ --batch 256\n"
                "stoker train packed/ --set progressive.size_from=0.5 --explain\n"
                "stoker train packed/ --trace steps=20-24,level=2\n"
                "stoker train --resume runs/first\n"
                "stoker train --resume runs/first --epochs 40\n"
                "stoker train --resume runs/first /other/disk/packed",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = print_more,
    .run = run,
};
