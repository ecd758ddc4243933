/* The pipeline that stoker bench runs: of a recipe, or a usual one over data. */
#ifndef CLI_TOOLS_BENCH_PIPELINE_H
#define CLI_TOOLS_BENCH_PIPELINE_H

#include <stdbool.h>
#include <stoker/presets.h>
#include <stoker/recipe.h>

typedef struct cli_bench_shape {
    int64_t                   batch;   /* 0: none */
    int64_t                   shuffle; /* buffer; 0: none; with a preset also STK_AUTO */
    const stk_preset         *preset;  /* NULL: records and fields as they are */
    stk_preset_options        preparation;
    const char               *split; /* with a preset */
    bool                      follow_outside;
    const stk_recipe_options *recipe; /* how a recipe is read; NULL: as by default */
} cli_bench_shape;

/* A file that is named as YAML is. */
bool cli_bench_is_recipe(const char *path);

/* Of a recipe, what it says. Of data: TFRecords as records, anything else by its fields; shuffled,
 * in batches, repeated for ever; with a preset its images, decoded and augmented. */
STK_NODISCARD stk_status cli_bench_pipeline(stk_dataset **out, const char *path,
                                            const cli_bench_shape *shape, stk_error *err);

#endif
