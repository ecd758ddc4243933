/* stoker/model_file.h - a trained model: a run folder or its weights, to evaluate and predict with.
 */
#ifndef STOKER_MODEL_FILE_H
#define STOKER_MODEL_FILE_H

#include <stoker/cancel.h>
#include <stoker/train_data.h>

STK_BEGIN_DECLS

typedef struct stk_predictor stk_predictor;

typedef struct stk_predictor_options {
    const char *backend; /* NULL: the fastest */
    int         threads;
    int64_t     batch; /* 0: 32 */
    const char *which; /* "best" (NULL), "last", or a checkpoint's path */
    const char *tta;   /* as train.tta; NULL: as the run was evaluated */
    /* What weights do not say of themselves where they lie alone, or to say otherwise: the model,
     * the preset that prepared its images, the classes (a file with a name a line, or a number) and
     * the side of images. NULL and 0: as the file or the run says. */
    const char       *model, *preset, *classes;
    int64_t           size;
    const stk_cancel *cancel; /* of compiling */
} stk_predictor_options;

/* path is a run folder or a file of weights, which must be finite (STK_E_RANGE). options may be
 * NULL. */
STK_API STK_NODISCARD stk_status stk_predictor_open(stk_predictor **out, const char *path,
                                                    const stk_predictor_options *options,
                                                    stk_error                   *err);
/* NULL is fine. */
STK_API void        stk_predictor_free(stk_predictor *predictor);
STK_API int64_t     stk_predictor_classes(const stk_predictor *predictor);
STK_API const char *stk_predictor_class_name(const stk_predictor *predictor, int64_t index);
/* The class of this name, or of one that differs only in signs which a folder cannot have
 * ("T-shirt/top", "T-shirt_top"), where no other is like it; -1: none. */
STK_API int64_t stk_predictor_find_class(const stk_predictor *predictor, const char *name);
STK_API const stk_train_recipe *stk_predictor_recipe(const stk_predictor *predictor);
/* The file that the weights are from; and what a person should know of that: the best model is
 * gone, and another was taken in its place. "": nothing. Both are lent. */
STK_API const char *stk_predictor_weights(const stk_predictor *predictor);
STK_API const char *stk_predictor_note(const stk_predictor *predictor);

/* Probabilities of every class for an encoded image (JPEG, PNG...); name is for messages. None
 * may wait from the calls below. */
STK_API STK_NODISCARD stk_status stk_predictor_image(stk_predictor *predictor, stk_bytes encoded,
                                                     const char *name, float *probabilities,
                                                     stk_error *err);

/* The same for many, as many at a time as options.batch said: add prepares one for the next batch,
 * or fails for it alone; run gives the probabilities of all that wait, [count][classes], in their
 * order, and then none does. More than a batch is STK_E_LIMIT. */
STK_API STK_NODISCARD stk_status stk_predictor_add(stk_predictor *predictor, stk_bytes encoded,
                                                   const char *name, stk_error *err);
STK_API int64_t                  stk_predictor_waiting(const stk_predictor *predictor);
STK_API STK_NODISCARD stk_status stk_predictor_run(stk_predictor *predictor, float *probabilities,
                                                   stk_error *err);

/* How classes of the data are found among those of the run. */
typedef enum stk_class_rule {
    STK_CLASSES_BY_NAME, /* data whose classes are numbers only goes by index */
    STK_CLASSES_BY_INDEX
} stk_class_rule;

/* One image, evaluated; all is lent during the call. */
typedef struct stk_evaluated_image {
    const char    *file;             /* "": it came from none */
    int64_t        record;           /* its number in the file, from 0 */
    int64_t        truth, predicted; /* classes of the run */
    const float   *probabilities;    /* of every class */
    const uint8_t *pixels;           /* as the model saw it: [size,size,channels] */
    int64_t        size, channels;
} stk_evaluated_image;

typedef struct stk_evaluate_options {
    const char *data;         /* a path, as in the recipe; NULL: the recipe's */
    const char *kind;         /* of other data, by a name of stk_source_kinds; NULL: finds out */
    const char *split;        /* NULL: what the run was validated on; of other data test, else
                                 validation, else train, else its first */
    const char       *on_bad; /* as data.on_bad_sample: "stop" or "skip"; NULL: as the run */
    bool              follow_outside; /* as data.follow_outside; false: as the run */
    stk_class_rule    classes;
    int               bins; /* of the calibration; 0: 10 */
    const stk_cancel *cancel;
    /* After each image, in the order of the data; a failure ends the evaluation. NULL: none. */
    stk_status (*image)(void *context, const stk_evaluated_image *image, stk_error *err);
    void *image_context;
    /* Lines for people, from any thread, one at a time: how classes were matched, all names that
     * were not, images that were left out. NULL: dropped. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_evaluate_options;

/* Of a class: 0 where the divisor is. */
typedef struct stk_class_score {
    int64_t images, predicted, right; /* of the class, taken for it, both */
    double  precision, recall, f1;
} stk_class_score;

/* Images whose highest probability is above from, up to to. */
typedef struct stk_calibration_bin {
    double  from, to;
    int64_t images;
    double  confidence, accuracy; /* their means */
} stk_calibration_bin;

typedef struct stk_evaluation {
    int64_t              count;
    int64_t              skipped; /* that could not be read and were left out; -1: not known */
    int64_t              outside; /* names that lead out of the data's folder and were left out */
    double               loss, accuracy, top5, seconds, images_per_second;
    int64_t              classes;   /* of the run */
    int64_t             *confusion; /* [classes][classes], true then predicted; NULL above 1000 */
    stk_class_score     *scores;    /* [classes] */
    int64_t              present;   /* classes that have images; the means below are theirs */
    double               balanced_accuracy; /* the mean of recall */
    double               macro_precision, macro_f1;
    stk_calibration_bin *bins;
    int                  bin_count;
    double               confidence;            /* the mean of the highest probability */
    double               expected_error;        /* ECE: |confidence - accuracy| over the bins */
    double               largest_error;         /* MCE: of the worst bin */
    stk_class_rule       matched;               /* how classes were */
    char                 split[STK_TRAIN_TEXT]; /* that was evaluated */
    int64_t              splits;                /* that the data has; 0: not known */
    bool                 held_back;             /* only what was held back of it for validation */
} stk_evaluation;

/* Classes of the data are matched with the run's. Names that the run does not know are
 * STK_E_INVALID with them; a number past the run's classes is STK_E_RANGE with the image; a result
 * that is not finite, too. On failure *out is empty. */
STK_API STK_NODISCARD stk_status stk_predictor_evaluate(stk_predictor              *predictor,
                                                        const stk_evaluate_options *options,
                                                        stk_evaluation *out, stk_error *err);
STK_API void                     stk_evaluation_release(stk_evaluation *evaluation);

STK_END_DECLS
#endif
