/* stoker/model_file.h - a trained model: a run folder or its weights, to evaluate and predict with.
 */
#ifndef STOKER_MODEL_FILE_H
#define STOKER_MODEL_FILE_H

#include <stoker/train.h>

STK_BEGIN_DECLS

typedef struct stk_predictor stk_predictor;

typedef struct stk_predictor_options {
    const char *backend; /* NULL: the fastest */
    int         threads;
    int64_t     batch; /* 0: 32 */
    const char *which; /* "best" (NULL), "last", or a checkpoint's path */
    const char *tta;   /* as train.tta; NULL: as the run was evaluated */
} stk_predictor_options;

/* path is a run folder. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_predictor_open(stk_predictor **out, const char *path,
                                                    const stk_predictor_options *options,
                                                    stk_error                   *err);
/* NULL is fine. */
STK_API void        stk_predictor_free(stk_predictor *predictor);
STK_API int64_t     stk_predictor_classes(const stk_predictor *predictor);
STK_API const char *stk_predictor_class_name(const stk_predictor *predictor, int64_t index);
STK_API const stk_train_recipe *stk_predictor_recipe(const stk_predictor *predictor);

/* Probabilities of every class for an encoded picture (JPEG, PNG...); name is for messages. */
STK_API STK_NODISCARD stk_status stk_predictor_picture(stk_predictor *predictor, stk_bytes encoded,
                                                       const char *name, float *probabilities,
                                                       stk_error *err);

typedef struct stk_evaluation {
    int64_t  count;
    double   loss, accuracy, top5, seconds, images_per_second;
    int64_t  classes;
    int64_t *confusion; /* [classes][classes], true then predicted; NULL with more than 1000 */
} stk_evaluation;

/* Over data (a path, as in the recipe; NULL: the recipe's) and split (NULL: the recipe's
 * validation). */
STK_API STK_NODISCARD stk_status stk_predictor_evaluate(stk_predictor *predictor, const char *data,
                                                        const char *split, const stk_cancel *cancel,
                                                        stk_evaluation *out, stk_error *err);
STK_API void                     stk_evaluation_release(stk_evaluation *evaluation);

STK_END_DECLS
#endif
