/* Any bytes as a file to replay: T4, a cache of Kernel Tuner, or a table of times. Refused with a
 * reason, or made into a readable recording, with an experiment for its points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/hash.h"
#include "tuner/exchange/recordings.h"
#include "tuner/experiment/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static char path[64];

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void clean_up(void)
{
    (void)unlink(path);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    (void)snprintf(path, sizeof path, "fuzz_replay.%ld", (long)getpid());
    require(atexit(clean_up) == 0);
    return 0;
}

/* Reads each experiment of the recording, as a run does. */
static void read_recording(void)
{
    struct recording recording;
    struct error error = {0};
    require(recording_open(path, &recording, &error) == STATUS_OK);
    const struct recorded_experiment *items = recording.parts[RECORDED_EXPERIMENTS].items;
    for (size_t i = 0; i < recording.parts[RECORDED_EXPERIMENTS].count; i++) {
        struct experiment *experiment = NULL;
        error = (struct error){0};
        const enum status status = experiment_load_recorded(
            "r.yaml", recording_text(&recording, items[i].text), NULL, &experiment, &error);
        require((status == STATUS_OK) == (experiment != NULL));
        require(status == STATUS_OK || error.text[0] != '\0');
        experiment_free(experiment);
    }
    recording_close(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording made = {.failed = false};
    char hash[HASH_TEXT_BYTES];
    struct error error = {0};
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    enum status status = recordings_take_file(text, size, "r.json", &made, &error);
    if (status == STATUS_OK)
        status = recording_write(&made, path, hash, &error);
    require(status == STATUS_OK || error.text[0] != '\0');
    if (status == STATUS_OK)
        read_recording();
    recording_close(&made);
    free(text);
    return 0;
}
