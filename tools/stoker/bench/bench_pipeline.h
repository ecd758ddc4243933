/* The pipeline of stoker bench: from a recipe, or a default one over data. */
#ifndef CLI_TOOLS_BENCH_PIPELINE_H
#define CLI_TOOLS_BENCH_PIPELINE_H

#include <stdbool.h>
#include <stoker/presets.h>
#include <stoker/recipe.h>

typedef struct cli_bench_shape {
    int64_t                   batch;   /* 0: none */
    int64_t                   shuffle; /* buffer size; 0: none; with a preset also STK_AUTO */
    const stk_preset         *preset;  /* NULL: raw records and fields */
    stk_preset_options        preparation;
    const char               *split; /* with a preset */
    bool                      follow_outside;
    const stk_recipe_options *recipe; /* how a recipe is read; NULL: as by default */
} cli_bench_shape;

/* Whether a file has a YAML name. */
bool cli_bench_is_recipe(const char *path);

/* Opens a recipe's pipeline, or one over data: TFRecords as records, other data by its fields;
 * shuffled, batched, repeated for ever. With a preset, images are decoded and augmented. */
STK_NODISCARD stk_status cli_bench_pipeline(stk_dataset **out, const char *path,
                                            const cli_bench_shape *shape, stk_error *err);

#endif
