/* out = a + b, out = a or out = value, plainly. Integers wrap. Arguments: 0 a, 1 b, 3 value, 4 n.
 */

#define IS_REAL ((ELEMENT)0.5 != 0)

static ELEMENT one(const ELEMENT *a, const ELEMENT *b, ELEMENT value, long long i)
{
    if (INPUTS == 0)
        return value;
    if (INPUTS == 1)
        return a[i];
    if (IS_REAL)
        return (ELEMENT)(a[i] + b[i]);
    return (ELEMENT)((unsigned long long)a[i] + (unsigned long long)b[i]);
}

void elementwise_reference(void *const *arguments, struct tune_expected *expected)
{
    const ELEMENT *a = arguments[0];
    const ELEMENT *b = arguments[1];
    const ELEMENT value = *(const ELEMENT *)arguments[3];
    const long long n = *(const long long *)arguments[4];

    for (long long i = 0; i < n; i++) {
        const ELEMENT result = one(a, b, value, i);
        expected[i].integer = IS_REAL ? 0 : (long long)result;
        expected[i].real = (double)result;
        expected[i].magnitude = result < 0 ? -(double)result : (double)result;
    }
}
