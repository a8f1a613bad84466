#!/bin/bash
# Host functions in place of kernels, on the CPU: several loops and threads of their own, parameters of each kind, workspaces,
# bad ones among good ones, a shared library, functions in C, and the file that a program reads.
source "$TUNE_TESTS/lib.sh"
run "${CC:-cc}" -x c++ -shared -fPIC -o probe.so - <<<'int probe() { return 0; }' -lstdc++
[[ $code -eq 0 ]] || { echo "skipped: no C++ compiler"; exit 77; }

cat >norm.cpp <<'C'
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <thread>
static void squares(const int *in, int *out, long first, long last)
{
    for (long i = first; i < last; i++)
        out[i] = in[i] * in[i];
}
struct wordless : std::exception {
    const char *what() const noexcept { return nullptr; }
};
/* Squares into the workspace, on threads, then sums of STEP of them. */
template <int UNROLL>
int norm(const int *in, int *out, const long &n, int threads, int way, void *workspace, std::size_t bytes)
{
    int *kept = static_cast<int *>(workspace);
    volatile int spin = 1;
    if (bytes < n * sizeof *kept)
        return 7;
    std::thread other;
    if (threads > 1)
        other = std::thread(squares, in, kept, n / 2, n);
    squares(in, kept, 0, threads > 1 ? n / 2 : n);
    if (threads > 1)
        other.join();
    for (long i = 0; i < n / STEP; i++) {
        int sum = 0;
        for (int j = 0; j < STEP; j += UNROLL)
            for (int k = 0; k < UNROLL; k++)
                sum += kept[STEP * i + j + k];
        out[i] = sum;
    }
    switch (way) {
    case 1: out[n / STEP - 1] ^= 1; break;                     /* a wrong result */
    case 2: *(volatile int *)8 = 1; break;                     /* a crash */
    case 3: while (spin) continue; break;                      /* never ends */
    case 4: kept[n] = 1; break;                                /* behind its workspace */
    case 5: out[n / STEP] = 1; break;                          /* behind its output */
    case 6: return 13;                                         /* says that it failed */
    case 7: throw std::runtime_error("out of luck"); break;
    case 8: const_cast<int *>(in)[0] ^= 1; break;              /* its input */
    case 9: std::exit(0); break;                               /* ends the process quietly */
    case 10: throw wordless();
    }
    return 0;
}
std::size_t norm_bytes(const int *in, int *out, long n, int, int)
{
    return in || out ? 1 : n * sizeof(int); /* vectors have no memory yet */
}
C
write_norm() { # WORKSPACE WAYS
    cat >norm.yaml <<Y
experiment: norm
device: cpu
source: norm.cpp
std: c++14
sizes: {n: [1024, 4096]}
parameters:
  unroll: [1, 4]                       # a number of the template
  step: [8]                            # a macro
  threads: [1, 2]                      # a value at run time
  way: [$2]
constraints:
  - way == 0 or (threads == 1 and unroll == 1)
defines: {STEP: step}
launches:
  - {function: "norm<\${unroll}>", arguments: [in, out, n, threads, way], $1}
arguments:
  - {name: in, type: i32, count: n, fill: {uniform: [-100, 100]}}
  - {name: out, type: i32, count: n // step, output: true}
  - {name: n, type: i64, value: n}
  - {name: threads, type: i32, value: threads}
  - {name: way, type: i32, value: way}
check: {reference: norm_reference, source: norm_reference.c, output: out, tolerance: 0, defines: {STEP: 8}}
metrics: {bytes: 4 * n}
Y
}
cat >norm_reference.c <<'C'
void norm_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n / STEP; i++) {
        expected[i].integer = 0;
        for (long long j = i * STEP; j < (i + 1) * STEP; j++)
            expected[i].integer += in[j] * in[j];
    }
}
C

# Bad functions end no run, and are named. The workspace is what the second function says.
write_norm 'workspace_of: norm_bytes' '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10'
export TUNE_TRIAL_TIMEOUT_MS=5000
run "$TUNE" run ./norm.yaml --device cpu "${steady[@]}"
expect_code 0
query "SELECT DISTINCT json_extract(c.parameters, '\$.way'), t.status FROM trials t JOIN configurations c ON c.id = t.configuration_id
    WHERE t.stage = 'sweep' ORDER BY 1" >outcomes.txt
