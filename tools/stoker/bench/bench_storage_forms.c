/* Packs data into temporary folders, and measures them interleaved. */
#include "bench_storage_forms.h"

#include "format.h"
#include "progress.h"
#include "signals.h"
#include "table.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <stoker/pack.h>
#include <string.h>
#include <unistd.h>

typedef struct storage_form {
    const char     *name;
    bool            packed;
    stk_pack_images images;
} storage_form;

static const storage_form known_forms[] = {
    {.name = "files"},
    {.name = "packed", .packed = true, .images = {.format = STK_PACK_KEEP}},
    {.name = "seekable", .packed = true, .images = {.format = STK_PACK_SEEKABLE}},
    {.name = "raw", .packed = true, .images = {.format = STK_PACK_RAW}},
};

const char *cli_storage_form_name(size_t index)
{
    return index < sizeof known_forms / sizeof *known_forms ? known_forms[index].name : NULL;
}

static const storage_form *find_form(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof known_forms / sizeof *known_forms; i++)
        if (strlen(known_forms[i].name) == length && !memcmp(known_forms[i].name, name, length))
            return &known_forms[i];
    return NULL;
}

bool cli_storage_forms_are_known(const char *list)
{
    unsigned seen = 0;
    do {
        const size_t        length = strcspn(list, ",");
        const storage_form *f = find_form(list, length);
        if (!f || seen & 1u << (f - known_forms)) return false;
        seen |= 1u << (f - known_forms);
        list += length;
    } while (*list++);
    return true;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void cli_storage_forms_release(cli_storage_forms *forms)
{
    for (size_t i = 0; i < forms->count; i++)
        stk_dataset_unref(forms->contenders[i].data);
    forms->count = 0;
    if (forms->folder[0]) nftw(forms->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    forms->folder[0] = 0;
}

static stk_status make_folder(cli_storage_forms *out, stk_error *err)
{
    const char *base = getenv("TMPDIR");
    if (out->folder[0]) return STK_OK;
    snprintf(out->folder, sizeof out->folder, "%s/stoker-bench-XXXXXX",
             base && base[0] && strlen(base) < 200 ? base : "/tmp");
    if (mkdtemp(out->folder)) return STK_OK;
    const stk_status st =
        stk_fail_errno(err, errno, "bench", out->folder, "make a temporary folder");
    out->folder[0] = 0;
    return st;
}

static void show_progress(void *context, const stk_pack_progress *at)
{
    cli_progress_update(context, at->bytes_done, at->bytes_total, at->items_done, at->items_total);
}

/* A pack of unmodified bytes cannot be resized: its images are re-encoded, but not made
 * seekable. */
static stk_pack_images images_of(const storage_form *f, int resize)
{
    stk_pack_images images = f->images;
    images.resize = resize;
    if (resize && images.format == STK_PACK_KEEP) {
        images.format = STK_PACK_JPEG;
        images.no_restarts = true;
    }
    return images;
}

static stk_status pack(const storage_form *f, const stk_source *source, const char *folder,
                       int resize, const cli_bench_limits *limits, double *bytes_each,
                       stk_error *err)
{
    cli_progress           progress;
    stk_pack_result        result;
    char                   verb[32];
    const stk_pack_options options = {.images = images_of(f, resize),
                                      .threads = limits->threads,
                                      .cancel = cli_signals_token(),
                                      .progress = show_progress,
                                      .progress_context = &progress};
    snprintf(verb, sizeof verb, "packing %s", f->name);
    cli_progress_begin(&progress, verb, limits->quiet);
    const stk_status st = stk_pack(source, folder, &options, &result, err);
    cli_progress_end(&progress);
    if (!st) *bytes_each = result.items ? (double)result.bytes_out / (double)result.items : 0;
    return st;
}

static double mean_bytes(const stk_source *source)
{
    const uint64_t  count = stk_source_count(source);
    double          sum = 0;
    stk_source_item item;
    for (uint64_t i = 0; i < count; i++) {
        stk_source_item_at(source, i, &item);
        sum += (double)item.bytes;
    }
    return count ? sum / (double)count : 0;
}

static stk_status add(cli_storage_forms *out, const storage_form *f, const stk_source *source,
                      const char *path, int resize, const cli_bench_shape *shape,
                      const cli_bench_limits *limits, stk_error *err)
{
    char           folder[300];
    cli_contender *contender = &out->contenders[out->count];
    snprintf(contender->name, sizeof contender->name, "%s", f->name);
    out->bytes_each[out->count] = mean_bytes(source);
    if (f->packed) {
        STK_TRY(make_folder(out, err));
        snprintf(folder, sizeof folder, "%s/%s", out->folder, f->name);
        STK_TRY(pack(f, source, folder, resize, limits, &out->bytes_each[out->count], err));
    }
    STK_TRY(cli_bench_pipeline(&contender->data, f->packed ? folder : path, shape, err));
    out->count++;
    return STK_OK;
}

static stk_status add_all(cli_storage_forms *out, const stk_source *source, const char *path,
                          const char *list, int resize, const cli_bench_shape *shape,
                          const cli_bench_limits *limits, stk_error *err)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        STK_TRY(add(out, find_form(list, length), source, path, resize, shape, limits, err));
        list += length + (list[length] == ',');
    }
    return STK_OK;
}

