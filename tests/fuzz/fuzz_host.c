/* Any lines as messages of a host's agent, each a frame, or any bytes as output of its command: the
 * parent ends it with a reason, reads no file that no request names, and writes none but the
 * requested binary. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/base/version.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { CHILDREN = 3, PIPE_BYTES = 60000 /* no room for more without a reader */ };

/* Files in the working directory, so that fuzzed input can name them. */
static const char named[] = "fuzz_host.named", secret[] = "fuzz_host.secret",
                  binary[] = "fuzz_host.binary";
static const char kept[] = "what no host may see";

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void clean_up(void)
{
    (void)unlink(named);
    (void)unlink(secret);
    (void)unlink(binary);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    struct error error = {0};
    (void)count;
    (void)arguments;
    require(file_write_atomically(named, "data", 4, &error) == STATUS_OK &&
            file_write_atomically(secret, kept, sizeof kept, &error) == STATUS_OK);
    require(atexit(clean_up) == 0);
    (void)signal(SIGPIPE, SIG_IGN);
    return 0;
}

static void write_frame(int file, json_t *message)
{
    struct error error = {0};
    require(message && frame_write(file, message, &error) == STATUS_OK);
    json_decref(message);
}

/* Writes each line that is an object, after a hello. */
static void write_lines(int file, const uint8_t *data, size_t size)
{
    size_t room = PIPE_BYTES / 2;
    require(write(file, AGENT_MARK "\n", strlen(AGENT_MARK) + 1) > 0);
    write_frame(file, json_pack("{s:i, s:s, s:s}", "hello", AGENT_VERSION, "version", TUNE_VERSION,
                                "name", "fuzz.example"));
    write_frame(file, json_pack("{s:i}", "beat", 1));
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        json_t *message = json_loadb((const char *)data, length, 0, NULL);
        const size_t bytes = json_is_object(message) ? json_dumpb(message, NULL, 0, 0) + 16 : 0;
        if (bytes > room)
            size = length;
        else if (bytes > 0)
            write_frame(file, json_incref(message));
        room -= bytes > room ? room : bytes;
        json_decref(message);
        data += length + (end ? 1 : 0);
        size -= length + (end && size > length ? 1 : 0);
    }
}

/* Starts two running children, the first of which is to compile, and one that has ended. */
static void start_children(struct remote *remote)
{
    for (size_t i = 0; i < CHILDREN; i++)
        remote->children[i] =
            (struct remote_child){.number = (int64_t)i + 1,
                                  .connection = 1,
                                  .to_worker = open("/dev/null", O_WRONLY | O_CLOEXEC),
                                  .request = json_pack("{s:s, s:{s:s}}", i == 0 ? "path" : "other",
                                                       binary, "data", "file", named),
                                  .ended = i == 2};
    remote->last_number = CHILDREN + 1;
}

/* Checks the parent's answers: requested paths, and no bytes of the hidden files. */
static void inspect(int input)
{
    static char received[1 << 20];
    json_t *bytes = bytes_encode(kept, sizeof kept - 1);
    struct text hidden = {0};
    size_t length = 0;
    ssize_t part = 0;
    text_printf(&hidden, "\"bytes\":\"%s", json_string_value(bytes));
    while (length < sizeof received &&
           (part = read(input, received + length, sizeof received - length)) > 0)
        length += (size_t)part;
    require(!memmem(received, length, text_string(&hidden), hidden.length));
    text_free(&hidden);
    json_decref(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int output[2], input[2];
    struct error error = {0};
    struct remote *remote = calloc(1, sizeof *remote);
    if (size == 0 || size > PIPE_BYTES / 2 || !remote || pipe2(output, O_CLOEXEC) != 0) {
        free(remote);
        return 0;
    }
    require(pipe2(input, O_CLOEXEC | O_NONBLOCK) == 0);
    (void)pthread_mutex_init(&remote->mutex, NULL);
    (void)pthread_mutex_init(&remote->sending, NULL);
    (void)pthread_cond_init(&remote->changed, NULL);
    remote->output = output[0];
    remote->input = input[1];
    remote->errors = -1;
    remote->silent_ns = 1000000000;
    start_children(remote);
    struct call call = {.number = CHILDREN + 1};
    remote->calls = &call;
    if (data[0] == '!')
        require(write(output[1], data + 1, size - 1) == (ssize_t)size - 1);
    else
        write_lines(output[1], data, size);
    (void)close(output[1]);

    require(remote_receive(remote, &error) != STATUS_OK && error.text[0] != '\0');
    require(pthread_mutex_trylock(&remote->mutex) == 0 &&
            pthread_mutex_trylock(&remote->sending) == 0);
    require(memchr(remote->name, '\0', sizeof remote->name) != NULL);
    inspect(input[0]);
    (void)unlink(binary);
    json_decref(call.answer);
    for (size_t i = 0; i < AGENT_CHILDREN_MAX; i++) {
        json_decref(remote->children[i].request);
        if (remote->children[i].number != 0 && remote->children[i].to_worker >= 0)
            (void)close(remote->children[i].to_worker);
    }
    (void)pthread_mutex_unlock(&remote->mutex);
    (void)pthread_mutex_unlock(&remote->sending);
    (void)pthread_mutex_destroy(&remote->mutex);
    (void)pthread_mutex_destroy(&remote->sending);
    (void)pthread_cond_destroy(&remote->changed);
    (void)close(output[0]);
    (void)close(input[0]);
    (void)close(input[1]);
    free(remote);
    return 0;
}
