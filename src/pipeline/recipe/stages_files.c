/* Sources that are files: names, records, lines, blocks, and whatever stk_source_open knows. */
#include "pipeline/recipe/recipe_table.h"

#include <stoker/dataset_sources.h>
#include <stoker/source.h>

#define COMPRESSIONS STK_PARAM_WORDS("auto", "none", "gzip", "zlib", "zstd")
#define RECORD_PARAMETERS                                                                          \
    {"compression", STK_RECIPE_CHOICE, .default_value = "auto", .words = COMPRESSIONS,             \
     .help = "of the files; auto looks at their content"},                                         \
        {"buffer_bytes", STK_RECIPE_INTEGER, .default_value = "0",                                 \
         .help = "read at a time; 0 means 256 KiB"},                                               \
        {"max_record_bytes", STK_RECIPE_INTEGER, .default_value = "0",                             \
         .help = "a longer record is an error; 0 means 1 GiB"},                                    \
    {                                                                                              \
        "damage", STK_RECIPE_CHOICE,                                                               \
            .default_value = "next_file", .words = STK_PARAM_WORDS("next_file", "resync"),         \
            .help = "after a damaged record: go on with the next file, or the next sound record"   \
    }

/* What RECORD_PARAMETERS gave. */
static stk_records_options records_of(const stk_argument *a)
{
    return (stk_records_options){.compression = (stk_compression)a[0].integer,
                                 .buffer_bytes = (size_t)a[1].integer,
                                 .max_record_bytes = (uint64_t)a[2].integer,
                                 .damage = (stk_damage)a[3].integer};
}

static const stk_recipe_parameter files_parameters[] = {
    {"pattern", STK_RECIPE_PATH, .required = true, .help = "a path with * ? [], or a folder"},
    {"shuffle", STK_RECIPE_BOOL, .default_value = "false", .help = "in an order drawn once"},
    {"seed", STK_RECIPE_INTEGER, .default_value = "0", .help = "of that order"},
};

static stk_status files(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err)
{
    const stk_argument     *a = bound->arguments;
    const stk_files_options options = {.shuffle = a[1].truth, .seed = (uint64_t)a[2].integer};
    return stk_dataset_files(data, recipe->fs, a[0].text, &options, err);
}

static const stk_recipe_parameter tfrecord_parameters[] = {
    {"path", STK_RECIPE_PATH, .required = true, .help = "a file, a folder or a pattern"},
    RECORD_PARAMETERS,
};

static stk_status tfrecord(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                           stk_error *err)
{
    const stk_records_options options = records_of(bound->arguments + 1);
    return stk_dataset_tfrecord(data, recipe->fs, bound->arguments[0].text, &options, err);
}

static stk_status tfrecord_indexed(stk_recipe *recipe, const stk_recipe_call *bound,
                                   stk_dataset **data, stk_error *err)
{
    const stk_records_options options = records_of(bound->arguments + 1);
    return stk_dataset_tfrecord_indexed(data, recipe->fs, bound->arguments[0].text, &options, err);
}

static const stk_recipe_parameter paths_parameters[] = {
    {"paths", STK_RECIPE_PATHS, .required = true, .help = "the files, in order"},
    RECORD_PARAMETERS,
};

static stk_status tfrecord_files(stk_recipe *recipe, const stk_recipe_call *bound,
                                 stk_dataset **data, stk_error *err)
{
    const stk_argument       *a = bound->arguments;
    const stk_records_options options = records_of(a + 1);
    return stk_dataset_tfrecord_files(data, recipe->fs, a[0].texts, a[0].count, &options, err);
}

static stk_status text(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                       stk_error *err)
{
    const stk_argument       *a = bound->arguments;
    const stk_records_options options = records_of(a + 1);
    return stk_dataset_text(data, recipe->fs, a[0].texts, a[0].count, &options, err);
}

