/* Functions of numbers: arithmetic, casts, checks, keys and scans. */
#include "pipeline/recipe/recipe_table.h"

static const char *name_of(const stk_recipe_call *bound)
{
    return bound->entry->info.name;
}

static const stk_recipe_parameter arithmetic_parameters[] = {
    {"number", STK_RECIPE_NUMBER, .required = true, .help = "the second operand"},
    {"value", STK_RECIPE_VALUE, .default_value = "all", .words = STK_PARAM_WORDS("all"),
     .values = (const int[]){-1}, .help = "which value"},
};

/* Its name is the operation. */
static stk_status arithmetic(stk_recipe *recipe, const stk_recipe_call *bound,
                             const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int            value;
    stk_arithmetic op = STK_ARITHMETIC_ADD;
    while (op < STK_ARITHMETIC_COUNT && strcmp(stk_arithmetic_name(op), name_of(bound)) != 0)
        op++;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[1], name_of(bound), input, &value, err));
    return stk_function_arithmetic(out, op, value, bound->arguments[0].number, err);
}

static const stk_recipe_parameter cast_parameters[] = {
    {"dtype", STK_RECIPE_DTYPE, .required = true, .help = "the new type"},
    {"value", STK_RECIPE_VALUE, .default_value = "all", .words = STK_PARAM_WORDS("all"),
     .values = (const int[]){-1}, .help = "which value"},
};

static stk_status cast(stk_recipe *recipe, const stk_recipe_call *bound,
                       const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[1], "cast", input, &value, err));
    return stk_function_cast(out, value, (stk_dtype)bound->arguments[0].integer, err);
}

static const stk_recipe_parameter all_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "all", .words = STK_PARAM_WORDS("all"),
     .values = (const int[]){-1}, .help = "which value"},
};
static const stk_recipe_parameter one_parameters[] = {
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

/* The many that take nothing but a value. */
static stk_status of_value(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input,
                           stk_status (*make)(stk_function **out, int value, stk_error *err),
                           stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[0], name_of(bound), input, &value, err));
    return make(out, value, err);
}

static stk_status check_finite(stk_recipe *recipe, const stk_recipe_call *bound,
                               const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_check_finite, out, err);
}

static stk_status fill(stk_recipe *recipe, const stk_recipe_call *bound,
                       const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_fill, out, err);
}

static stk_status to_text(stk_recipe *recipe, const stk_recipe_call *bound,
                          const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_to_text, out, err);
}

static stk_status parse_number(stk_recipe *recipe, const stk_recipe_call *bound,
                               const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_parse_number, out, err);
}

static stk_status length(stk_recipe *recipe, const stk_recipe_call *bound,
                         const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_length, out, err);
}

static stk_status value_key(stk_recipe *recipe, const stk_recipe_call *bound,
                            const stk_element_spec *input, stk_function **out, stk_error *err)
{
    return of_value(recipe, bound, input, stk_function_value, out, err);
}

static const stk_recipe_parameter modulo_parameters[] = {
    {"modulus", STK_RECIPE_INTEGER, .required = true, .least = 1,
     .help = "how many keys there are"},
    {"value", STK_RECIPE_VALUE, .default_value = "0", .help = "which value"},
};

static stk_status modulo_key(stk_recipe *recipe, const stk_recipe_call *bound,
                             const stk_element_spec *input, stk_function **out, stk_error *err)
{
    int value;
    STK_TRY(stk_recipe_value(recipe, &bound->arguments[1], "modulo", input, &value, err));
    return stk_function_modulo(out, value, bound->arguments[0].integer, err);
}

static const stk_recipe_parameter random_parameters[] = {
    {"low", STK_RECIPE_NUMBER, .default_value = "0", .help = "the least"},
    {"high", STK_RECIPE_NUMBER, .default_value = "1", .help = "all are below"},
};

static double real_of(stk_number number)
{
    return number.is_float ? number.floating : (double)number.integer;
}

static stk_status random_uniform(stk_recipe *recipe, const stk_recipe_call *bound,
                                 const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)input;
    return stk_function_random_uniform(out, real_of(bound->arguments[0].number),
                                       real_of(bound->arguments[1].number), err);
}

static stk_status running_sum(stk_recipe *recipe, const stk_recipe_call *bound,
                              const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)bound;
    (void)input;
    return stk_function_running_sum(out, err);
}

static stk_status count(stk_recipe *recipe, const stk_recipe_call *bound,
                        const stk_element_spec *input, stk_function **out, stk_error *err)
{
    (void)recipe;
    (void)bound;
    (void)input;
    return stk_function_count(out, err);
}

#define ARITHMETIC(name, help)                                                                     \
    {                                                                                              \
        .info = {name, help, STK_RECIPE_MAP, STK_PARAMETERS(arithmetic_parameters)},               \
        .make = arithmetic                                                                         \
    }
#define OF_VALUE(name, help, role, parameters_, make_)                                             \
    {                                                                                              \
        .info = {name, help, role, STK_PARAMETERS(parameters_)}, .make = make_                     \
    }

static const stk_recipe_row entries[] = {
    ARITHMETIC("add", "value + number"),
    ARITHMETIC("subtract", "value - number"),
    ARITHMETIC("multiply", "value * number"),
    ARITHMETIC("floor_divide", "value // number, rounded down"),
    ARITHMETIC("modulo", "value % number, with the sign of number"),
    ARITHMETIC("minimum", "the smaller of value and number"),
    ARITHMETIC("maximum", "the larger of value and number"),
    OF_VALUE("cast", "another type", STK_RECIPE_MAP, cast_parameters, cast),
    OF_VALUE("check_finite", "an error for NaN and infinity", STK_RECIPE_MAP, all_parameters,
             check_finite),
    OF_VALUE("fill", "int64 x to x times x", STK_RECIPE_MAP, one_parameters, fill),
    OF_VALUE("to_text", "a whole number to its text", STK_RECIPE_MAP, one_parameters, to_text),
    OF_VALUE("parse_number", "text to int64", STK_RECIPE_MAP, one_parameters, parse_number),
    OF_VALUE("random_uniform", "adds a random float32 named random", STK_RECIPE_MAP,
             random_parameters, random_uniform),
    OF_VALUE("length", "the leading dimension", STK_RECIPE_KEY, one_parameters, length),
    OF_VALUE("value", "the whole number itself", STK_RECIPE_KEY, one_parameters, value_key),
    OF_VALUE("modulo", "the remainder of a whole number", STK_RECIPE_KEY, modulo_parameters,
             modulo_key),
    {.info = {"running_sum", "the sum of all so far", STK_RECIPE_SCAN, .parameters = NULL},
     .make = running_sum},
    {.info = {"count", "the number of elements so far", STK_RECIPE_SCAN, .parameters = NULL},
     .make = count},
};

const stk_entries stk_recipe_number_functions = {entries, STK_COUNT_OF(entries)};
