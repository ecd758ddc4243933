/* stoker/model_file.h - a trained model, from a run folder or a weights file, for evaluation and
 * prediction. */
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
    /* Override the run or weights file, and are required where the file lacks them: the model, the
     * preset of its images, the classes (a file with one name per line, or a count) and the image
     * size. NULL and 0: from the file or run. */
    const char       *model, *preset, *classes;
    int64_t           size;
    const stk_cancel *cancel; /* cancels compilation */
} stk_predictor_options;

/* path is a run folder or a weights file. Weights that are not finite are STK_E_RANGE. options may
 * be NULL. */
STK_API STK_NODISCARD stk_status stk_predictor_open(stk_predictor **out, const char *path,
                                                    const stk_predictor_options *options,
                                                    stk_error                   *err);
/* NULL is fine. */
STK_API void        stk_predictor_free(stk_predictor *predictor);
STK_API int64_t     stk_predictor_classes(const stk_predictor *predictor);
STK_API const char *stk_predictor_class_name(const stk_predictor *predictor, int64_t index);
/* The class of this name, or the only one that differs from it in nothing but characters a folder
 * name cannot have ("T-shirt/top", "T-shirt_top"). -1: none. */
STK_API int64_t stk_predictor_find_class(const stk_predictor *predictor, const char *name);
STK_API const stk_train_recipe *stk_predictor_recipe(const stk_predictor *predictor);
/* The path of the weights file, and a note for the user if it replaces a missing best model ("": no
 * note). Both are borrowed. */
STK_API const char *stk_predictor_weights(const stk_predictor *predictor);
STK_API const char *stk_predictor_note(const stk_predictor *predictor);

/* Computes the probability of every class for an encoded image (JPEG, PNG...). name is for
 * messages. No image of the calls below may be pending. */
STK_API STK_NODISCARD stk_status stk_predictor_image(stk_predictor *predictor, stk_bytes encoded,
                                                     const char *name, float *probabilities,
                                                     stk_error *err);

/* The same for up to options.batch images at once. add decodes one image, or fails for it alone.
 * run writes the probabilities of all pending images, [count][classes], in order, and clears them.
 * Adding more than a batch is STK_E_LIMIT. */
STK_API STK_NODISCARD stk_status stk_predictor_add(stk_predictor *predictor, stk_bytes encoded,
                                                   const char *name, stk_error *err);
STK_API int64_t                  stk_predictor_waiting(const stk_predictor *predictor);
STK_API STK_NODISCARD stk_status stk_predictor_run(stk_predictor *predictor, float *probabilities,
                                                   stk_error *err);

/* How classes of the data are matched with those of the run. */
typedef enum stk_class_rule {
    STK_CLASSES_BY_NAME, /* data without class names is matched by index */
    STK_CLASSES_BY_INDEX
} stk_class_rule;

/* One evaluated image. All pointers are borrowed during the call. */
typedef struct stk_evaluated_image {
    const char    *file;             /* "": the image has no file */
    int64_t        record;           /* index in the file */
    int64_t        truth, predicted; /* classes of the run */
    const float   *probabilities;    /* one per class */
    const uint8_t *pixels;           /* as the model saw it: [size,size,channels] */
    int64_t        size, channels;
} stk_evaluated_image;

typedef struct stk_evaluate_options {
    const char *data;  /* a path, as in the recipe; NULL: the recipe's */
    const char *kind;  /* kind of source, by a name of stk_source_kinds; NULL: detected */
    const char *split; /* NULL: the run's validation split; of other data test, else validation,
                          else train, else the first one */
    const char       *on_bad; /* as data.on_bad_sample: "stop" or "skip"; NULL: as the run */
    bool              follow_outside; /* as data.follow_outside; false: as the run */
    stk_class_rule    classes;
    int               bins; /* of the calibration histogram; 0: 10 */
    const stk_cancel *cancel;
    /* Called after each image, in the order of the data. A failure ends the evaluation. NULL:
     * none. */
    stk_status (*image)(void *context, const stk_evaluated_image *image, stk_error *err);
    void *image_context;
    /* Receives messages for the user from any thread, one call at a time: how classes were matched,
     * names without a match, skipped images. NULL drops them. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_evaluate_options;

/* Scores of one class; 0 where the divisor is 0. */
typedef struct stk_class_score {
    int64_t images, predicted, right; /* of this class, predicted as it, both */
    double  precision, recall, f1;
} stk_class_score;

/* Images whose highest probability is above from and at most to. */
typedef struct stk_calibration_bin {
    double  from, to;
    int64_t images;
    double  confidence, accuracy; /* means over the bin */
} stk_calibration_bin;

typedef struct stk_evaluation {
    int64_t              count;
    int64_t              skipped; /* images skipped because they could not be read; -1: not known */
    int64_t              outside; /* names skipped because they lead out of the data's folder */
    double               loss, accuracy, top5, seconds, images_per_second;
    int64_t              classes;   /* of the run */
    int64_t             *confusion; /* [classes][classes], true then predicted; NULL above 1000 */
    stk_class_score     *scores;    /* [classes] */
    int64_t              present;   /* classes that have images; the means below are over them */
    double               balanced_accuracy; /* mean recall */
    double               macro_precision, macro_f1;
    stk_calibration_bin *bins;
    int                  bin_count;
    double               confidence;     /* mean of the highest probability */
    double               expected_error; /* ECE: mean of |confidence - accuracy| over the bins */
    double               largest_error;  /* MCE: its maximum over the bins */
    stk_class_rule       matched;        /* how classes were matched */
    char                 split[STK_TRAIN_TEXT]; /* the evaluated split */
    int64_t              splits;                /* splits of the data; 0: not known */
    bool                 held_back;             /* evaluated only the held-out part of the split */
} stk_evaluation;

/* Matches the data's classes with the run's and evaluates. Unknown class names are STK_E_INVALID
 * and are listed. A label beyond the run's classes or a result that is not finite is STK_E_RANGE
 * and names the image. On failure *out is empty. */
STK_API STK_NODISCARD stk_status stk_predictor_evaluate(stk_predictor              *predictor,
                                                        const stk_evaluate_options *options,
                                                        stk_evaluation *out, stk_error *err);
STK_API void                     stk_evaluation_release(stk_evaluation *evaluation);

STK_END_DECLS
#endif
