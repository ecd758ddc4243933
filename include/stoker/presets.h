/* stoker/presets.h - images with labels from any data, and the usual ways to prepare them. */
#ifndef STOKER_PRESETS_H
#define STOKER_PRESETS_H

#include <stoker/dataset.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

typedef struct stk_images_options {
    const stk_filesystem *fs;             /* NULL: local; must outlive the dataset */
    const char           *kind;           /* of source; NULL finds out */
    bool                  skip_bad;       /* as stk_source_options says, of a path that is opened */
    bool                  follow_outside; /* likewise */
    struct stk_source    *source; /* path, open already: it is not listed again; NULL: opens it */
    const char           *split;  /* or another name for it ("test" for "Testing"); NULL: the one
                                     to train on where there is one, else all */
    const char *image;            /* the field with the image; NULL: "image" */
    const char *label;            /* NULL: "label" */
    int64_t     holdout_every; /* k: one of k elements is kept for validation: of each class where
                                  classes are known before reading, else every k-th; 0: none */
    bool    holdout_only;      /* only those elements instead */
    int64_t subsample;         /* k: of what is left only every k-th; 0: all */
    int64_t shuffle; /* 0: in order; else each epoch anew: files as a whole, records in a buffer of
                        so many, or of as many as 256 MB hold (STK_AUTO) */
    /* The classes of all elements that are left, each from 0 to classes - 1: they are drawn so that
     * every class comes equally often (stk_dataset_balance), whatever shuffle says. NULL: not. */
    const int64_t *labels;
    uint64_t       label_count;
    int64_t        classes;
    int64_t        repeat; /* 0: once; STK_AUTO (-1): for ever; else so often */
} stk_images_options;

/* Packs, TFRecords with examples, and all that stk_source_open knows: value "image" is the encoded
 * image (bytes) or its pixels (uint8 [height,width,channels]); then "label" (int64) where there
 * is one and "image_restarts" (bytes) where the pack is seekable. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_dataset_images(stk_dataset **out, const char *path,
                                                    const stk_images_options *options,
                                                    stk_error                *err);

/* One operation of a preset; the decode is not among them. */
typedef struct stk_preset_op {
    const char *operation;  /* as in stk_function_image */
    const char *parameters; /* "{size}" stands for the size that is asked for */
    double      probability;
} stk_preset_op;

typedef struct stk_preset {
    const char          *name, *help;
    int                  size;     /* of a side of the result, unless another is asked for */
    int                  channels; /* 1 or 3 */
    const stk_preset_op *train, *evaluate; /* each ends with an operation of NULL */
    const char          *normalize;        /* parameters of normalize */
    const char          *fit; /* parameters of fit, which comes first, in training and evaluation:
                                 images of another size are resized, never cut to a scrap */
} stk_preset;

/* NULL past the end; by name NULL for none. */
STK_API const stk_preset *stk_preset_at(size_t index);
STK_API const stk_preset *stk_preset_find(const char *name);

/* Whether the chain has this operation: fit, a step, or one of its endings (normalize, layout). */
STK_API bool stk_preset_has(const stk_preset *preset, bool evaluate, const char *operation);

typedef struct stk_preset_options {
    bool evaluate;  /* the fixed chain; else the random one for training */
    int  size;      /* 0: the preset's */
    bool normalize; /* float32 of mean 0; else uint8: the device can do it */
    bool planar;    /* channels first */
    bool exact;     /* decode at full size always; else large JPEGs may be shrunk */
    bool recover;   /* damaged images give what is there */
    /* 0: random operations as the preset has them; 1: none; between: milder. */
    double augment_reduction;
    /* For measuring: an operation to leave out (what gives the images their size becomes a centre
     * crop), and one to do no work for ("decode_image": zeros of the image's size; others are
     * left out). NULL: none. */
    const char *drop, *stub;
} stk_preset_options;

/* Puts the stages of preset on *data, which must be as stk_dataset_images makes it. Only "image"
 * and "label" are left. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_dataset_preset(stk_dataset **data, const stk_preset *preset,
                                                    const stk_preset_options *options,
                                                    stk_error                *err);

STK_END_DECLS
#endif
