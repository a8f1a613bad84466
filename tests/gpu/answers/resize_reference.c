struct resize_at {
    long long place[2]; /* first and second neighbour, the same at the last */
    long long rest, whole;
};
static struct resize_at resize_place(int i, int from, int to)
{
    long long whole = to > 1 ? to - 1 : 1, p = (long long)i * (from - 1);
    struct resize_at at = {{p / whole, p / whole + 1}, p % whole, whole};
    if (at.place[1] >= from)
        at.place[1] = at.place[0];
    return at;
}
void resize_reference_u8(void *const *arguments, struct tune_expected *expected)
{
    const unsigned char *in = arguments[0];
    const int h = *(const int *)arguments[2], w = *(const int *)arguments[3];
    const int oh = *(const int *)arguments[4], ow = *(const int *)arguments[5];
    for (int y = 0; y < oh; y++) {
        const struct resize_at v = resize_place(y, h, oh);
        const long long fy = v.rest * 256 / v.whole;
        for (int x = 0; x < ow; x++) {
            const struct resize_at u = resize_place(x, w, ow);
            const long long fx = u.rest * 256 / u.whole;
            long long sum = 32768;
            for (int i = 0; i < 4; i++)
                sum += in[v.place[i / 2] * w + u.place[i % 2]] * (i % 2 ? fx : 256 - fx) *
                       (i / 2 ? fy : 256 - fy);
            expected[(long long)y * ow + x].integer = sum >> 16;
        }
    }
}
void resize_reference_f32(void *const *arguments, struct tune_expected *expected)
{
    const float *in = arguments[0];
    const int h = *(const int *)arguments[2], w = *(const int *)arguments[3];
    const int oh = *(const int *)arguments[4], ow = *(const int *)arguments[5];
    for (int y = 0; y < oh; y++) {
        const struct resize_at v = resize_place(y, h, oh);
        const double fy = (double)v.rest / (double)v.whole;
        for (int x = 0; x < ow; x++) {
            const struct resize_at u = resize_place(x, w, ow);
            const double fx = (double)u.rest / (double)u.whole;
            struct tune_expected *out = &expected[(long long)y * ow + x];
            out->real = out->magnitude = 0;
            for (int i = 0; i < 4; i++) {
                double part = in[v.place[i / 2] * w + u.place[i % 2]] * (i % 2 ? fx : 1 - fx) *
                              (i / 2 ? fy : 1 - fy);
                out->real += part;
                out->magnitude += part < 0 ? -part : part;
            }
        }
    }
}
