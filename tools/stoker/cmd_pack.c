/* stoker pack: any source to sharded TFRecords. */
#include "command.h"
#include "format.h"
#include "left_out_json.h"
#include "model_images.h"
#include "progress.h"
#include "signals.h"
#include "source_kinds.h"
#include "split_list.h"
#include "text.h"

#include <stoker/json.h>
#include <stoker/pack.h>
#include <stoker/trace_file.h>
#include <string.h>

typedef struct values {
    cli_common_values common;
    const char       *name, *splits, *kind, *compression, *trace, *format, *on_bad;
    uint64_t          shard_bytes;
    bool              keep_order, restart, seekable, no_seekable, follow_outside;
    int64_t           seed, resize, quality;
} values;

static const values defaults = {
    .shard_bytes = 100000000, .format = "seekable", .on_bad = "fail", .quality = 95};

static const char *compression_choice(size_t index)
{
    return index < 4 ? stk_compression_name((stk_compression)(STK_COMPRESSION_NONE + index)) : NULL;
}

static const char *format_choice(size_t index)
{
    return index < STK_PACK_FORMATS ? stk_pack_format_name((stk_pack_format)index) : NULL;
}

static const char *on_bad_choice(size_t index)
{
    return index < STK_PACK_ON_BADS ? stk_pack_on_bad_name((stk_pack_on_bad)index) : NULL;
}

/* Index of word among the choices, which contain it. */
static size_t chosen(const char *(*choice)(size_t index), const char *word)
{
    size_t index = 0;
    while (strcmp(choice(index), word) != 0)
        index++;
    return index;
}

static const cli_option options[] = {
    {CLI_OPTION(values, name, "name", TEXT, "NAME"), .group = "Output",
     .help = "name of the data set (default: OUT's last component)"},
    {CLI_OPTION(values, shard_bytes, "shard-mb", SIZE_MB, "N"), .least = 0.001, .most = 1e6,
     .group = "Output", .help = "size of a shard to aim at, in MB (default 100)"},
    {CLI_OPTION(values, splits, "splits", TEXT, "LIST"), .group = "Output",
     .help = "split anew, such as train=0.9,test=0.1 (default: the splits of SOURCE)"},
    {CLI_OPTION(values, compression, "compression", CHOICE, "CODEC"), .choice = compression_choice,
     .group = "Output",
     .help = "of the shards: none, gzip, zlib, zstd (default none: images are compressed already, "
             "and only plain shards can be read in any order)"},
    {CLI_OPTION(values, keep_order, "keep-order", FLAG, NULL), .group = "Output",
     .help = "keep the order of SOURCE (default: shuffle each split once)"},
    {CLI_OPTION(values, seed, "seed", INTEGER, "N"), .least = 0, .most = 9.3e18, .group = "Output",
     .help = "of the shuffle and the splits; the same seed gives the same bytes (default 0)"},
    {CLI_OPTION(values, format, "format", CHOICE, "FORMAT"), .choice = format_choice,
     .group = "Images",
     .help = "seekable: JPEGs are written so that crops are decoded quickly, with the same pixels; "
             "keep: the bytes of SOURCE; jpeg: other images become JPEGs, too; raw: pixels; auto: "
             "raw up to 64x64 pixels, else jpeg (default seekable)"},
    {CLI_OPTION(values, seekable, "seekable", FLAG, NULL), .group = "Images",
     .help = "write JPEGs so that crops are decoded quickly (done without being asked, too)"},
    {CLI_OPTION(values, no_seekable, "no-seekable", FLAG, NULL), .group = "Images",
     .help = "leave JPEGs as they are or as they are encoded"},
    {CLI_OPTION(values, resize, "resize", INTEGER, "N"), .least = 1, .most = 65535,
     .group = "Images",
     .help = "make larger images N pixels on their short side, once, as JPEGs or raw"},
    {CLI_OPTION(values, quality, "quality", INTEGER, "N"), .least = 1, .most = 100,
     .group = "Images", .help = "of JPEGs that are encoded (default 95)"},
    {CLI_OPTION(values, on_bad, "on-bad", CHOICE, "WHAT"), .choice = on_bad_choice,
     .group = "Images",
     .help = "damaged images: fail, keep them as they are, or skip them; OUT/bad_items.txt lists "
             "them. skip also leaves out links to nothing, links that lead back up, and what may "
             "not be read (default fail)"},
    {CLI_OPTION(values, kind, "kind", CHOICE, "KIND"), .choice = cli_source_kind_choice,
     .group = "Running", .help = "what SOURCE is (default: found out by looking)"},
    CLI_FOLLOW_OUTSIDE_OPTION(values, follow_outside, "Running"),
    {CLI_OPTION(values, restart, "restart", FLAG, NULL), .group = "Running",
     .help = "throw away an unfinished run of other content or flags"},
    {CLI_OPTION(values, trace, "trace", FILE, "FILE"), .group = "Running",
     .help = "write what each thread did when to FILE (opens in Perfetto, chrome://tracing)"},
    CLI_COMMON_OPTIONS(values, common),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    const char           *source_path, *out_path;
    cli_split_list        splits;
    stk_ledger           *ledger;
    stk_trace            *trace;
    stk_source           *source;
    cli_progress          progress;
} session;

