void nearest_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *query = arguments[0], *point = arguments[1];
    const int queries = *(const int *)arguments[3], points = *(const int *)arguments[4];
    for (int i = 0; i < queries; i++) {
        const int x = query[3 * i], y = query[3 * i + 1], z = query[3 * i + 2];
        int best = 0x7fffffff;
        expected[i].integer = -1;
        for (int k = 0; k < points; k++) {
            const int dx = point[3 * k] - x, dy = point[3 * k + 1] - y, dz = point[3 * k + 2] - z;
            const int distance = dx * dx + dy * dy + dz * dz;
            if (distance < best) {
                best = distance;
                expected[i].integer = k;
            }
        }
    }
}
