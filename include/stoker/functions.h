/* stoker/functions.h - built-in functions. Recipes call them by the name after stk_function_. Each
 * call makes a function with one reference in *out (NULL on failure). A value is named by its index
 * in the element; STK_ALL_VALUES means each. Numeric functions work elementwise on dense uint8,
 * int32, int64, float32 and float64 values of any shape and keep the type unless they say
 * otherwise. A wrong type or index is an error when the operator is made, or an error of the
 * element if the input is unknown then. */
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

/* "add", "subtract", ...: a literal; NULL for an unknown one. */
STK_API const char *stk_arithmetic_name(stk_arithmetic op);

/* value op number. Integers wrap around. Integer division by 0 is STK_E_INVALID, as is a number
 * that the value's type cannot hold. */
STK_API STK_NODISCARD stk_status stk_function_arithmetic(stk_function **out, stk_arithmetic op,
                                                         int value, stk_number number,
                                                         stk_error *err);
/* Among bool, uint8, int8, int32, int64, float32 and float64. Float to integer truncates and
 * saturates (NaN gives 0); integer to a smaller integer keeps the low bits; bool is "not 0". */
STK_API STK_NODISCARD stk_status stk_function_cast(stk_function **out, int value, stk_dtype dtype,
                                                   stk_error *err);
/* Fails on NaN and infinity, naming value and index; other types pass. */
STK_API STK_NODISCARD stk_status stk_function_check_finite(stk_function **out, int value,
                                                           stk_error *err);
/* The values at indices, in that order; repeats are allowed. */
STK_API STK_NODISCARD stk_status stk_function_select(stk_function **out, const int *indices,
                                                     size_t count, stk_error *err);
/* The same by names of input. */
STK_API STK_NODISCARD stk_status stk_function_select_named(stk_function          **out,
                                                           const stk_element_spec *input,
                                                           const char *const *names, size_t count,
                                                           stk_error *err);
/* Renames all values. */
STK_API STK_NODISCARD stk_status stk_function_rename(stk_function **out, const char *const *names,
                                                     size_t count, stk_error *err);
