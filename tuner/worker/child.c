#include "tuner/worker/child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"
#include "tuner/worker/spawn.h"
#include "tuner/worker/worker.h"

bool worker_is_entry(const char *argument)
{
    return strcmp(argument, "__measure") == 0 || strcmp(argument, "__compile") == 0;
}

int worker_main(int argc, char **argv)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGPIPE, SIG_IGN);
    if (strcmp(argv[1], "__measure") == 0 && argc == 4)
        return measure_child(argv[2], (int)strtol(argv[3], NULL, 10));
    if (strcmp(argv[1], "__compile") == 0 && argc == 3)
        return compile_child(argv[2]);
    return EXIT_CODE_USAGE;
}

int child_loop(child_serve *serve, void *context)
{
    for (;;) {
        struct error error = {0};
        json_t *request = NULL;
        json_t *answer = NULL;
        if (frame_read(CHILD_INPUT, -1, &request, &error) != STATUS_OK)
            return EXIT_CODE_OK; /* the parent is done with us */
        enum status served = serve(context, request, &answer, &error);
        json_decref(request);
        if (served != STATUS_OK) {
            json_decref(answer);
            answer = message_from_error(&error);
        }
        enum status sent = answer ? frame_write(CHILD_OUTPUT, answer, &error) : STATUS_NO_MEMORY;
        json_decref(answer);
        if (sent != STATUS_OK || served == STATUS_DEVICE_LOST)
            return EXIT_CODE_FAILED;
    }
}
