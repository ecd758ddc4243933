/* stoker replay: reproduces one sample exactly as a run saw it. */
#include "class_names.h"
#include "command.h"
#include "find_sample.h"
#include "packed_name.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

typedef struct values {
    cli_common_values common;
    cli_image_values  images;
    int64_t           seed, epoch, index;
    const char       *out;
} values;

static const values defaults = {.seed = 1, .index = -1, .out = "replay.png"};

static const cli_option options[] = {
    CLI_IMAGE_OPTIONS(values, images),
    {CLI_OPTION(values, seed, "seed", INTEGER, "N"), .least = 1, .most = 9.3e18,
     .group = "Which sample", .help = "seed of the iterator that gave it (default 1)"},
    {CLI_OPTION(values, epoch, "epoch", INTEGER, "N"), .least = 0, .most = 1e9,
     .group = "Which sample", .help = "pass over the data, counted from 0 (default 0)"},
    {CLI_OPTION(values, index, "index", INTEGER, "N"), .least = 0, .most = 9.2e18,
     .group = "Which sample",
     .help = "its number among all that the iterator gave, from 0, where it is known: then nothing "
             "is searched, and SAMPLE need not be given"},
    {CLI_OPTION(values, out, "out", FILE, "FILE"), .letter = 'o', .group = "Output",
     .help = "PNG to write (default replay.png)"},
    CLI_COMMON_OPTIONS(values, common),
};

/* The sample found. */
typedef struct finding {
    stk_element *element;
    stk_pixels   pixels;
    uint64_t     index;
    char         name[200], file_name[200], class_name[100];
} finding;

static cli_sample_run run_of(const values *v)
{
    return (cli_sample_run){(uint64_t)v->seed, (int)v->common.threads, v->common.memory_bytes};
}

/* Runs only element index of the stream through the functions. */
static stk_status run_one(finding *f, const char *path, const values *v, stk_error *err)
{
    const cli_sample_run how = run_of(v);
    stk_dataset         *data;
    stk_iterator        *it = NULL;
    STK_TRY(cli_images_open(&data, path, &v->images, STK_AUTO, -1, err));
    stk_status st = cli_images_prepare(&data, &v->images, err);
    if (!st) st = cli_sample_start(&it, data, &how, f->index, err);
    if (!st) st = stk_iterator_next(it, &f->element, err);
    if (!st && !f->element)
        st = stk_fail(err, STK_E_NOTFOUND, "images", path, "it holds no images");
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

static stk_status replay(const cli_invocation *call, finding *f, stk_error *err)
{
    const values        *v = call->values;
    const cli_sample_run how = run_of(v);
    const char          *path = call->operands[0];
    cli_class_names      names;
    cli_sample_wanted    wanted = {.epoch = (uint64_t)v->epoch};
    if (call->operand_count > 1) cli_sample_wanted_parse(&wanted, call->operands[1]);
    f->index = (uint64_t)v->index;
    if (v->index < 0) STK_TRY(cli_sample_find(&f->index, path, &v->images, &how, &wanted, err));
    STK_TRY(run_one(f, path, v, err));
    STK_TRY(cli_images_pixels(&f->pixels, f->element, err));
    STK_TRY(cli_packed_name(f->element, v->common.memory_bytes, f->file_name, sizeof f->file_name,
                            err));
    const stk_status st = cli_class_names_load(&names, path, v->images.follow_outside, err);
    cli_class_name(&names, cli_images_label(f->element), f->class_name, sizeof f->class_name);
    cli_sample_name(f->element, f->name, sizeof f->name);
    cli_class_names_release(&names);
    return st;
}

static stk_status save(const values *v, const finding *f, stk_error *err)
{
    stk_blob png;
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_image_write_png(&png, &f->pixels, err);
    if (!st) st = cli_images_save(v->out, stk_blob_bytes(&png), err);
    stk_blob_release(&png);
    return st;
}

static void print_text(const values *v, const finding *f)
{
    cli_text_print(stdout, v->out);
    printf(": %d x %d pixels\n  ", f->pixels.width, f->pixels.height);
    cli_text_print(stdout, f->name);
    if (*f->file_name) {
        printf(" (");
        cli_text_print(stdout, f->file_name);
        printf(")");
    }
    if (f->class_name[0]) printf(", ");
    cli_text_print(stdout, f->class_name);
    printf("\n  element %" PRIu64 " of seed %" PRId64 ", epoch %" PRIu64 "\n", f->index, v->seed,
           stk_element_origin(f->element)->epoch);
}

static stk_status print_json(const values *v, const finding *f, stk_error *err)
{
    stk_json_writer json;
    stk_blob        text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "out", v->out);
    stk_json_pair_int(&json, "width", f->pixels.width);
    stk_json_pair_int(&json, "height", f->pixels.height);
    stk_json_pair_string(&json, "preset", v->images.preset);
    stk_json_pair_string(&json, "sample", f->name);
    stk_json_pair_string(&json, "file_name", f->file_name);
    stk_json_pair_int(&json, "label", cli_images_label(f->element));
    stk_json_pair_string(&json, "class", f->class_name);
    stk_json_pair_int(&json, "seed", v->seed);
    stk_json_pair_uint(&json, "epoch", stk_element_origin(f->element)->epoch);
    stk_json_pair_uint(&json, "index", f->index);
    stk_json_object_end(&json);
    const stk_status st = stk_json_end(&json, err);
    fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    finding       f = {0};
    stk_error     err;
    if (!v->images.preset)
        return cli_report_usage(call->command, "--preset is missing",
                                "it must be the one that the run had");
    if (call->operand_count < 2 && v->index < 0)
        return cli_report_usage(call->command, "SAMPLE is missing",
                                "such as train-00001:12 or cat_0412.jpg, as 'stoker show' and "
                                "error messages name it; or give --index");
    stk_status st = replay(call, &f, &err);
    if (!st) st = save(v, &f, &err);
    if (!st && v->common.json)
        st = print_json(v, &f, &err);
    else if (!st)
        print_text(v, &f);
    const int code = st ? cli_report_error(call->command, &err, NULL) : CLI_EXIT_OK;
    stk_element_unref(f.element);
    return code;
}

const cli_command cli_command_replay = {
    .name = "replay",
    .summary = "write one sample as PNG, exactly as a run had it",
    .operands = "DATA SAMPLE",
    .description =
        "Finds SAMPLE (FILE:RECORD, or FILE where it is an image of its own; the end of the path "
        "is enough) in one epoch of the shuffled images of DATA and prepares it with the random "
        "numbers that it had there: the same pixels, to the bit. DATA, preset, flags and seed must "
        "be those of the run.",
    .examples = "stoker replay packed/ packed-train.tfrecord-00003-of-00100:118 --preset imagenet "
                "--seed 7 --epoch 2\n"
                "stoker replay photos/ cat_0412.jpg --preset imagenet -o cat.png\n"
                "stoker replay packed/ --preset cifar --seed 7 --index 123456",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
