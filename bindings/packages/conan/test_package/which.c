#include <stdio.h>
#include <string.h>
#include <tuned.h>

int main(void)
{
    static const char text[] = "tuned-conf 4\n[cuda \"X\"] compute_capability=9.0\n"
                               "p n=1-9 block=64 | capability=7.0\nend\n";
    const struct tuned_device device = {
        .kind = "cuda", .name = "X", .compute_capability_major = 9};
    struct tuned_answer answer;
    struct tuned *tuned = tuned_load_memory(text, strlen(text), "t.conf", NULL);
    (void)tuned_find(tuned, &device, "p", 5, &answer);
    const long long block = tuned_integer(answer.entry, "block", -1);
    printf("libtuned %s: %s, block %lld\n", tuned_version(), tuned_grade_name(answer.grade), block);
    tuned_free(tuned);
    return block != 64;
}