static void show_progress(void *context, const stk_pack_progress *at)
{
    cli_progress_update(context, at->bytes_done, at->bytes_total, at->items_done, at->items_total);
}

static bool is_bad_image(const stk_error *err)
{
    const bool image = strcmp(err->component, "jpeg") == 0 || strcmp(err->component, "decode") == 0;
    return image && (err->status == STK_E_DATALOSS || err->status == STK_E_FORMAT ||
                     err->status == STK_E_UNSUPPORTED || err->status == STK_E_LIMIT);
}

static const char *advise(const stk_error *err)
{
    if (is_bad_image(err))
        return "--on-bad keep stores damaged images as they are, --on-bad skip leaves them out; "
               "finished shards are kept";
    switch (err->status) {
    case STK_E_CANCELLED:
        return "finished shards are kept; run the same command again to continue";
    case STK_E_NOSPACE:
        return "finished shards are kept; make room, then run the same command again";
    case STK_E_FORMAT: /* other components describe their input themselves */
        return strcmp(err->component, "source") ? NULL : "--kind says what SOURCE is";
    case STK_E_CEILING:
        return "--memory-mb raises the limit; smaller --shard-mb or fewer --threads need less";
    default:
        return NULL;
    }
}

static int fail(const session *s, const stk_error *err)
{
    return cli_report_error(s->call->command, err, advise(err));
}

static stk_status list_source(session *s, stk_error *err)
{
    const stk_source_options source_options = {
        .kind = s->values->kind,
        .ledger = s->ledger,
        .cancel = cli_signals_token(),
        .skip_bad = !strcmp(s->values->on_bad, stk_pack_on_bad_name(STK_PACK_BAD_SKIPPED)),
        .follow_outside = s->values->follow_outside};
    char note[300], shown[250];
    cli_text_fit(shown, sizeof shown, s->source_path, 200);
    snprintf(note, sizeof note, "listing %s ...", shown);
    if (!s->values->common.quiet) cli_notice_begin(note);
    const stk_status st = stk_source_open(&s->source, NULL, s->source_path, &source_options, err);
    cli_notice_end();
    return st;
}

static stk_status pack(session *s, stk_pack_result *result, stk_error *err)
{
    const values    *v = s->values;
    stk_pack_options pack_options = {
        .name = v->name,
        .shard_bytes = v->shard_bytes,
        .keep_order = v->keep_order,
        .seed = (uint64_t)v->seed,
        .splits = s->splits.splits,
        .split_count = s->splits.count,
        .images = {.format = (stk_pack_format)chosen(format_choice, v->format),
                   .no_restarts = v->no_seekable,
                   .resize = (int32_t)v->resize,
                   .quality = (int)v->quality,
                   .on_bad = (stk_pack_on_bad)chosen(on_bad_choice, v->on_bad)},
        .threads = (int)v->common.threads,
        .restart = v->restart,
        .ledger = s->ledger,
        .cancel = cli_signals_token(),
        .trace = s->trace,
        .progress = show_progress,
        .progress_context = &s->progress,
    };
    const char *codec;
    for (size_t i = 0; v->compression && (codec = compression_choice(i)) != NULL; i++)
        if (!strcmp(codec, v->compression))
            pack_options.compression = (stk_compression)(STK_COMPRESSION_NONE + i);
    cli_progress_begin(&s->progress, "packing", v->common.quiet);
    const stk_status st = stk_pack(s->source, s->out_path, &pack_options, result, err);
    cli_progress_end(&s->progress);
    return st;
}

