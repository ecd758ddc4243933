/* Recipes: read, bound, built. */
#include "pipeline/recipe/data_recipe.h"
#include "storage/file/paths.h"

#include <stdlib.h>

stk_recipe *stk_recipe_ref(stk_recipe *recipe)
{
    __atomic_fetch_add(&recipe->references, 1, __ATOMIC_RELAXED);
    return recipe;
}

void stk_recipe_unref(stk_recipe *recipe)
{
    if (!recipe || __atomic_sub_fetch(&recipe->references, 1, __ATOMIC_ACQ_REL)) return;
    stk_arena_release(&recipe->arena);
    free(recipe);
}

static stk_status new_recipe(stk_recipe **out, const char *name, const char *folder,
                             size_t folder_length, const stk_filesystem *fs, stk_error *err)
{
    stk_recipe *recipe = calloc(1, sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "recipe", name, "no memory for a recipe");
    recipe->references = 1;
    recipe->fs = fs;
    stk_arena_init(&recipe->arena, NULL, STK_MEMORY_INDEX);
    recipe->name = stk_arena_text(&recipe->arena, name, strlen(name), err);
    recipe->folder = stk_arena_text(&recipe->arena, folder, folder_length, err);
    if (!recipe->name || !recipe->folder) {
        stk_recipe_unref(recipe);
        return STK_E_NOMEM;
    }
    *out = recipe;
    return STK_OK;
}

static stk_status build(stk_recipe *recipe, stk_bytes yaml, stk_dataset **out, stk_error *err)
{
    stk_yaml_node *tree;
    stk_stages     stages;
    STK_TRY(stk_yaml_read(&tree, &recipe->arena, yaml, recipe->name, "data", err));
    STK_TRY(stk_recipe_bind_stages(recipe, tree, false, &stages, err));
    return stk_recipe_build(recipe, &stages, out, err);
}

static stk_status read_in(stk_dataset **out, stk_bytes yaml, const char *name, const char *folder,
                          size_t folder_length, const stk_recipe_options *options, stk_error *err)
{
    stk_recipe *recipe = NULL;
    *out = NULL;
    STK_TRY(new_recipe(&recipe, name, folder, folder_length, options->fs, err));
    recipe->note = options->note;
    recipe->note_context = options->note_context;
    stk_status st = build(recipe, yaml, out, err);
    recipe->note = NULL;
    stk_recipe_unref(recipe);
    return st;
}

stk_status stk_recipe_read(stk_dataset **out, stk_bytes yaml, const char *name,
                           const stk_recipe_options *options, stk_error *err)
{
    const stk_recipe_options none = {0}, *o = options ? options : &none;
    const char              *folder = o->folder ? o->folder : "";
    return read_in(out, yaml, name, folder, strlen(folder), o, err);
}

/* "a/b.yaml" is in "a", "/b.yaml" in "/", "b.yaml" in "". */
static size_t folder_of(const char *path)
{
    const size_t length = (size_t)(stk_path_base(path) - path);
    return length > 1 ? length - 1 : length;
}

stk_status stk_recipe_load(stk_dataset **out, const char *path, const stk_recipe_options *options,
                           stk_error *err)
{
    const stk_recipe_options none = {0}, *o = options ? options : &none;
    const char              *folder = o->folder ? o->folder : path;
    const size_t             length = folder == path ? folder_of(path) : strlen(folder);
    stk_blob                 yaml;
    *out = NULL;
    stk_blob_init(&yaml, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(o->fs, path, 0, STK_YAML_BYTES_MAX, &yaml, err);
    if (!st) st = read_in(out, stk_blob_bytes(&yaml), path, folder, length, o, err);
    stk_blob_release(&yaml);
    return st;
}
