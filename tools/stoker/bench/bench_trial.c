/* Interleaved timing of trials. */
#include "bench_trial.h"

#include "bench_resolve.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>

enum { WARMUP = 3, STEPS_MAX = 100000, INPUTS = 4 };

stk_status cli_trial_recipe(cli_trial *trial, const stk_train_recipe *recipe, bool inference,
                            stk_error *err)
{
    *trial = (cli_trial){.recipe = *recipe};
    STK_TRY(cli_bench_resolve(&trial->recipe, 0, err));
    STK_TRY(stk_train_bench_open(&trial->bench, &trial->recipe, NULL,
                                 &(stk_train_bench_options){.inference = inference}, err));
    trial->program = stk_train_bench_program(trial->bench);
    trial->work = (double)trial->recipe.data.batch;
    return STK_OK;
}

/* Zeros would use less GPU power than typical data, and so run faster. */
static stk_status feed(stk_program *program, const char *input, stk_error *err)
{
    stk_dtype dtype;
    stk_shape shape;
    int64_t   count;
    uint32_t  state = 1;
    STK_TRY(stk_program_input_type(program, input, &dtype, &shape, err));
    STK_TRY(stk_shape_count(&shape, &count, err));
    float *data = malloc((size_t)count * sizeof *data);
    if (!data)
        return stk_fail(err, STK_E_NOMEM, "bench", input, "no memory for %lld numbers",
                        (long long)count);
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (float)(state >> 8) / (float)(1 << 23) - 1;
    }
    stk_status st = stk_program_feed(program, input, data, (size_t)count * sizeof *data, err);
    free(data);
    return st;
}

static stk_status compile(cli_trial *trial, const stk_graph *graph, unsigned passes_off,
                          stk_error *err)
{
    static const char *const  inputs[] = {"x", "target"};
    const stk_train_recipe   *r = &trial->recipe;
    const stk_device_options  machine = {.threads = (int)r->knobs.threads,
                                         .cancel = cli_signals_token()};
    const stk_program_options options = {.name = "claim",
                                         .precision = stk_precision_dtype(r->train.precision),
                                         .passes_off = passes_off};
    STK_TRY(stk_graph_check(graph, err));
    STK_TRY(stk_device_open(&trial->device, *r->knobs.backend ? r->knobs.backend : NULL, &machine,
                            err));
    STK_TRY(stk_variables_new(&trial->variables, trial->device, 1, err));
    STK_TRY(stk_program_compile(&trial->program, graph, trial->variables, &options, err));
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        STK_TRY(feed(trial->program, inputs[i], err));
    trial->work = cli_trial_flops(trial);
    return STK_OK;
}

stk_status cli_trial_graph(cli_trial *trial, stk_graph *graph, const stk_train_recipe *recipe,
                           unsigned passes_off, stk_error *err)
{
    *trial = (cli_trial){.recipe = *recipe};
    const stk_status st = compile(trial, graph, passes_off, err);
    stk_graph_free(graph);
    return st;
}

void cli_trial_release(cli_trial *trial)
{
    if (!trial->bench) stk_program_free(trial->program);
    stk_train_bench_free(trial->bench);
    stk_variables_free(trial->variables);
    stk_device_free(trial->device);
    *trial = (cli_trial){0};
}

static stk_status run_steps(cli_trial *trial, int64_t steps, double *seconds, stk_error *err)
{
    const double begin = cli_seconds_now();
    STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
    if (trial->bench) {
        STK_TRY(stk_train_bench_window(trial->bench, steps, err));
    } else {
        for (int64_t i = 0; i < steps; i++)
            STK_TRY(stk_program_run(trial->program, NULL, err));
        stk_device_synchronize(trial->device);
    }
    *seconds = cli_seconds_now() - begin;
    return STK_OK;
}

static stk_status warm_up(cli_trial *trial, double window, stk_error *err)
{
    double seconds = 0;
    for (int i = 0; i < WARMUP; i++)
        STK_TRY(run_steps(trial, 1, &seconds, err));
    STK_TRY(run_steps(trial, WARMUP, &seconds, err));
    const double steps = seconds > 0 ? window * WARMUP / seconds : STEPS_MAX;
    trial->steps = steps < 1 ? 1 : steps > STEPS_MAX ? STEPS_MAX : (int64_t)steps;
    trial->windows = 0;
    return STK_OK;
}

stk_status cli_trials_run(cli_trial *const *trials, size_t count, size_t windows, double seconds,
                          stk_error *err)
{
    double took;
    for (size_t t = 0; t < count; t++)
        STK_TRY(warm_up(trials[t], seconds, err));
    for (size_t w = 0; w < windows && w < CLI_TRIAL_WINDOWS; w++)
        for (size_t t = 0; t < count; t++) {
            cli_trial *trial = trials[t];
            STK_TRY(run_steps(trial, trial->steps, &took, err));
            trial->rate[trial->windows++] = (double)trial->steps * trial->work / took;
        }
    return STK_OK;
}

cli_spread cli_trial_rate(const cli_trial *trial)
{
    double rates[CLI_TRIAL_WINDOWS];
    memcpy(rates, trial->rate, sizeof rates);
    return cli_spread_of(rates, trial->windows);
}

cli_spread cli_trial_ratio(const cli_trial *trial, const cli_trial *before)
{
    double ratios[CLI_TRIAL_WINDOWS];
    for (size_t i = 0; i < trial->windows; i++)
        ratios[i] = trial->rate[i] / before->rate[i];
    return cli_spread_of(ratios, trial->windows);
}

double cli_trial_flops(const cli_trial *trial)
{
    double flops = 0;
    for (size_t i = 0; i < stk_program_instruction_count(trial->program); i++)
        flops += stk_program_instruction_at(trial->program, i).flops;
    return flops;
}
