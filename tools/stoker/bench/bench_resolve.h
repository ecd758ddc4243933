/* Resolves a recipe for steps without data. */
#ifndef CLI_TOOLS_BENCH_RESOLVE_H
#define CLI_TOOLS_BENCH_RESOLVE_H

#include <stoker/train.h>

/* Resolves open keys as for training, on images of the network's size. classes 0: the network's. */
STK_NODISCARD stk_status cli_bench_resolve(stk_train_recipe *recipe, int64_t classes,
                                           stk_error *err);

#endif
