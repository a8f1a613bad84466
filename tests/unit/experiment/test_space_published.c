/* Spaces of the Kernel Tuning Toolkit, Kernel Tuner and BAT (tests/data/t1/README.md), whose points
 * were counted independently of this program. */
#include "experiment_fixture.h"

struct published {
    const char *name;
    const char *parameters; /* values as in the files */
    const char *constraints;
    uint64_t product, valid;
};

static const struct published published[] = {
    {"bat-gemm",
     "  MWG: \"[16, 32, 64, 128]\"\n"
     "  NWG: \"[16, 32, 64, 128]\"\n"
     "  KWG: \"[16, 32]\"\n"
     "  MDIMC: \"[8, 16, 32]\"\n"
     "  NDIMC: \"[8, 16, 32]\"\n"
     "  MDIMA: \"[8, 16, 32]\"\n"
     "  NDIMB: \"[8, 16, 32]\"\n"
     "  KWI: \"[2, 8]\"\n"
     "  VWM: \"[1]\"\n"
     "  VWN: \"[1]\"\n"
     "  STRM: \"[0]\"\n"
     "  STRN: \"[0]\"\n"
     "  SA: \"[0, 1]\"\n"
     "  SB: \"[0, 1]\"\n"
     "  PRECISION: \"[32]\"\n",
     "constraints:\n"
     "  - (KWG % KWI) == 0\n"
     "  - (MWG % MDIMC) == 0\n"
     "  - (NWG % NDIMC) == 0\n"
     "  - (MWG % MDIMA) == 0\n"
     "  - (NWG % NDIMB) == 0\n"
     "  - (KWG % ((MDIMC * NDIMC) // MDIMA)) == 0\n"
     "  - (KWG % ((MDIMC * NDIMC) // NDIMB)) == 0\n",
     20736, 10312},
    {"bat-md5hash",
     "  BLOCK_SIZE: \"list(range(32, 1024+1, 32))\"\n"
     "  ROUND_STYLE: \"[0, 1]\"\n"
     "  INLINE_1: \"[0, 1, 2]\"\n"
     "  INLINE_2: \"[0, 1, 2]\"\n"
     "  UNROLL_LOOP_1: \"[1, 2, 4, 8]\"\n"
     "  UNROLL_LOOP_2: \"[1, 2, 4, 8]\"\n"
     "  UNROLL_LOOP_3: \"[1, 2, 4]\"\n"
     "  WORK_PER_THREAD_FACTOR: \"[1, 2, 3, 4, 5, 6]\"\n",
     "", 165888, 165888},
    {"bat-nbody",
     "  BLOCK_SIZE: \"[64, 128, 256, 512]\"\n"
     "  OUTER_UNROLL_FACTOR: \"[1, 2, 4, 8]\"\n"
     "  INNER_UNROLL_FACTOR1: \"[0, 1, 2, 4, 8, 16, 32]\"\n"
     "  INNER_UNROLL_FACTOR2: \"[0, 1, 2, 4, 8, 16, 32]\"\n"
     "  USE_SOA: \"[0, 1]\"\n"
     "  LOCAL_MEM: \"[0, 1]\"\n"
     "  USE_CONSTANT_MEMORY: \"[0]\"\n"
     "  VECTOR_TYPE: \"[1]\"\n",
     "constraints:\n"
     "  - INNER_UNROLL_FACTOR1 * INNER_UNROLL_FACTOR2 <= 256\n"
     "  - INNER_UNROLL_FACTOR2 <= OUTER_UNROLL_FACTOR\n"
     "  - VECTOR_TYPE == 1 and USE_SOA == 0 or VECTOR_TYPE == 1\n",
     3136, 1568},
    {"ktt-tutorial03", "  multiply_block_size: \"[32, 64, 128, 256]\"\n", "", 4, 4},
    {"ktt-coulombsum3d",
     "  WORK_GROUP_SIZE_X: \"[16, 32]\"\n"
     "  WORK_GROUP_SIZE_Y: \"[1, 2, 4, 8]\"\n"
     "  WORK_GROUP_SIZE_Z: \"[1]\"\n"
     "  Z_ITERATIONS: \"[1, 2, 4, 8, 16, 32]\"\n"
     "  INNER_UNROLL_FACTOR: \"[0, 1, 2, 4, 8, 16, 32]\"\n"
     "  USE_CONSTANT_MEMORY: \"[0]\"\n"
     "  USE_SOA: \"[0, 1]\"\n"
     "  VECTOR_SIZE: \"[1]\"\n",
     "constraints:\n"
     "  - INNER_UNROLL_FACTOR < Z_ITERATIONS\n"
     "  - WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64\n",
     672, 210},
    {"ktt-cltune-gemm",
     "  MWG: \"[16, 32, 64]\"\n"
     "  NWG: \"[16, 32, 64]\"\n"
     "  KWG: \"[32]\"\n"
     "  MDIMC: \"[8, 16, 32]\"\n"
     "  NDIMC: \"[8, 16, 32]\"\n"
     "  MDIMA: \"[8, 16, 32]\"\n"
     "  NDIMB: \"[8, 16, 32]\"\n"
     "  KWI: \"[2]\"\n"
     "  VWM: \"[1, 2, 4]\"\n"
     "  VWN: \"[1, 2, 4]\"\n"
     "  STRM: \"[0]\"\n"
     "  STRN: \"[0]\"\n"
     "  SA: \"[0, 1]\"\n"
     "  SB: \"[0, 1]\"\n"
     "  PRECISION: \"[32]\"\n",
     "constraints:\n"
     "  - (KWG//KWI)*KWI == KWG\n"
     "  - (MWG // (MDIMC*VWM)) * (MDIMC*VWM) == MWG\n"
     "  - ((NWG // (NDIMC*VWN)) * (NDIMC*VWN)) == NWG\n"
     "  - (MWG // (MDIMA*VWM)) * (MDIMA*VWM) == MWG\n"
     "  - (NWG // (NDIMB*VWN)) * (NDIMB*VWN) == NWG\n"
     "  - (KWG // ((MDIMC*NDIMC)//MDIMA)) * ((MDIMC*NDIMC)//MDIMA) == KWG\n"
     "  - (KWG // ((MDIMC*NDIMC)//NDIMB)) * ((MDIMC*NDIMC)//NDIMB) == KWG\n",
     26244, 5788},
    {"kerneltuner-test",
     "  filter_width: \"[i for i in range(3,35,2)]\"\n"
     "  filter_height: \"[i for i in range(3,35,2)]\"\n"
     "  block_size_x: \"[16*i for i in range(1,9)]\"\n"
     "  block_size_y: \"[2**i for i in range(6)]\"\n"
     "  tile_size_x: \"[i for i in range(1,9)]\"\n"
     "  tile_size_y: \"[i for i in range(1,9)]\"\n"
     "  use_padding: \"[0, 1]\"\n"
     "  read_only: \"[0, 1]\"\n",
     "constraints:\n"
     "  - use_padding==0 or (block_size_x % 32 != 0)\n",
     3145728, 2359296},
};

