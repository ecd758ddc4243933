/* stoker/functions.h - the functions that come with Stoker. Recipes call them by the name after
 * stk_function_. Each call makes a function in *out (NULL on failure) with one reference. A value
 * is named by its index in the element; STK_ALL_VALUES means each of them. Numeric functions work
 * on dense uint8, int32, int64, float32 and float64 values of any shape, number by number, and keep
 * the type unless they say otherwise. A wrong type or index is an error when the stage is made
 * where the input is known by then, and else an error of the element. */
#ifndef STOKER_FUNCTIONS_H
#define STOKER_FUNCTIONS_H

#include <stoker/dataset_sources.h>
#include <stoker/example.h>
#include <stoker/function.h>
#include <stoker/image.h>
#include <stoker/sequence_example.h>

STK_BEGIN_DECLS

enum { STK_ALL_VALUES = -1 };

/* An integer or a floating-point number. */
typedef struct stk_number {
    bool    is_float;
    int64_t integer;  /* unless is_float */
    double  floating; /* if is_float */
} stk_number;

static inline stk_number stk_number_integer(int64_t number)
{
    const stk_number made = {false, number, 0};
    return made;
}

static inline stk_number stk_number_float(double number)
{
    const stk_number made = {true, 0, number};
    return made;
}

/* Map functions. */

STK_API STK_NODISCARD stk_status stk_function_identity(stk_function **out, stk_error *err);

typedef enum stk_arithmetic {
    STK_ARITHMETIC_ADD,
    STK_ARITHMETIC_SUBTRACT,
    STK_ARITHMETIC_MULTIPLY,
    STK_ARITHMETIC_FLOOR_DIVIDE, /* rounds down, as Python's // */
    STK_ARITHMETIC_MODULO,       /* has the sign of number, as Python's % */
    STK_ARITHMETIC_MINIMUM,      /* NaN stays NaN */
    STK_ARITHMETIC_MAXIMUM,
    STK_ARITHMETIC_COUNT
} stk_arithmetic;

/* "add", "subtract", ...: a literal; NULL when there is none. */
STK_API const char *stk_arithmetic_name(stk_arithmetic op);

/* value op number. Whole numbers wrap around. Dividing whole numbers by 0 is STK_E_INVALID, as is a
 * number that the value's type cannot hold. */
STK_API STK_NODISCARD stk_status stk_function_arithmetic(stk_function **out, stk_arithmetic op,
                                                         int value, stk_number number,
                                                         stk_error *err);
/* Among bool, uint8, int8, int32, int64, float32 and float64. Real to whole cuts off and stops at
 * the type's ends (NaN gives 0); whole to smaller whole keeps the low bits; bool is "not 0". */
STK_API STK_NODISCARD stk_status stk_function_cast(stk_function **out, int value, stk_dtype dtype,
                                                   stk_error *err);
/* Fails on NaN and infinity, naming the value and the place; other types pass. */
STK_API STK_NODISCARD stk_status stk_function_check_finite(stk_function **out, int value,
                                                           stk_error *err);
/* The values at indices, in that order; one may be taken twice. */
STK_API STK_NODISCARD stk_status stk_function_select(stk_function **out, const int *indices,
                                                     size_t count, stk_error *err);
/* The same by the names that input knows. */
STK_API STK_NODISCARD stk_status stk_function_select_named(stk_function          **out,
                                                           const stk_element_spec *input,
                                                           const char *const *names, size_t count,
                                                           stk_error *err);
/* New names for all values. */
STK_API STK_NODISCARD stk_status stk_function_rename(stk_function **out, const char *const *names,
                                                     size_t count, stk_error *err);