/* Creates the trace file early, so that a bad path fails now instead of after hours. Leaves
 * nothing. */
static stk_status try_trace(const session *s, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_create(&out, NULL, s->values->trace, err));
    stk_output_close(out);
    return STK_OK;
}

static stk_status write_trace(const session *s, stk_error *err)
{
    return stk_trace_write(s->trace, NULL, s->values->trace, NULL, NULL, err);
}

static void print_images(const stk_pack_result *result)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY],
        d[CLI_FORMAT_CAPACITY];
    const double before = (double)result->image_bytes_in;
    if (!result->image_bytes_in) return;
    printf("  images: %s made seekable, %s encoded anew", cli_format_count(a, result->seekable),
           cli_format_count(b, result->encoded));
    if (result->converted)
        printf(", %s TIFF or PNM turned into PNG", cli_format_count(a, result->converted));
    printf("; %s became %s (%+.1f %%)\n", cli_format_bytes(c, result->image_bytes_in),
           cli_format_bytes(d, result->image_bytes_out),
           100 * ((double)result->image_bytes_out - before) / before);
}

static void print_bad(const session *s, const stk_pack_result *result)
{
    char           a[CLI_FORMAT_CAPACITY];
    const uint64_t bad = result->bad_kept + result->bad_skipped;
    if (!bad) return;
    printf("  %s bad image%s %s: see ", cli_format_count(a, bad), bad == 1 ? "" : "s",
           result->bad_kept ? "kept" : "skipped");
    cli_text_print(stdout, s->out_path);
    printf("/bad_items.txt\n");
}

static void print_left_out(const session *s)
{
    char text[600];
    stk_source_left_out_text(s->source, text, sizeof text);
    if (!*text) return;
    printf("  left out: ");
    cli_text_print(stdout, text);
    printf("\n");
}

static void print_notes(const session *s)
{
    const char *note = NULL;
    while ((note = stk_source_next_note(s->source, note))) {
        printf("  ");
        cli_text_print(stdout, note);
        printf("\n");
    }
}

static void print_text(const session *s, const stk_pack_result *result, double seconds)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY],
        d[CLI_FORMAT_CAPACITY];
    if (result->already_done) {
        cli_text_print(stdout, s->out_path);
        printf(": holds this pack already, nothing to do\n");
        return;
    }
    printf("packed %s item%s into ", cli_format_count(a, result->items),
           result->items == 1 ? "" : "s");
    cli_text_print(stdout, s->out_path);
    printf("\n  %s split%s, %s shard%s", cli_format_count(a, result->splits),
           result->splits == 1 ? "" : "s", cli_format_count(b, result->shards),
           result->shards == 1 ? "" : "s");
    if (result->shards_kept)
        printf(", %s of them kept from an earlier run", cli_format_count(a, result->shards_kept));
    printf("\n  %s read, %s written, %s", cli_format_bytes(a, result->bytes_in),
           cli_format_bytes(b, result->bytes_out), cli_format_duration(c, seconds));
    /* Shards of an earlier run do not count for this one's speed. */
    if (!result->shards_kept) printf(", %s", cli_format_rate(d, result->bytes_in, seconds));
    printf("\n");
    print_images(result);
    print_bad(s, result);
    print_left_out(s);
    print_notes(s);
}

static void write_notes(stk_json_writer *json, const stk_source *source)
{
    const char *note = NULL;
    stk_json_key(json, "notes");
    stk_json_array(json);
    while ((note = stk_source_next_note(source, note)))
        stk_json_string(json, note);
    stk_json_array_end(json);
}

static stk_status print_json(const session *s, const stk_pack_result *result, double seconds,
                             stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "source", s->source_path);
    stk_json_pair_string(&json, "kind", stk_source_kind_name(s->source));
    stk_json_pair_string(&json, "out", s->out_path);
    write_notes(&json, s->source);
    stk_json_pair_uint(&json, "items", result->items);
    stk_json_pair_uint(&json, "splits", result->splits);
    stk_json_pair_uint(&json, "shards", result->shards);
    stk_json_pair_uint(&json, "shards_kept", result->shards_kept);
    stk_json_pair_uint(&json, "bytes_in", result->bytes_in);
    stk_json_pair_uint(&json, "bytes_out", result->bytes_out);
    stk_json_pair_uint(&json, "image_bytes_in", result->image_bytes_in);
    stk_json_pair_uint(&json, "image_bytes_out", result->image_bytes_out);
    stk_json_pair_uint(&json, "images_seekable", result->seekable);
    stk_json_pair_uint(&json, "images_encoded", result->encoded);
    stk_json_pair_uint(&json, "images_converted", result->converted);
    stk_json_pair_uint(&json, "bad_kept", result->bad_kept);
    stk_json_pair_uint(&json, "bad_skipped", result->bad_skipped);
    stk_json_pair_double(&json, "seconds", seconds);
    stk_json_pair_bool(&json, "already_done", result->already_done);
    cli_left_out_write_json(&json, s->source);
    stk_json_object_end(&json);
    const stk_status st = stk_json_end(&json, err);
    fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

