/* Numbers as text with a point, whatever the locale says: strtod and printf use the locale's, and
 * neither files nor fingerprints may depend on where a program was started. */
#ifndef STK_BASE_DECIMAL_H
#define STK_BASE_DECIMAL_H

enum {
    STK_DECIMAL_CHARACTERS_MAX = 512, /* max characters of a number read */
    STK_DECIMAL_CAPACITY = 40         /* buffer size of a number written */
};

/* Reads the number at the start of text: sign, digits with at most one point, exponent. *end (may
 * be NULL) is the rest; text itself without a number, or with a longer one. */
double stk_decimal_read(const char *text, const char **end);

/* The number with this many significant digits, "0.5", "1e+20", "inf", "nan"; returns text. */
char *stk_decimal_write(double number, int digits, char text[STK_DECIMAL_CAPACITY]);

/* The same with the fewest digits, but at least this many, that read back as the same number. */
char *stk_decimal_shortest(double number, int digits, char text[STK_DECIMAL_CAPACITY]);

#endif
