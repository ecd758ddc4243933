/* stoker/train_data.h - what the data of a recipe is, as far as training asks. */
#ifndef STOKER_TRAIN_DATA_H
#define STOKER_TRAIN_DATA_H

#include <stoker/train_recipe.h>

STK_BEGIN_DECLS

enum {
    STK_TRAIN_WARM_UP = 20, /* steps that are not measured */
    STK_TRAIN_FEW = 2       /* images of a class that can hardly be learnt */
};

/* What images are like, by the headers of some hundred that are spread over the training split. */
typedef struct stk_train_survey {
    int64_t looked;     /* that could be read; 0: pixels of one size, or nobody looked */
    int64_t unreadable; /* of those that were to be looked at besides */
    int64_t grey;       /* of looked */
    int64_t min_width, min_height, max_width, max_height; /* the smallest and the largest */
    double  longest;                                      /* length to breadth */
    char    formats[96];                                  /* "380 jpeg, 20 png" */
    char    bad[256]; /* the first that could not be read, and why */
} stk_train_survey;

/* What the data is, as far as training asks. */
typedef struct stk_train_data {
    int64_t          classes, train_count, validation_count;
    int64_t          width, height, channels; /* of most images: medians; 1 or 3 channels */
    stk_train_survey survey;
    char           **class_names; /* NULL, or classes names */
    char             train_split[64], validation_split[64];
    char             test_split[64]; /* looked at once, when all is learnt and chosen; or "" */
    int64_t          test_count;
    double           validation_fraction;    /* > 0: that part of the train split is held back */
    int64_t          rare_class, rare_count; /* with the fewest images to learn from; count -1:
                                                not known */
    int64_t rare_classes;                    /* that have fewer than STK_TRAIN_FEW */
    char    unused_splits[96]; /* of the data: learnt from, chosen by and tested on are
                                  others; or "" */
    struct stk_source *source; /* what was listed; NULL: a pack or records; owned */
    int64_t           *labels; /* of all train_count images, in order, where the recipe's
                                  data.balance or train.class_weights need them; else NULL; owned */
} stk_train_data;

STK_API STK_NODISCARD stk_status stk_train_data_read(stk_train_data         *out,
                                                     const stk_train_recipe *recipe,
                                                     stk_error              *err);
STK_API void                     stk_train_data_release(stk_train_data *data);
/* "pack" (or records), or the kind of source that was listed: "folder", ...; a literal. */
STK_API const char *stk_train_data_kind(const stk_train_data *data);

STK_END_DECLS
#endif