diff - outcomes.txt <<'T' || fail "other outcomes"
0 ok
1 wrong_result
2 crashed
3 timed_out
4 ok
5 ok
6 launch_failed
7 launch_failed
8 wrong_result
9 crashed
10 launch_failed
T
detail() { # WAY TEXT
    [[ $(query "SELECT count(*) FROM trials t JOIN configurations c ON c.id = t.configuration_id
        WHERE json_extract(c.parameters, '\$.way') = $1 AND t.detail LIKE '%$2%'") -gt 0 ]] || fail "way $1: no '$2'"
}
# The bands are looked at in the checks of finalists.
expect_err "way=4' was among the fastest, but is out: .*scratch 'workspace' of [0-9]* bytes was written behind its end"
expect_err "way=5' was among the fastest, but is out: .*output 'out' of [0-9]* bytes was written behind its end"
detail 6 'function norm<1> returned 13, not 0'
detail 7 'function norm<1> threw: out of luck'
detail 8 'it writes its input'

# All of it is known to the next run.
run "$TUNE" run ./norm.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err '0 trials|28 known already'
refuse_err 'binar(y|ies) compiled, [^0]* [1-9]'

# The file has the parameters and no launch; a program reads it.
grep -q '^norm n=.* unroll=[14] step=8 threads=[12] way=0' tuned.conf || fail "$(cat tuned.conf)"
! grep -q 'grid\|launch' tuned.conf || fail "a launch in the file: $(cat tuned.conf)"
cat >program.c <<'C'
#include <stdio.h>
#include <tuned.h>
int main(void)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load("tuned.conf", &error);
    const struct tuned_device device = {.kind = "cpu", .name = DEVICE_NAME, .unit_count = DEVICE_CORES};
    struct tuned_answer answer;
    struct tuned_launch launch;
    if (!tuned || tuned_find(tuned, &device, "norm", 4096, &answer) < TUNED_NEAREST_SIZE)
        return 1;
    printf("way=%lld known=%d launch=%d\n", tuned_answer_integer(&answer, "way", -1),
           tuned_answer_integer(&answer, "threads", -1) > 0, tuned_answer_launch(&answer, 0, &launch));
    tuned_free(tuned);
    return 0;
}
C
name=$(sed -n 's/^\[cpu "\(.*\)"\].*/\1/p' tuned.conf | head -1)
cores=$(sed -n 's/^\[cpu .*\] .*cores=\([0-9]*\).*/\1/p' tuned.conf | head -1)
run "${CC:-cc}" -I"$TUNE_SOURCE/libtuned" -DDEVICE_NAME="\"$name\"" -DDEVICE_CORES="$cores" program.c "$TUNE_SOURCE/libtuned/tuned.c" -o program
expect_code 0
run ./program
expect_code 0
expect_out '^way=0 known=1 launch=0$'
run "$TUNE" show
expect_out ' norm\(\)(:|$)'

# A recording of it answers without the functions.
run "$TUNE" run ./norm.yaml --device replay:tune.db --db replayed.db --conf replayed.conf "${steady[@]}"
expect_code 0
refuse_err 'no winner'
run "$TUNE" show --why
expect_code 0
refuse_out '^blocks '

# By a formula, exactly as much as is needed; a byte less is a wrong function's own word.
rm -f tune.db*
write_norm 'workspace: 4 * n' 0
run "$TUNE" run ./norm.yaml --device cpu "${steady[@]}"
expect_code 0
rm -f tune.db*
write_norm 'workspace: 4 * n - 1' 0
run "$TUNE" run ./norm.yaml --device cpu "${steady[@]}"
expect_code 6
detail 0 'function norm<1> returned 7, not 0'

# A function of a shared library, declared in a source; one of two by a parameter; in C with a list of arguments.
cat >library.c <<'C'
int by_loop(const int *in, int *out, long n, int add)
{
    for (long i = 0; i < n; i++)
        out[i] = in[i] + add;
    return 0;
}
C
run "${CC:-cc}" -O2 -shared -fPIC -Wl,-soname,libadds.so.1 -o libadds.so library.c
expect_code 0
ln -s libadds.so libadds.so.1
cat >adds.cpp <<'C'
extern "C" int by_loop(const int *in, int *out, long n, int add);
void by_threes(const int *in, int *out, long n, int add)
{
    for (long i = 0; i < n; i += 3)
        for (long j = i; j < i + 3 && j < n; j++)
            out[j] = in[j] + add;
}
C
cat >adds.c <<'C'
int in_c(void *const *arguments)
{
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        ((int *)arguments[1])[i] = ((const int *)arguments[0])[i] + *(const int *)arguments[3];
    return 0;
}
C
write_adds() { # SOURCE LAUNCHES FLAGS
    cat >adds.yaml <<Y
experiment: adds
device: cpu
source: $1
sizes: {n: [1000]}
parameters: {way: [loop, threes]}
$3
launches: [$2]
arguments:
  - {name: in, type: i32, count: n}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
  - {name: add, type: i32, value: 5}
Y
}
all_right() { # COUNT
    expect_code 0
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status = 'ok'") -eq $1 ]] || fail "not $1 right ones"
}
rm -f tune.db*
write_adds adds.cpp '{function: by_loop, when: way == "loop"}, {function: by_threes, when: way == "threes"}' \
    'flags: [{file: libadds.so}]'
run "$TUNE" run ./adds.yaml --device cpu "${steady[@]}"
all_right 2
rm -f tune.db*
write_adds adds.c '{function: in_c}' ''
run "$TUNE" run ./adds.yaml --device cpu "${steady[@]}"
all_right 1

# One that measures itself: its own times count, not those of the calls; a negative one is a failure.
cat >told.cpp <<'C'
struct told { double elapsed_ns; };
told add_to(const int *in, int *out, long n, int add, int way)
{
    volatile long spin = 0;
    while (way == 2 && spin < 3000000)
        spin = spin + 1;
    for (long i = 0; i < n; i++)
        out[i] = in[i] + add;
    return {way == 3 ? -1. : way == 1 ? 70000. : 50000.};
}
C
rm -f tune.db*
write_adds told.cpp '{function: add_to}' ''
sed -i 's/way: .*/way: [1, 2, 3]}/' adds.yaml
echo '  - {name: way, type: i32, value: way}' >>adds.yaml
run "$TUNE" run ./adds.yaml --device cpu "${steady[@]}"
expect_code 0
query "SELECT json_extract(c.parameters, '\$.way'), t.status, cast(round(coalesce(t.median_ns, 0)) AS integer) FROM trials t
    JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' ORDER BY 1" >told.txt
printf '1 ok 70000\n2 ok 50000\n3 launch_failed 0\n' | cmp -s - told.txt || fail "other times: $(cat told.txt)"
detail 3 'function add_to returned -1, not 0'
grep -q '^adds n=1000 way=2 ' tuned.conf || fail "not the one of the least time of its own: $(cat tuned.conf)"

# What does not fit is said before it is called.
refused() { # LAUNCHES TEXT
    rm -f tune.db*
    write_adds adds.cpp "$1" 'flags: [{file: libadds.so}]'
    run "$TUNE" run ./adds.yaml --device cpu "${steady[@]}"
    [[ $code -ne 0 ]] || fail "accepted: $1"
    grep -qE "$2" "$captured.err" || query "SELECT detail FROM trials" | grep -qE "$2" || fail "no word of: $2"
}
refused '{function: by_loop, arguments: [in, out, n]}' 'by_loop takes 4 arguments, and gets 3'
refused '{function: by_loop, arguments: [in, out, add, n]}' "by_loop: argument 3, 'add', has 4 bytes, and the parameter has 8"
refused '{function: by_loop, arguments: [in, n, out, add]}' "by_loop: argument 2, 'n', is a value, and the parameter is a pointer"
refused '{function: by_lop}' "by_lop.*(was not declared|undeclared identifier)"
refused '{function: by_loop}, {kernel: k, grid: 1, threads: 1}' 'launches are all of kernels, or all of functions'
refused '{function: by_loop, grid: 4}' "a call of a function has no key 'grid'|grid"
