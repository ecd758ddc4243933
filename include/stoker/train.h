/* stoker/train.h - train, evaluate and use a model from a recipe. A recipe is data + model +
 * schedule + knobs. Every key has a default or is resolved from the data; stk_train_resolve
 * gives the reasons. A trainer runs the recipe, writes a run folder and resumes after any
 * interruption. */
#ifndef STOKER_TRAIN_H
#define STOKER_TRAIN_H

#include <stoker/train_data.h>
#include <stoker/train_explain.h>
#include <stoker/train_recipe.h>
#include <stoker/train_resolve.h>
#include <stoker/trainer.h>

#endif
