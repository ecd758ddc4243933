/* stoker tune --replay: the start and the result of a ledger, measured once more. */
#include "tune_replay.h"

#include "json_out.h"
#include "signals.h"
#include "tune_gain.h"

static const char *verdict(const stk_tune_replay *r)
{
    if (r->gain.low > 0) return "faster is shown again";
    return r->gain.high < 0 ? "it is slower here" : "neither faster nor slower is shown";
}

static void print_text(const stk_tune_replay *r)
{
    char was[CLI_GAIN_CAPACITY], now[CLI_GAIN_CAPACITY], base[CLI_GAIN_CAPACITY],
        best[CLI_GAIN_CAPACITY];
    printf("recorded  %s on %s\n", cli_gain_interval(was, r->report.gain), r->report.host);
    printf("now       %s: %s to %s %s/s, %zu observations%s\n", cli_gain_interval(now, r->gain),
           cli_tune_rate(base, r->base_rate), cli_tune_rate(best, r->best_rate), r->report.unit,
           r->observations, r->same_machine ? "" : ", on another machine");
    printf("%s\n", verdict(r));
}

static void write_gain(stk_json_writer *json, const char *key, const stk_estimate *gain)
{
    stk_json_key(json, key);
    stk_json_object(json);
    stk_json_pair_double(json, "value", gain->value);
    stk_json_pair_double(json, "low", gain->low);
    stk_json_pair_double(json, "high", gain->high);
    stk_json_object_end(json);
}

static int print_json(const cli_invocation *call, const stk_tune_replay *r)
{
    cli_json_out           out;
    stk_json_writer *const json = &out.writer;
    cli_json_out_begin(&out);
    stk_json_object(json);
    write_gain(json, "recorded", &r->report.gain);
    write_gain(json, "now", &r->gain);
    stk_json_pair_double(json, "base_rate", r->base_rate);
    stk_json_pair_double(json, "best_rate", r->best_rate);
    stk_json_pair_uint(json, "observations", r->observations);
    stk_json_pair_bool(json, "same_machine", r->same_machine);
    stk_json_pair_string(json, "verdict", verdict(r));
    stk_json_object_end(json);
    return cli_json_out_end(&out, call);
}

int cli_tune_replay(const cli_invocation *call, const char *path, const stk_tune_options *options,
                    bool json)
{
    stk_tune_replay replay;
    stk_error       err;
    int             code = CLI_EXIT_OK;
    cli_notice_begin("measuring the start and the result of the ledger ...");
    const stk_status st = stk_tune_replay_run(&replay, path, options, &err);
    cli_notice_end();
    if (st)
        code = cli_report_error(call->command, &err, NULL);
    else if (json)
        code = print_json(call, &replay);
    else
        print_text(&replay);
    stk_tune_replay_release(&replay);
    return code;
}