/* Counts the points that are found again by their values, of up to FOLLOWED at even distances. */
enum { FOLLOWED = 100000 };
static uint64_t lost_points(const struct space *space)
{
    const uint64_t count = space_count(space), step = count / FOLLOWED + 1;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < count; i += step) {
        uint16_t values[EXPERIMENT_PARAMETERS_MAX];
        uint64_t found = UINT64_MAX;
        space_values(space, i, values);
        lost += !space_at(space, values, &found) || found != i;
    }
    return lost;
}

static void expect_count(const struct published *row)
{
    struct text text = {0};
    struct problem problem;
    struct space *space = NULL;
    struct error error;
    text_printf(&text,
                "experiment: s\nsource: k.cu\nsizes: {n: [1]}\nparameters:\n%s%s"
                "launches: [{kernel: k, grid: 1, block: 32}]\n"
                "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
                "check: {reference: r, source: r.c, output: out}\n",
                row->parameters, row->constraints);
    struct experiment *experiment = load_or_fail(text_string(&text));
    experiment_problem(experiment, 0, &problem);
    if (space_create(experiment, &problem, NULL, &space, &error) != STATUS_OK)
        fail_msg("%s: %s", row->name, error.text);
    const uint64_t lost = lost_points(space);
    if (space_product_count(space) != row->product || space_count(space) != row->valid || lost > 0)
        fail_msg("%s: %llu of %llu, and %llu are not found again", row->name,
                 (unsigned long long)space_count(space),
                 (unsigned long long)space_product_count(space), (unsigned long long)lost);
    space_free(space);
    experiment_free(experiment);
    text_free(&text);
}

TEST(published_spaces_have_their_counts)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        expect_count(&published[i]);
}

TEST_MAIN(make_folder, remove_folder)
