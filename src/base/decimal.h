/* Numbers as text with a point, whatever the locale says: strtod and printf use the locale's, and
 * neither files nor fingerprints may depend on where a program was started. */
#ifndef STK_BASE_DECIMAL_H
#define STK_BASE_DECIMAL_H

enum {
    STK_DECIMAL_CHARACTERS_MAX = 512, /* characters that are read as one number */
    STK_DECIMAL_CAPACITY = 40         /* for a number that is written */
};

/* The number that text begins with: sign, digits with at most one point, exponent. *end (may be
 * NULL) is what follows it; text itself where there is no number, or a longer one. */
double stk_decimal_read(const char *text, const char **end);

/* The number with this many significant digits, "0.5", "1e+20", "inf", "nan"; returns text. */
char *stk_decimal_write(double number, int digits, char text[STK_DECIMAL_CAPACITY]);

/* The same with the fewest digits, but at least so many, that give the number again. */
char *stk_decimal_shortest(double number, int digits, char text[STK_DECIMAL_CAPACITY]);

#endif
