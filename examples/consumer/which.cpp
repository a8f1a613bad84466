// which_cpp TUNED_CONF DEVICE PROBLEM N...: the same in C++, for several sizes: device and problem are
// looked for once.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <tuned.h>

struct tuned_deleter {
    void operator()(struct tuned *tuned) const
    {
        tuned_free(tuned);
    }
};

int main(int argc, char **argv)
{
    if (argc < 5) {
        std::fprintf(stderr, "usage: which_cpp TUNED_CONF DEVICE PROBLEM N...\n");
        return 2;
    }
    tuned_error error;
    const std::unique_ptr<struct tuned, tuned_deleter> tuned(tuned_load(argv[1], &error));
    if (!tuned) {
        std::fprintf(stderr, "which_cpp: %s\n", error.text);
        return 1;
    }
    tuned_device device = {};
    device.kind = "cuda";
    device.name = argv[2];
    tuned_handle handle;
    tuned_resolve(tuned.get(), &device, argv[3], &handle);
    const int block = tuned_value_index(tuned.get(), "block");
    for (int i = 4; i < argc; i++) {
        tuned_answer answer;
        tuned_find_resolved(&handle, std::strtoll(argv[i], nullptr, 10), &answer);
        std::printf("%s: block %lld\n", tuned_grade_name(answer.grade),
                    tuned_answer_integer_at(&answer, block, 256));
    }
    return 0;
}