/* int64 scalar x to a vector of x times x. */
STK_API STK_NODISCARD stk_status stk_function_fill(stk_function **out, int value, stk_error *err);
/* int64 scalar to its decimal text, and back. */
STK_API STK_NODISCARD stk_status stk_function_to_text(stk_function **out, int value,
                                                      stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_parse_number(stk_function **out, int value,
                                                           stk_error *err);
/* A byte string as a vector of dtype (not bytes), little-endian; shares its storage where the bytes
 * lie aligned. A length that is no multiple of the type's size is STK_E_SHAPE. */
STK_API STK_NODISCARD stk_status stk_function_decode_raw(stk_function **out, int value,
                                                         stk_dtype dtype, stk_error *err);

typedef struct stk_read_file_options {
    const stk_filesystem *fs;          /* NULL: local; must outlive the function */
    const char           *folder;      /* relative paths begin here; NULL: the working directory */
    uint64_t              limit_bytes; /* a larger file is STK_E_LIMIT; 0 means 1 GiB */
} stk_read_file_options;

/* A path to the bytes of that file. BLOCKING. An element without an origin gets the file as one. */
STK_API STK_NODISCARD stk_status stk_function_read_file(stk_function **out, int value,
                                                        const stk_read_file_options *options,
                                                        stk_error                   *err);
/* A serialized tf.train.Example to one value per spec, by name: DENSE to its shape, VARLEN to a
 * vector, DENSE_PADDED to its rows. Byte strings of rank 0 are views into the record. Specs are
 * copied. */
STK_API STK_NODISCARD stk_status stk_function_parse_example(stk_function **out, int value,
                                                            const stk_feature_spec *specs,
                                                            size_t count, stk_error *err);
/* A serialized tf.train.SequenceExample: the context's features as parse_example gives them, then
 * one value per list: steps below each other ([steps] and the shape of one), with varlen a ragged
 * value of a row per step. At least one feature or list. Specs are copied. */
STK_API STK_NODISCARD stk_status stk_function_parse_sequence_example(
    stk_function **out, int value, const stk_feature_spec *features, size_t feature_count,
    const stk_sequence_spec *lists, size_t list_count, stk_error *err);
/* Puts a float32 scalar in [low, high) behind the values, named "random". RANDOM. */
STK_API STK_NODISCARD stk_status stk_function_random_uniform(stk_function **out, double low,
                                                             double high, stk_error *err);

/* Images: one value of the element, its bytes until decode_image, then uint8 [height,width,1 or 3].
 * Functions that follow one another on the same value are run as one: what a crop leaves out is not
 * decoded, and results are written where the batch will have them. */

typedef struct stk_decode_image_options {
    bool seekable;           /* value restarts is the index of a seekable JPEG */
    int  restarts;           /* used when seekable */
    int  channels;           /* 1 or 3; 0 means 3 */
    bool recover;            /* truncated and damaged images give what is there, and count */
    bool stored_orientation; /* do not turn by EXIF */
    bool pillow_16bit;       /* as stk_decode_options says */
    bool shrink;            /* JPEGs that a crop and resize make smaller by 2, 4 or 8 or more may be
                               decoded at that size: faster, not the same to the bit */
    bool             blank; /* read the size only; all pixels are 0: to measure without decoding */
    stk_image_limits limits;
} stk_decode_image_options;

/* options may be NULL. */
STK_API STK_NODISCARD stk_status stk_function_decode_image(stk_function **out, int value,
                                                           const stk_decode_image_options *options,
                                                           stk_error                      *err);
/* An image operation by its name with its parameters as text: "random_resized_crop", "size=224
 * area=0.08,1". It is done with this probability; 1: always. docs/images/operations.md has them
 * all, and so have stk_image_operation_at and the recipe's list of functions. */
STK_API STK_NODISCARD stk_status stk_function_image(stk_function **out, int value,
                                                    const char *operation, const char *parameters,
                                                    double probability, stk_error *err);
/* The operations by number; false past the last. */
typedef struct stk_image_operation {
    const char *name, *help;
} stk_image_operation;
STK_API bool stk_image_operation_at(size_t index, stk_image_operation *out);
/* Bytes, or uint8 of any shape, as the pixels of an image of this size; shares their storage. */
STK_API STK_NODISCARD stk_status stk_function_as_image(stk_function **out, int value, int height,
                                                       int width, int channels, stk_error *err);
/* A class number to float32 [classes]: 1 - smoothing in its place, and smoothing spread over all. A
 * number that is no class is STK_E_RANGE. */
STK_API STK_NODISCARD stk_status stk_function_one_hot(stk_function **out, int value,
                                                      int64_t classes, double smoothing,
                                                      stk_error *err);
/* Batches whose images (uint8 or float32) and labels (float32 [batch,classes], as one_hot makes
 * them) are mixed in pairs, first with last, by one number drawn from Beta(alpha, alpha) a batch:
 * mixup adds them up, cutmix exchanges a box ([batch,height,width,channels], planar: channels
 * first). RANDOM. */
STK_API STK_NODISCARD stk_status stk_function_mixup(stk_function **out, int image, int label,
                                                    double alpha, stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_cutmix(stk_function **out, int image, int label,
                                                     double alpha, bool planar, stk_error *err);
/* How many images of a decode_image with recover were not whole; 0 for other functions. */
STK_API uint64_t stk_function_recovered(const stk_function *function);

/* Tests. */

typedef enum stk_relation {
    STK_RELATION_LESS,
    STK_RELATION_AT_MOST,
    STK_RELATION_EQUAL,
    STK_RELATION_NOT_EQUAL,
    STK_RELATION_AT_LEAST,
    STK_RELATION_MORE,
    STK_RELATION_COUNT
} stk_relation;

/* Whether (value % modulus) relation number; modulus 0: value itself. value is one number (or bool)
 * of any shape. */
STK_API STK_NODISCARD stk_status stk_function_compare(stk_function **out, int value,
                                                      int64_t modulus, stk_relation relation,
                                                      stk_number number, stk_error *err);

/* Keys. */

/* The leading dimension; a scalar has none, which is STK_E_SHAPE. */
STK_API STK_NODISCARD stk_status stk_function_length(stk_function **out, int value, stk_error *err);
/* The whole number itself, and its remainder (0 to modulus - 1). */
STK_API STK_NODISCARD stk_status stk_function_value(stk_function **out, int value, stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_modulo(stk_function **out, int value, int64_t modulus,
                                                     stk_error *err);

/* Functions that make a dataset of an element. */

/* int64 scalar x: 0, 1, ... x - 1. */
STK_API STK_NODISCARD stk_status stk_function_range_to(stk_function **out, int value,
                                                       stk_error *err);
/* The element, as often as its value (an int64 scalar) says. */
STK_API STK_NODISCARD stk_status stk_function_copies(stk_function **out, int value, stk_error *err);
/* The rows of the element. */
STK_API STK_NODISCARD stk_status stk_function_slices(stk_function **out, stk_error *err);
/* A path: the records, or the lines, of that file. folder as in stk_read_file_options. */
STK_API STK_NODISCARD stk_status stk_function_tfrecord(stk_function **out, int value,
                                                       const stk_filesystem *fs, const char *folder,
                                                       const stk_records_options *options,
                                                       stk_error                 *err);
STK_API STK_NODISCARD stk_status stk_function_text(stk_function **out, int value,
                                                   const stk_filesystem *fs, const char *folder,
                                                   const stk_records_options *options,
                                                   stk_error                 *err);
/* The value that is itself a dataset, as window makes them; STK_ALL_VALUES: the first such. */
STK_API STK_NODISCARD stk_status stk_function_flatten(stk_function **out, int value,
                                                      stk_error *err);

/* Stages on top of the dataset that another function makes of an element. */
typedef struct stk_pipeline_info {
    stk_function *expand;  /* a new reference is taken; NULL: flatten */
    const char   *details; /* the stages as text, for explain and fingerprints */
    /* What is known of the elements that come out of the stages, which then must keep to it. NULL:
     * apply is called on an empty dataset whenever a plan is made, to find out. */
    const stk_element_spec *output;
    void                   *context;
    void (*release)(void *context); /* with the function; NULL is fine */
    /* Puts the stages on *data. Called from any thread, several at a time. */
    stk_status (*apply)(void *context, stk_dataset **data, stk_error *err);
} stk_pipeline_info;

/* On failure the context is still the caller's. */
STK_API STK_NODISCARD stk_status stk_function_pipeline(stk_function           **out,
                                                       const stk_pipeline_info *info,
                                                       stk_error               *err);

/* Scans, also for stk_dataset_reduce. */

/* The state (one value) plus the element's first value, of the same type and shape (a scalar state
 * takes any shape once); the element becomes the sum. */
STK_API STK_NODISCARD stk_status stk_function_running_sum(stk_function **out, stk_error *err);
/* The state (an int64 scalar) plus one; the element becomes the state. */
STK_API STK_NODISCARD stk_status stk_function_count(stk_function **out, stk_error *err);

STK_END_DECLS
#endif
