/* Messages where memory is short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/terminal/style.h"

/* Uses up the memory of this process. */
static void use_up_memory(void)
{
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_AS, &none) != 0)
        _exit(2);
    for (size_t bytes = 65536; bytes > 0; bytes /= 2)
        while (malloc(bytes)) {
            /* until none is left */
        }
}

TEST(messages_are_printed_without_memory)
{
    char line[4096] = "";
    int ends[2], ended = 0;
    if (TEST_SANITIZED)
        skip(); /* sanitizers need their memory */
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char buffer[16384], name[3000];
        FILE *out = fdopen(ends[1], "w");
        memset(name, 'x', sizeof name - 1);
        name[sizeof name - 1] = '\0';
        if (!out || setvbuf(out, buffer, _IOFBF, sizeof buffer) != 0)
            _exit(2);
        use_up_memory();
        print_clean(out, "tune: %s\n", "memory\tis short");
        print_clean(out, "%s", name); /* longer than what is kept for a line: its beginning */
        (void)fflush(out);
        _exit(0);
    }
    (void)close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "tune: memory is short\n");
    assert_non_null(fgets(line, sizeof line, in));
    assert_true(strlen(line) > 1000 && strspn(line, "x") == strlen(line));
    (void)fclose(in);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
}

TEST_MAIN(NULL, NULL)
