/* Activations of W floats; kind is a compile-time constant at all calls. Included like vec.h. */

INLINE V FN(act)(stk_act_kind kind, V x, V a, V b)
{
    switch (kind) {
    case STK_ACT_RELU:
        return FN(larger)(x, FN(all)(0));
    case STK_ACT_CLIP:
        return FN(pick)(x < a, a, FN(pick)(x > b, b, x));
    case STK_ACT_LEAKY_RELU:
        return FN(pick)(x > 0, x, a * x);
    case STK_ACT_GELU:
        return 0.5f * x * (1 + FN(vec_erf)(x * 0.70710678f));
    case STK_ACT_SILU:
        return x / (1 + FN(vec_exp)(-x));
    case STK_ACT_SIGMOID:
        return FN(vec_sigmoid)(x);
    case STK_ACT_TANH:
        return FN(vec_tanh)(x);
    case STK_ACT_HARDSWISH:
        return x * FN(larger)(FN(smaller)(x + 3, FN(all)(6)), FN(all)(0)) * (1 / 6.0f);
    case STK_ACT_HARDSIGMOID:
        return FN(larger)(FN(smaller)(x * (1 / 6.0f) + 0.5f, FN(all)(1)), FN(all)(0));
    default:
        return x;
    }
}

/* dy * slope at seen. */
INLINE V FN(act_back)(stk_act_kind kind, V dy, V seen, V a, V b)
{
    V s;
    switch (kind) {
    case STK_ACT_RELU:
        return FN(keep)(seen > 0, dy);
    case STK_ACT_CLIP:
        return FN(keep)((seen > a) & (seen < b), dy);
    case STK_ACT_LEAKY_RELU:
        return FN(pick)(seen > 0, dy, a * dy);
    case STK_ACT_GELU:
        return dy * (0.5f * (1 + FN(vec_erf)(seen * 0.70710678f)) +
                     seen * 0.39894228f * FN(vec_exp)(-0.5f * seen * seen));
    case STK_ACT_SILU:
        s = FN(vec_sigmoid)(seen);
        return dy * (s * (1 + seen * (1 - s)));
    case STK_ACT_SIGMOID:
        return dy * (seen * (1 - seen));
    case STK_ACT_TANH:
        return dy * (1 - seen * seen);
    case STK_ACT_HARDSWISH:
        s = FN(pick)(seen < 3, (2 * seen + 3) * (1 / 6.0f), FN(all)(1));
        return FN(keep)(seen > -3, dy * s);
    case STK_ACT_HARDSIGMOID:
        return FN(keep)((seen > 0) & (seen < 1), dy * (1 / 6.0f));
    default:
        return dy;
    }
}
