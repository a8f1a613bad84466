/* Launches as text. */
#include <jansson.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "views/explain/explain.h"

static long long integer_at(const json_t *array, size_t i)
{
    return (long long)json_integer_value(json_array_get(array, i));
}

/* "264", "(64, 32)", "(8, 8, 4)" */
static void append_extent(struct text *text, const json_t *extent)
{
    const long long x = integer_at(extent, 0);
    const long long y = integer_at(extent, 1);
    const long long z = integer_at(extent, 2);
    if (z > 1)
        text_printf(text, "(%lld, %lld, %lld)", x, y, z);
    else if (y > 1)
        text_printf(text, "(%lld, %lld)", x, y);
    else
        text_printf(text, "%lld", x);
}

/* Appends a launch in CUDA's notation: "<<<264, 512>>>", with dynamic shared memory and clusters,
 * if any. On a CPU: "16 blocks on 2 threads". A host function has no grid: "sort()". */
static void append_launch(struct text *text, const json_t *launch)
{
    const json_t *threads = json_object_get(launch, "threads");
    const long long shared =
        (long long)json_integer_value(json_object_get(launch, "dynamic_shared_bytes"));
    const json_t *grid = json_object_get(launch, "grid");
    const char *kernel = json_string_value(json_object_get(launch, "kernel"));
    if (integer_at(grid, 0) == 0 && kernel) {
        text_append_bytes(text, kernel, strcspn(kernel, "<"));
        text_append(text, "()");
        return;
    }
    if (json_is_integer(threads)) {
        const long long blocks = integer_at(grid, 0) * integer_at(grid, 1) * integer_at(grid, 2);
        const long long count = (long long)json_integer_value(threads);
        text_append(text, count_text((uint64_t)blocks, "block").text);
        if (count > 1)
            text_printf(text, " on %lld threads", count);
        return;
    }
    text_append(text, "<<<");
    append_extent(text, grid);
    text_append(text, ", ");
    append_extent(text, json_object_get(launch, "block"));
    if (shared > 0)
        text_printf(text, ", %lld", shared);
    text_append(text, ">>>");
    if (json_is_array(json_object_get(launch, "cluster"))) {
        text_append(text, " in clusters of ");
        append_extent(text, json_object_get(launch, "cluster"));
    }
    if (json_is_true(json_object_get(launch, "cooperative")))
        text_append(text, ", cooperative");
}

/* Returns true if both launches print alike; the kernels' names may differ. */
static bool same_launch(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"grid",    "block",       "dynamic_shared_bytes",
                                          "cluster", "cooperative", "threads"};
    bool same = integer_at(json_object_get(a, "grid"), 0) > 0;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        same = same && json_equal(json_object_get(a, members[i]), json_object_get(b, members[i]));
    return same;
}

void explain_append_launches(struct text *text, const char *launches)
{
    json_t *array = json_read(launches ? launches : "[]", 0, NULL);
    const size_t count = json_array_size(array);
    for (size_t first = 0, end = 0; first < count; first = end) {
        const json_t *launch = json_array_get(array, first);
        for (end = first + 1; end < count && same_launch(launch, json_array_get(array, end));)
            end++;
        text_append(text, first > 0 ? ", then " : "");
        append_launch(text, launch);
        if (end - first > 1)
            text_printf(text, " %zu times", end - first);
    }
    json_decref(array);
}