static void print_hint(const char *out_path)
{
    fprintf(stderr, "next: stoker inspect ");
    cli_print_path(stderr, out_path);
    fprintf(stderr, "\n");
}

static int run_session(session *s)
{
    stk_pack_result result = {0};
    stk_error       err, trace_err;
    if (stk_ledger_new(&s->ledger, s->values->common.memory_bytes, &err)) return fail(s, &err);
    if (s->values->trace && try_trace(s, &err)) return fail(s, &err);
    if (s->values->trace && stk_trace_new(&s->trace, NULL, &err)) return fail(s, &err);
    if (list_source(s, &err)) return fail(s, &err);
    int          code = pack(s, &result, &err) ? fail(s, &err) : CLI_EXIT_OK;
    const double seconds = cli_progress_seconds(&s->progress);
    /* The trace of a failed run shows where it stopped. */
    if (s->trace && write_trace(s, &trace_err)) {
        const int failed = fail(s, &trace_err);
        if (!code) code = failed;
    }
    if (code) return code;
    if (s->values->common.json) return print_json(s, &result, seconds, &err) ? fail(s, &err) : 0;
    print_text(s, &result, seconds);
    fflush(stdout); /* the hint follows the result even if both go to one file */
    if (!s->values->common.quiet) print_hint(s->out_path);
    return CLI_EXIT_OK;
}

/* Two contradicting flags; NULL: none. */
static const char *find_contradiction(const values *v)
{
    const bool keep = !strcmp(v->format, "keep"), raw = !strcmp(v->format, "raw");
    if (v->resize && keep) return "--resize: --format keep keeps images as they are";
    if (v->seekable && v->no_seekable) return "--seekable: --no-seekable says the contrary";
    if (v->seekable && keep) return "--seekable: --format keep keeps images as they are";
    if (v->seekable && raw) return "--seekable: --format raw stores pixels";
    return NULL;
}

static int run(const cli_invocation *call)
{
    session s = {.call = call,
                 .values = call->values,
                 .source_path = call->operands[0],
                 .out_path = call->operands[1]};
    char    why[200], message[CLI_OPTION_MESSAGE];
    if (s.values->splits && !cli_split_list_parse(&s.splits, s.values->splits, why, sizeof why)) {
        snprintf(message, sizeof message, "--splits: %s", why);
        return cli_report_usage(call->command, message,
                                "an example: --splits train=0.8,validation=0.1,test=0.1");
    }
    const char *contradiction = find_contradiction(s.values);
    if (contradiction)
        return cli_report_usage(call->command, contradiction, "leave out one of the two");
    const int code = run_session(&s);
    stk_source_free(s.source);
    stk_trace_free(s.trace);
    stk_ledger_unref(s.ledger);
    return code;
}

const cli_command cli_command_pack = {
    .name = "pack",
    .summary = "turn any source into sharded TFRecords",
    .operands = "SOURCE OUT",
    .description =
        "Packs every item of SOURCE into TFRecord shards in the folder OUT, with the "
        "dataset_info.json, features.json and label files of TensorFlow Datasets beside them. The "
        "folder appears, whole, at the end. A run that was stopped is continued by the same "
        "command; the result has the same bytes as one uninterrupted run.",
    .examples = "stoker pack photos/ packed/\n"
                "stoker pack photos/ packed/ --splits train=0.9,test=0.1 --seed 7\n"
                "stoker pack photos/ small/ --resize 256 --on-bad skip\n"
                "stoker pack fashion-mnist/ packed/fashion --shard-mb 20\n"
                "stoker pack images.tar packed/ --name birds --json",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_source_kinds_print,
    .run = run,
};