stk_status cli_storage_forms_run(cli_storage_forms *out, const char *path, const char *list,
                                 int resize, const cli_bench_shape *shape,
                                 const cli_bench_limits *limits, stk_error *err)
{
    const stk_source_options options = {.cancel = cli_signals_token()};
    stk_source              *source;
    *out = (cli_storage_forms){0};
    STK_TRY(stk_source_open(&source, NULL, path, &options, err));
    stk_status st = add_all(out, source, path, list, resize, shape, limits, err);
    stk_source_free(source);
    return st ? st : cli_bench_interleaved(out->contenders, out->count, limits, err);
}

static double ratio(const cli_storage_forms *forms, size_t i)
{
    return forms->contenders[i].cpu > 0 ? forms->contenders[0].cpu / forms->contenders[i].cpu : 0;
}

void cli_storage_forms_print(const cli_storage_forms *forms, const cli_style *style)
{
    static const char *const heading[] = {"form", "bytes an image", "img/s", "img/s per core"};
    cli_table                table;
    char                     text[CLI_FORMAT_CAPACITY + 48];
    printf("%sForms%s, measured in turn; median of %d rounds; the ratio is that of img/s per "
           "core\n",
           style->bold, style->plain, CLI_BENCH_ROUNDS);
    cli_table_init(&table, "frrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    snprintf(text, sizeof text, "to %s", forms->contenders[0].name);
    cli_table_add(&table, text);
    for (size_t i = 0; i < forms->count; i++) {
        const cli_contender *contender = &forms->contenders[i];
        cli_table_add(&table, contender->name);
        cli_table_add(&table, cli_format_count(text, (uint64_t)(forms->bytes_each[i] + 0.5)));
        cli_table_add(&table, cli_format_count(text, (uint64_t)(contender->rate + 0.5)));
        cli_table_add(&table, cli_format_count(text, (uint64_t)(1 / contender->cpu + 0.5)));
        snprintf(text, sizeof text, "%.2f", ratio(forms, i));
        cli_table_add(&table, text);
    }
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

void cli_storage_forms_write_json(stk_json_writer *json, const cli_storage_forms *forms,
                                  const char *path, const cli_bench_shape *shape)
{
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    stk_json_pair_string(json, "preset", shape->preset->name);
    stk_json_key(json, "forms");
    stk_json_array(json);
    for (size_t i = 0; i < forms->count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "form", forms->contenders[i].name);
        stk_json_pair_double(json, "bytes_per_image", forms->bytes_each[i]);
        stk_json_pair_double(json, "samples_per_s", forms->contenders[i].rate);
        stk_json_pair_double(json, "samples_per_core_s", 1 / forms->contenders[i].cpu);
        stk_json_pair_double(json, "ratio", ratio(forms, i));
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}
