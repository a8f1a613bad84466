#include "tuner/cli/unpack.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/device/compiler.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/style.h"

/* A run's own launches end, and are awaited. */
static const int64_t patience_ns = INT64_C(600) * 1000000000;

/* A draft takes as many seconds at most, beside the user's program; TUNE_DRAFT_S gives others. */
enum { DRAFT_S = 60, DRAFT_MOST_S = 86400 };

enum status draft_time(int64_t *seconds, int64_t *deadline_ns, struct error *error)
{
    TRY(environment_integer("TUNE_DRAFT_S", 1, DRAFT_MOST_S, DRAFT_S, seconds, error));
    *deadline_ns = clock_now_ns() + *seconds * INT64_C(1000000000);
    return STATUS_OK;
}

void unpacked_note(const struct captured_set *set, const char *folder, int64_t bytes)
{
    print_clean(stderr, "tune: unpacked %s, %.1f MiB of the program's data, into %s\n",
                count_text(set->launch_count, "launch").text, (double)bytes / 1048576, folder);
    const char *instance = instance_of_symbol(set->arena, set->kernel->name);
    if (set->instances > 1)
        print_clean(stderr,
                    "tune: %zu instances of the kernel were launched; that of the %s is taken: "
                    "%s (--kernel names another)\n",
                    set->instances, set->question.only_largest ? "largest launch" : "first launch",
                    instance ? instance : set->kernel->name);
    if (set->left_out > 0)
        print_clean(stderr, "tune: %s of it cannot be replayed: %s\n",
                    count_text(set->left_out, "launch").text, set->why);
}

void replayed_note(const struct captured_set *set, enum replayed replayed)
{
    static const char *const times[] = {[REPLAYED_IN_PART] =
                                            "replayed, for want of time less than three times each",
                                        [REPLAYED] = "replayed three times each"};
    double differs = 0;
    for (size_t i = 0; i < set->vector_count; i++)
        differs = set->vectors[i].differs > differs ? set->vectors[i].differs : differs;
    if (replayed == REPLAYED_NOWHERE)
        fputs("tune: no GPU here to replay them on: their captured results are used unchecked\n",
              stderr);
    else if (replayed == REPLAYED_LATE)
        fputs("tune: not replayed, for want of time (TUNE_DRAFT_S=300 gives more): their captured "
              "results are used unchecked\n",
              stderr);
    else if (differs > 0)
        print_clean(stderr, "tune: %s: not deterministic, by up to %.2g of the magnitude\n",
                    times[replayed], differs);
    else
        print_clean(stderr, "tune: %s: the program's results, to the bit\n", times[replayed]);
}

bool read_image(const struct captured_kernel *kernel, const struct captured_device *device,
                struct image_kernel *out)
{
    const struct captured_image *image = kernel->image;
    struct error ignored = {0};
    char architecture[32] = "";
    if (!image || !image->data)
        return false;
    if (device)
        (void)string_format(architecture, sizeof architecture, "sm_%d%d", device->is.major,
                            device->is.minor);
    return device_image(image->data, image->is.kept_bytes, architecture, kernel->name, out,
                        &ignored) == STATUS_OK;
}

const char *experiment_name_of(struct arena *arena, const char *path)
{
    const char *file = path_file(path);
    const size_t length = strcspn(file, ".");
    char *name = arena_printf(arena, "%s%.*s", isalpha((unsigned char)*file) ? "" : "k_",
                              (int)(length > 40 ? 40 : length), file);
    for (char *at = name; at && *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return name;
}

/* Derives "runs/blur" and the experiment's name "blur" from "runs/blur.cap". */
static enum status names_of(struct arena *arena, const char *capture, const char **stem,
                            const char **name, struct error *error)
{
    const char *file = path_file(capture);
    const size_t length = strcspn(file, ".");
    *stem = arena_printf(arena, "%.*s", (int)(file - capture + (ptrdiff_t)length), capture);
    *name = experiment_name_of(arena, capture);
    return *stem && *name ? STATUS_OK : error_no_memory(error);
}

enum status binary_experiment(const char *capture, const char *kernel, bool replays,
                              const char *device, struct unpacked *out, struct error *error)
{
    struct arena arena = {0};
    struct capture *opened = NULL;
    struct captured_set *set = arena_alloc(&arena, 1, sizeof *set);
    struct image_kernel *image = arena_alloc(&arena, 1, sizeof *image);
    const char *stem = NULL, *name = NULL, *own = NULL, *file = NULL;
    int64_t bytes = 0;
    bool has_image = false;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(set && image ? names_of(&arena, capture, &stem, &name, error)
                                : error_no_memory(error));
    TRY_OR_CLEANUP(capture_open(capture, &opened, error));
    const struct captured_question question = {.capture = opened, .kernel = kernel, .size = "n"};
    TRY_OR_CLEANUP(captured_take(&arena, &question, set, error));
    has_image = read_image(set->kernel, set->launches[set->default_launch]->device, image);
    TRY_OR_CLEANUP(
        captured_experiment(set, name, ".", has_image ? image : NULL, &out->text, error));
    const char *folder = arena_printf(&arena, "%s.captured", stem ? stem : "");
    TRY_OR_CLEANUP(folder ? private_folder_make(&arena, folder, &own, error)
                          : error_no_memory(error));
    TRY_OR_CLEANUP(captured_unpack(set, own, 0, &bytes, error));
    unpacked_note(set, folder, bytes);
    text_printf(&out->path, "%s%s/%s.yaml", strchr(own, '/') ? "" : "./", own, name);
    file = arena_printf(&arena, "%s.yaml", name);
    TRY_OR_CLEANUP(out->path.failed || !file
                       ? error_no_memory(error)
                       : folder_write(own, file, text_string(&out->text), out->text.length, error));
    enum replayed replayed = REPLAYED_NOWHERE;
    if (replays)
        TRY_OR_CLEANUP(
            replay_captured(out, device, set, clock_now_ns() + patience_ns, &replayed, error));
    if (replayed >= REPLAYED_IN_PART) {
        text_clear(&out->text);
        TRY_OR_CLEANUP(
            captured_experiment(set, name, ".", has_image ? image : NULL, &out->text, error));
        TRY_OR_CLEANUP(folder_write(own, file, text_string(&out->text), out->text.length, error));
    }
    if (replays)
        replayed_note(set, replayed);
cleanup:
    if (opened)
        capture_close(opened);
    arena_free(&arena);
    return status;
}
