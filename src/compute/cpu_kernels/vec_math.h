/* exp, tanh and erf of W floats. Polynomials minimize the relative error; results are accurate to a
 * few ulps. Included once per width, like vec.h. */

/* 2^n e^r with r in +-ln(2)/2. The power is applied in two halves, so that overflow yields infinity
 * and underflow passes through denormals. */
INLINE V FN(vec_exp)(V x)
{
    const float toward = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    V           in = FN(larger)(FN(all)(-105), FN(smaller)(FN(all)(90), x)); /* x if it is NaN */
    V           n = FN(madd)(in, FN(all)(1.44269504f), FN(all)(toward)) - toward;
    V           r = FN(madd)(n, FN(all)(2.12194440e-4f), FN(madd)(n, FN(all)(-0.693359375f), in));
    V           p = FN(all)(0.001388886827044189f);
    p = FN(madd)(p, r, FN(all)(0.008369140326976776f));
    p = FN(madd)(p, r, FN(all)(0.041667137295007706f));
    p = FN(madd)(p, r, FN(all)(0.16666506230831146f));
    p = FN(madd)(p, r, FN(all)(0.4999999701976776f));
    p = FN(madd)(p * r, r, r) + 1;
    VI whole = __builtin_convertvector(n, VI), half = whole >> 1;
    V  scale = (V)((half + 127) << 23), rest = (V)((whole - half + 127) << 23);
    return FN(pick)(x == x, p * scale * rest, x);
}

INLINE V FN(vec_sigmoid)(V x)
{
    return 1 / (1 + FN(vec_exp)(-x));
}

/* A polynomial below 0.63, where 1 - 2 / (e^2x + 1) cancels. */
INLINE V FN(vec_tanh)(V x)
{
    V u = x * x, size = FN(magnitude)(x);
    V p = FN(all)(-0.00560273602604866f);
    p = FN(madd)(p, u, FN(all)(0.020539933815598488f));
    p = FN(madd)(p, u, FN(all)(-0.05370531976222992f));
    p = FN(madd)(p, u, FN(all)(0.13330931961536407f));
    p = FN(madd)(p, u, FN(all)(-0.33333250880241394f));
    V  small = FN(madd)(p * u, x, x);
    V  large = 1 - 2 / (FN(vec_exp)(2 * size) + 1);
    VI sign = (VI)x & INT32_MIN;
    large = (V)((VI)large | sign);
    return FN(pick)(size < 0.63f, small, large);
}

/* A polynomial up to 1; beyond, 1 - e^(-x^2) times a polynomial in 1 / (1 + x/2). */
INLINE V FN(vec_erf)(V x)
{
    V u = x * x, size = FN(magnitude)(x);
    V p = FN(all)(7.853857823647559e-05f);
    p = FN(madd)(p, u, FN(all)(-0.0008010192541405559f));
    p = FN(madd)(p, u, FN(all)(0.005188327748328447f));
    p = FN(madd)(p, u, FN(all)(-0.026853810995817184f));
    p = FN(madd)(p, u, FN(all)(0.1128358542919159f));
    p = FN(madd)(p, u, FN(all)(-0.3761262595653534f));
    p = FN(madd)(p, u, FN(all)(1.1283791065216064f));
    V bound = FN(smaller)(size, FN(all)(4.2f)), t = 1 / (1 + bound * 0.5f);
    V q = FN(all)(-0.06381699442863464f);
    q = FN(madd)(q, t, FN(all)(-0.02651830203831196f));
    q = FN(madd)(q, t, FN(all)(0.3657391369342804f));
    q = FN(madd)(q, t, FN(all)(0.12610763311386108f));
    q = FN(madd)(q, t, FN(all)(0.32183486223220825f));
    q = FN(madd)(q, t, FN(all)(0.2753394842147827f));
    q = FN(madd)(q, t, FN(all)(0.00047091711894609034f));
    V  large = 1 - FN(vec_exp)(-bound * bound) * q;
    VI sign = (VI)x & INT32_MIN;
    large = FN(pick)(x == x, (V)((VI)large | sign), x);
    return FN(pick)(size < 1, p * x, large);
}