/* An int64 scalar x to a vector of x elements x. */
STK_API STK_NODISCARD stk_status stk_function_fill(stk_function **out, int value, stk_error *err);
/* An int64 scalar to decimal text, and back. */
STK_API STK_NODISCARD stk_status stk_function_to_text(stk_function **out, int value,
                                                      stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_parse_number(stk_function **out, int value,
                                                           stk_error *err);
/* A byte string as a vector of dtype (not bytes), little-endian; shares storage if aligned. A
 * length that is no multiple of the type's size is STK_E_SHAPE. */
STK_API STK_NODISCARD stk_status stk_function_decode_raw(stk_function **out, int value,
                                                         stk_dtype dtype, stk_error *err);

typedef struct stk_read_file_options {
    const stk_filesystem *fs;          /* NULL: local; must outlive the function */
    const char           *folder;      /* relative paths begin here; NULL: the working directory */
    uint64_t              limit_bytes; /* a larger file is STK_E_LIMIT; 0 means 1 GiB */
} stk_read_file_options;

/* A path to the bytes of that file. BLOCKING. Becomes the origin of elements without one. */
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
/* Appends a float32 scalar in [low, high), named "random". RANDOM. */
STK_API STK_NODISCARD stk_status stk_function_random_uniform(stk_function **out, double low,
                                                             double high, stk_error *err);

/* Images: one value of the element, encoded until decode_image, then uint8 [height,width,1 or 3].
 * Consecutive functions on the same value are fused: only the cropped region is decoded, and
 * results go straight into the batch. */

typedef struct stk_decode_image_options {
    bool seekable;           /* value restarts is the index of a seekable JPEG */
    int  restarts;           /* used when seekable */
    int  channels;           /* 1 or 3; 0 means 3 */
    bool recover;            /* keep what decodes of damaged images, and count them */
    bool stored_orientation; /* ignore the EXIF orientation */
    bool pillow_16bit;       /* as in stk_decode_options */
    bool shrink;             /* JPEGs shrunk by 2, 4 or 8 or more may be decoded at that scale:
                                faster, not bit-identical */
    bool             blank;  /* read only the size, all pixels 0: to measure without decoding */
    stk_image_limits limits;
} stk_decode_image_options;

/* options may be NULL. */
STK_API STK_NODISCARD stk_status stk_function_decode_image(stk_function **out, int value,
                                                           const stk_decode_image_options *options,
                                                           stk_error                      *err);
/* An image operation by name with its parameters as text: "random_resized_crop", "size=224
 * area=0.08,1". probability 1: always. docs/images/operations.md, stk_image_operation_at and the
 * recipe's functions list them. */
STK_API STK_NODISCARD stk_status stk_function_image(stk_function **out, int value,
                                                    const char *operation, const char *parameters,
                                                    double probability, stk_error *err);
/* The operations by index; false past the last. */
typedef struct stk_image_operation {
    const char *name, *help;
} stk_image_operation;
STK_API bool stk_image_operation_at(size_t index, stk_image_operation *out);
/* Bytes, or uint8 of any shape, as pixels of an image of this size; shares storage. */
STK_API STK_NODISCARD stk_status stk_function_as_image(stk_function **out, int value, int height,
                                                       int width, int channels, stk_error *err);
/* A class index to float32 [classes]: 1 - smoothing at the index plus smoothing spread over all. An
 * index out of range is STK_E_RANGE. */
STK_API STK_NODISCARD stk_status stk_function_one_hot(stk_function **out, int value,
                                                      int64_t classes, double smoothing,
                                                      stk_error *err);
/* Mixes images (uint8 or float32) and labels (float32 [batch,classes], as from one_hot) of a batch
 * in pairs, first with last, by one factor from Beta(alpha, alpha) per batch. mixup blends, cutmix
 * exchanges a box ([batch,height,width,channels]; planar: channels first). RANDOM. */
STK_API STK_NODISCARD stk_status stk_function_mixup(stk_function **out, int image, int label,
                                                    double alpha, stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_cutmix(stk_function **out, int image, int label,
                                                     double alpha, bool planar, stk_error *err);
/* Number of images that a decode_image with recover found incomplete; 0 for other functions. */
STK_API uint64_t stk_function_recovered(const stk_function *function);

/* Predicates. */

typedef enum stk_relation {
    STK_RELATION_LESS,
    STK_RELATION_AT_MOST,
    STK_RELATION_EQUAL,
    STK_RELATION_NOT_EQUAL,
    STK_RELATION_AT_LEAST,
    STK_RELATION_MORE,
    STK_RELATION_COUNT
} stk_relation;

/* Whether (value % modulus) relation number; modulus 0: the value itself. value is one number or
 * bool of any shape. */
STK_API STK_NODISCARD stk_status stk_function_compare(stk_function **out, int value,
                                                      int64_t modulus, stk_relation relation,
                                                      stk_number number, stk_error *err);

/* Keys. */

/* The leading dimension; STK_E_SHAPE for a scalar. */
STK_API STK_NODISCARD stk_status stk_function_length(stk_function **out, int value, stk_error *err);
/* The integer itself, and its remainder (0 to modulus - 1). */
STK_API STK_NODISCARD stk_status stk_function_value(stk_function **out, int value, stk_error *err);
STK_API STK_NODISCARD stk_status stk_function_modulo(stk_function **out, int value, int64_t modulus,
                                                     stk_error *err);

/* Expand functions: a dataset per element. */

/* An int64 scalar x: 0, 1, ... x - 1. */
STK_API STK_NODISCARD stk_status stk_function_range_to(stk_function **out, int value,
                                                       stk_error *err);
/* The element, repeated as often as its value (an int64 scalar) says. */
STK_API STK_NODISCARD stk_status stk_function_copies(stk_function **out, int value, stk_error *err);
/* The rows of the element. */
STK_API STK_NODISCARD stk_status stk_function_slices(stk_function **out, stk_error *err);
/* A path: the records, or lines, of that file. folder as in stk_read_file_options. */
STK_API STK_NODISCARD stk_status stk_function_tfrecord(stk_function **out, int value,
                                                       const stk_filesystem *fs, const char *folder,
                                                       const stk_records_options *options,
                                                       stk_error                 *err);
STK_API STK_NODISCARD stk_status stk_function_text(stk_function **out, int value,
                                                   const stk_filesystem *fs, const char *folder,
                                                   const stk_records_options *options,
                                                   stk_error                 *err);
/* The dataset held in a value, as from window; STK_ALL_VALUES: the first such value. */
STK_API STK_NODISCARD stk_status stk_function_flatten(stk_function **out, int value,
                                                      stk_error *err);

/* Operators on top of the dataset that another function makes from an element. */
typedef struct stk_pipeline_info {
    stk_function *expand;  /* a new reference; NULL: flatten */
    const char   *details; /* the operators as text, for explain and fingerprints */
    /* What is known of the elements that come out of the stages, which then must keep to it. NULL:
     * apply is called on an empty dataset whenever a plan is made, to find out. */
    const stk_element_spec *output;
    void                   *context;
    void (*release)(void *context); /* called with the last reference; NULL is fine */
    /* Adds the operators to *data. Called from any thread, several at a time. */
    stk_status (*apply)(void *context, stk_dataset **data, stk_error *err);
} stk_pipeline_info;

/* On failure the caller still owns the context. */
STK_API STK_NODISCARD stk_status stk_function_pipeline(stk_function           **out,
                                                       const stk_pipeline_info *info,
                                                       stk_error               *err);

/* Scans, also for stk_dataset_reduce. */

/* State plus the element's first value, of the same type and shape (a scalar state takes any shape
 * once); the element becomes the sum. */
STK_API STK_NODISCARD stk_status stk_function_running_sum(stk_function **out, stk_error *err);
/* State (an int64 scalar) plus one; the element becomes the state. */
STK_API STK_NODISCARD stk_status stk_function_count(stk_function **out, stk_error *err);

STK_END_DECLS
#endif
