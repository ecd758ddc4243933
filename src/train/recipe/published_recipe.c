/* The recipes that models have of their own. */
#include "train/recipe/published_recipe.h"
#include <string.h>

/* airbench94: CIFAR-10 to 94 % in 9.9 epochs; in 11, so that what JPEGs cost is made up for,
 * whatever the seed. Its loss is summed: gradients of fp16 have the size they have there with a
 * scale of the batch. It is over in seconds, so it is evaluated and kept at the end alone. */
static const stk_published_recipe recipes[] = {
    {.model = "airbench",
     .text = "airbench94's; what is said counts instead",
     .keys = {{"train.epochs", "11"},
              {"train.optimizer", "nesterov"},
              {"train.momentum", "0.85"},
              {"train.decay", "even"},
              {"train.schedule", "triangle"},
              {"train.rise_fraction", "0.23"},
              {"train.start_factor", "0.2"},
              {"train.end_factor", "0.07"},
              {"train.label_smoothing", "0.2"},
              {"train.lookahead", "5"},
              {"train.eval_every", "0"},
              {"train.tta", "mirror-shift"},
              {"output.checkpoint_every", "1000000"},
              {"output.log_every", "12"}},
     .preset = "cifar-shift",
     .alternates = true,
     .reports_on_test = true,
     .batch = 1024,
     .rate = 11.5,
     .decay = 0.0153,
     .loss_scale = 1024},
};

const stk_published_recipe *stk_published_recipe_find(const char *model)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].model, model) == 0) return &recipes[i];
    return NULL;
}
