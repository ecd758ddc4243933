/* Bases on disk: JSON that people may read, and programs may check. */
#include "bench_gate.h"
#include "yardstick.h"

#include <math.h>
#include <stoker/filesystem.h>
#include <string.h>

/* Another yardstick is another version: its rates cannot be compared with those of this one. */
enum { VERSION = 1 };

static const char     format[] = "stoker bench base";
static const uint64_t most_bytes = 1 << 20;

static void write_facts(stk_json_writer *json, const cli_gate_record *r)
{
    stk_json_key(json, "measured");
    stk_json_object(json);
    for (size_t i = 0; i < r->fact_count; i++)
        stk_json_pair_string(json, r->facts[i].name, r->facts[i].value);
    stk_json_object_end(json);
}

static void write_machine(stk_json_writer *json, const cli_gate_record *r)
{
    stk_json_key(json, "machine");
    stk_json_object(json);
    stk_json_pair_string(json, "host", r->host);
    stk_json_pair_string(json, "processor", r->processor);
    stk_json_pair_int(json, "cores", r->cores);
    stk_json_pair_string(json, "device", r->device);
    stk_json_object_end(json);
}

static void write_rounds(stk_json_writer *json, const cli_gate_record *r)
{
    stk_json_key(json, "rounds");
    stk_json_array(json);
    for (size_t i = 0; i < r->round_count; i++) {
        stk_json_object(json);
        stk_json_pair_double(json, "rate", r->rounds[i].rate);
        for (int y = 0; y < STK_RATE_YARDSTICKS; y++)
            stk_json_pair_double(json, cli_yardstick_name(y), r->rounds[i].yardstick[y]);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void cli_gate_write(stk_json_writer *json, const cli_gate_record *r)
{
    stk_json_pair_string(json, "bench", r->bench);
    stk_json_pair_string(json, "unit", r->unit);
    write_facts(json, r);
    write_machine(json, r);
    stk_json_pair_string(json, "version", r->version);
    stk_json_pair_string(json, "time", r->time);
    write_rounds(json, r);
}

stk_status cli_gate_save(const cli_gate_record *record, const char *path, stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "format", format);
    stk_json_pair_int(&json, "format_version", VERSION);
    cli_gate_write(&json, record);
    stk_json_object_end(&json);
    stk_status st = stk_json_end(&json, err);
    if (!st) st = stk_file_write_all(NULL, path, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    return st;
}

static stk_status lacks(const char *path, const char *key, stk_error *err)
{
    return stk_fail(err, STK_E_FORMAT, "bench", path,
                    "is damaged: it has no \"%s\", or one that is too long or of another type; "
                    "make it anew with --save",
                    key);
}

static stk_status read_text(char *to, size_t capacity, const stk_json_value *in, const char *key,
                            const char *path, stk_error *err)
{
    const char *text = stk_json_text(stk_json_get(in, key), NULL);
    if (!text || strlen(text) >= capacity) return lacks(path, key, err);
    memcpy(to, text, strlen(text) + 1);
    return STK_OK;
}

static stk_status read_facts(cli_gate_record *r, const stk_json_value *root, const char *path,
                             stk_error *err)
{
    const stk_json_value *facts = stk_json_get(root, "measured");
    if (stk_json_type_of(facts) != STK_JSON_OBJECT || stk_json_count(facts) > CLI_GATE_FACTS)
        return lacks(path, "measured", err);
    for (; r->fact_count < stk_json_count(facts); r->fact_count++) {
        cli_gate_fact *fact = &r->facts[r->fact_count];
        const char    *key = stk_json_key_at(facts, r->fact_count);
        if (!key || strlen(key) >= sizeof fact->name) return lacks(path, "measured", err);
        memcpy(fact->name, key, strlen(key) + 1);
        STK_TRY(read_text(fact->value, sizeof fact->value, facts, key, path, err));
    }
    return STK_OK;
}

static stk_status read_machine(cli_gate_record *r, const stk_json_value *root, const char *path,
                               stk_error *err)
{
    const stk_json_value *machine = stk_json_get(root, "machine");
    const int64_t         cores = stk_json_integer(stk_json_get(machine, "cores"), -1);
    if (cores < 0 || cores > INT32_MAX) return lacks(path, "cores", err);
    r->cores = (int)cores;
    STK_TRY(read_text(r->host, sizeof r->host, machine, "host", path, err));
    STK_TRY(read_text(r->processor, sizeof r->processor, machine, "processor", path, err));
    return read_text(r->device, sizeof r->device, machine, "device", path, err);
}

static stk_status read_rounds(cli_gate_record *r, const stk_json_value *root, const char *path,
                              stk_error *err)
{
    const stk_json_value *rounds = stk_json_get(root, "rounds");
    if (stk_json_type_of(rounds) != STK_JSON_ARRAY || stk_json_count(rounds) > CLI_GATE_ROUNDS_MAX)
        return lacks(path, "rounds", err);
    for (; r->round_count < stk_json_count(rounds); r->round_count++) {
        const stk_json_value *one = stk_json_at(rounds, r->round_count);
        stk_rate_round       *to = &r->rounds[r->round_count];
        to->rate = stk_json_number(stk_json_get(one, "rate"), NAN);
        for (int y = 0; y < STK_RATE_YARDSTICKS; y++)
            to->yardstick[y] = stk_json_number(stk_json_get(one, cli_yardstick_name(y)), NAN);
    }
    return STK_OK;
}

static stk_status read_format(const stk_json_value *root, const char *path, stk_error *err)
{
    const char   *what = stk_json_text(stk_json_get(root, "format"), NULL);
    const int64_t version = stk_json_integer(stk_json_get(root, "format_version"), -1);
    if (!what || strcmp(what, format) != 0)
        return stk_fail(err, STK_E_FORMAT, "bench", path,
                        "is no base: a file that 'stoker bench ... --save' wrote has \"format\": "
                        "\"%s\"",
                        format);
    if (version != VERSION)
        return stk_fail(err, STK_E_UNSUPPORTED, "bench", path,
                        "is a base of format version %lld, this program has %d: their yardsticks "
                        "are not the same; make it anew with --save",
                        (long long)version, VERSION);
    return STK_OK;
}

/* Rounds are checked by comparing them with themselves. */
static stk_status check_rounds(const cli_gate_record *r, const char *path, stk_error *err)
{
    stk_rate_comparison unused;
    const stk_status    st = stk_rate_compare(&unused, r->rounds, r->round_count, r->rounds,
                                              r->round_count, 1, true, err);
    if (!st) return STK_OK;
    char what[sizeof err->message];
    memcpy(what, err->message, sizeof what);
    return stk_fail(err, STK_E_FORMAT, "bench", path, "is damaged: %.400s", what);
}

static stk_status read(cli_gate_record *r, const stk_json_value *root, const char *path,
                       stk_error *err)
{
    STK_TRY(read_format(root, path, err));
    STK_TRY(read_text(r->bench, sizeof r->bench, root, "bench", path, err));
    STK_TRY(read_text(r->unit, sizeof r->unit, root, "unit", path, err));
    STK_TRY(read_text(r->version, sizeof r->version, root, "version", path, err));
    STK_TRY(read_text(r->time, sizeof r->time, root, "time", path, err));
    STK_TRY(read_facts(r, root, path, err));
    STK_TRY(read_machine(r, root, path, err));
    STK_TRY(read_rounds(r, root, path, err));
    return check_rounds(r, path, err);
}

stk_status cli_gate_load(cli_gate_record *record, const char *path, stk_error *err)
{
    stk_blob           text;
    stk_json_document *doc = NULL;
    *record = (cli_gate_record){0};
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, path, 0, most_bytes, &text, err);
    if (!st) st = stk_json_parse(&doc, stk_blob_bytes(&text), path, err);
    if (!st) st = read(record, stk_json_root(doc), path, err);
    stk_json_document_free(doc);
    stk_blob_release(&text);
    return st;
}
