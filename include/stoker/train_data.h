/* stoker/train_data.h - the properties of a recipe's data that training needs. */
#ifndef STOKER_TRAIN_DATA_H
#define STOKER_TRAIN_DATA_H

#include <stoker/train_recipe.h>

STK_BEGIN_DECLS

enum {
    STK_TRAIN_WARM_UP = 20, /* steps excluded from measurements */
    STK_TRAIN_FEW = 2       /* classes with fewer images can hardly be learnt */
};

/* Image properties, estimated from the headers of some hundred images spread over the training
 * split. */
typedef struct stk_train_survey {
    int64_t looked;     /* images read; 0: pixels of one size, or not surveyed */
    int64_t unreadable; /* sampled images that could not be read */
    int64_t grey;       /* greyscale images among looked */
    int64_t min_width, min_height, max_width, max_height; /* extremes of width and of height */
    double  longest;     /* largest aspect ratio, longer to shorter side */
    char    formats[96]; /* "380 jpeg, 20 png" */
    char    bad[256];    /* the first unreadable image, and the reason */
} stk_train_survey;

/* Summary of a recipe's data. */
typedef struct stk_train_data {
    int64_t          classes, train_count, validation_count;
    int64_t          width, height, channels; /* medians; 1 or 3 channels */
    stk_train_survey survey;
    char           **class_names; /* one name per class, or NULL */
    char             train_split[64], validation_split[64];
    char             test_split[64]; /* evaluated once, after training and selection; or "" */
    int64_t          test_count;
    double           validation_fraction; /* > 0: this fraction of the training split is held out */
    int64_t          rare_class,
        rare_count;         /* the class with the fewest training images; count -1: not known */
    int64_t rare_classes;   /* classes with fewer than STK_TRAIN_FEW images */
    char unused_splits[96]; /* splits of the data used neither for training, validation nor test; or
                               "" */
    struct stk_source *source; /* the listed source; NULL: a pack or records; owned */
    int64_t *labels; /* of all train_count images, in order, if data.balance or train.class_weights
                        need them; else NULL; owned */
} stk_train_data;

STK_API STK_NODISCARD stk_status stk_train_data_read(stk_train_data         *out,
                                                     const stk_train_recipe *recipe,
                                                     stk_error              *err);
STK_API void                     stk_train_data_release(stk_train_data *data);
/* "pack" (also records), or the kind of the listed source such as "folder"; a literal. */
STK_API const char *stk_train_data_kind(const stk_train_data *data);

STK_END_DECLS
#endif