static const stk_recipe_parameter fixed_length_parameters[] = {
    {"paths", STK_RECIPE_PATHS, .required = true, .help = "the files, in order"},
    {"record_bytes", STK_RECIPE_INTEGER, .required = true, .least = 1, .help = "of each record"},
    {"header_bytes", STK_RECIPE_INTEGER, .default_value = "0", .help = "passed over in each file"},
    {"footer_bytes", STK_RECIPE_INTEGER, .default_value = "0", .help = "passed over in each file"},
    {"compression", STK_RECIPE_CHOICE, .default_value = "auto",
     .words = STK_PARAM_WORDS("auto", "none", "gzip", "zlib"),
     .help = "of the files; auto looks at their content"},
    {"buffer_bytes", STK_RECIPE_INTEGER, .default_value = "0",
     .help = "read at a time; 0 means 256 KiB"},
};

static stk_status fixed_length_records(stk_recipe *recipe, const stk_recipe_call *bound,
                                       stk_dataset **data, stk_error *err)
{
    const stk_argument            *a = bound->arguments;
    const stk_fixed_length_options options = {.header_bytes = (uint64_t)a[2].integer,
                                              .footer_bytes = (uint64_t)a[3].integer,
                                              .compression = (stk_compression)a[4].integer,
                                              .buffer_bytes = (size_t)a[5].integer};
    return stk_dataset_fixed_length_records(data, recipe->fs, a[0].texts, a[0].count,
                                            (uint64_t)a[1].integer, &options, err);
}

static const stk_recipe_parameter source_parameters[] = {
    {"path", STK_RECIPE_PATH, .required = true, .help = "a folder of images, an archive, a table"},
    {"kind", STK_RECIPE_TEXT, .help = "what it is, where it cannot be told from its content"},
    {"split", STK_RECIPE_TEXT, .help = "only this part, such as train"},
    {"follow_outside", STK_RECIPE_BOOL, .default_value = "false",
     .help = "take what links and rows name outside of the data's folder"},
};

static stk_status source(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                         stk_error *err)
{
    const stk_argument      *a = bound->arguments;
    const stk_source_options options = {.kind = a[1].text, .follow_outside = a[3].truth};
    stk_source              *opened;
    STK_TRY(stk_source_open(&opened, recipe->fs, a[0].text, &options, err));
    const stk_status st = stk_dataset_of_source(data, opened, a[0].text, a[2].text, err);
    stk_source_free(opened);
    return st;
}

static const stk_recipe_row entries[] = {
    {.info = {"files", "names of files", STK_RECIPE_SOURCE, STK_PARAMETERS(files_parameters)},
     .build = files},
    {.info = {"tfrecord", "the records of TFRecord files", STK_RECIPE_SOURCE,
              STK_PARAMETERS(tfrecord_parameters)},
     .build = tfrecord},
    {.info = {"tfrecord_files", "the records of TFRecord files named one by one", STK_RECIPE_SOURCE,
              STK_PARAMETERS(paths_parameters)},
     .build = tfrecord_files},
    {.info = {"tfrecord_indexed", "records by number, for global_shuffle", STK_RECIPE_SOURCE,
              STK_PARAMETERS(tfrecord_parameters)},
     .build = tfrecord_indexed},
    {.info = {"text", "the lines of text files", STK_RECIPE_SOURCE,
              STK_PARAMETERS(paths_parameters)},
     .build = text},
    {.info = {"fixed_length_records", "records of one length", STK_RECIPE_SOURCE,
              STK_PARAMETERS(fixed_length_parameters), .renamed_from = "fixed"},
     .build = fixed_length_records},
    {.info = {"source", "existing data: folders of images, tar, CSV, IDX, packs", STK_RECIPE_SOURCE,
              STK_PARAMETERS(source_parameters)},
     .build = source},
};

const stk_entries stk_recipe_file_sources = {entries, STK_COUNT_OF(entries)};
