/* Times are per step: exposed is the training thread's time, busy that of the stage's threads. */
#include "stage_table.h"

#include "format.h"
#include "table.h"

static const char *name_of(int stage)
{
    return stage == STK_STAGE_NONE ? "loop" : stk_stage_name((stk_stage)stage);
}

static double fraction_of(const stk_profile *p, int stage)
{
    return p->measured_ns > 0 ? p->stages[stage].exposed_ns / p->measured_ns : 0;
}

static double ms_a_step(const stk_profile *p, double ns)
{
    return p->steps > 0 ? ns / p->steps * 1e-6 : 0;
}

/* Three digits. */
static const char *format_ms(char text[CLI_FORMAT_CAPACITY], double ms)
{
    snprintf(text, CLI_FORMAT_CAPACITY, ms < 1000 ? "%.3g ms" : "%.0f ms", ms);
    return text;
}

static void add_ms(cli_table *table, double ms)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, format_ms(text, ms));
}

static void add_row(cli_table *table, const stk_profile *p, int stage)
{
    const stk_profile_stage *s = &p->stages[stage];
    const double             seconds = p->measured_ns * 1e-9;
    char                     text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, name_of(stage));
    add_ms(table, ms_a_step(p, s->exposed_ns));
    snprintf(text, sizeof text, "%.1f %%", 100 * fraction_of(p, stage));
    cli_table_add(table, text);
    add_ms(table, ms_a_step(p, s->busy_ns));
    cli_table_add(table, s->bytes > 0 ? cli_format_rate(text, (uint64_t)s->bytes, seconds) : "");
}

void cli_stage_table_print(const stk_profile *profile, const cli_style *style)
{
    static const char *const heading[] = {"stage", "exposed", "", "busy", "moved"};
    cli_table                table;
    char                     a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    if (profile->steps < 1) return;
    printf("%sa step%s takes %s (%s measured after warm-up)\n", style->bold, style->plain,
           format_ms(a, ms_a_step(profile, profile->measured_ns)),
           cli_format_count(b, (uint64_t)profile->steps));
    cli_table_init(&table, "frrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        if (s == STK_STAGE_COMPUTE || fraction_of(profile, s) > 0.01) add_row(&table, profile, s);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

/* Omits unknown values. */
static void write_known(stk_json_writer *json, const char *key, double ns)
{
    if (ns >= 0) stk_json_pair_double(json, key, ns * 1e-9);
}

static void write_stage(stk_json_writer *json, const stk_profile *p, int stage)
{
    const stk_profile_stage *s = &p->stages[stage];
    const double             seconds = p->measured_ns * 1e-9;
    stk_json_object(json);
    stk_json_pair_string(json, "stage", name_of(stage));
    stk_json_pair_double(json, "exposed_ms", ms_a_step(p, s->exposed_ns));
    stk_json_pair_double(json, "share", fraction_of(p, stage));
    stk_json_pair_double(json, "busy_ms", ms_a_step(p, s->busy_ns));
    stk_json_pair_double(json, "items_per_s", seconds > 0 ? s->items / seconds : 0);
    stk_json_pair_double(json, "mb_per_s", seconds > 0 ? s->bytes / seconds * 1e-6 : 0);
    stk_json_pair_double(json, "starved_s", s->starved_ns * 1e-9);
    stk_json_pair_double(json, "blocked_s", s->blocked_ns * 1e-9);
    write_known(json, "cpu_s", s->cpu_ns);
    write_known(json, "runnable_s", s->runnable_ns);
    write_known(json, "io_s", s->io_ns);
    stk_json_object_end(json);
}

void cli_stage_table_json(stk_json_writer *json, const stk_profile *profile)
{
    stk_json_key(json, "measured");
    stk_json_object(json);
    stk_json_pair_double(json, "steps", profile->steps);
    stk_json_pair_double(json, "seconds", profile->measured_ns * 1e-9);
    stk_json_pair_double(json, "step_ms", ms_a_step(profile, profile->measured_ns));
    stk_json_object_end(json);
    stk_json_key(json, "stages");
    stk_json_array(json);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        write_stage(json, profile, s);
    stk_json_array_end(json);
}
