/* Prints the configuration that tuned.conf has for a GPU of this name, in C:
 * `which TUNED_CONF DEVICE PROBLEM N`. */
#include <stdio.h>
#include <stdlib.h>

#include <tuned.h>

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: which TUNED_CONF DEVICE PROBLEM N\n");
        return 2;
    }
    struct tuned_error error;
    struct tuned *tuned = tuned_load(argv[1], &error);
    if (!tuned) {
        fprintf(stderr, "which: %s\n", error.text);
        return 1;
    }
    struct tuned_device device = {0};
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    device.kind = "cuda";
    device.name = argv[2];
    tuned_find(tuned, &device, argv[3], strtoll(argv[4], NULL, 10), &answer);
    tuned_reason(&answer, reason, sizeof reason);
    printf("%s: %s\n", tuned_grade_name(answer.grade), reason);
    printf("block %lld, variant %s\n", tuned_answer_integer(&answer, "block", 256),
           tuned_text(answer.entry, "variant", "plain"));
    tuned_free(tuned);
    return 0;
}
