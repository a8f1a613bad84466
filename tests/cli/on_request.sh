#!/bin/bash
# An experiment that says on_request runs when it is named, by name or path, and not with everything.
source "$TUNE_TESTS/lib.sh"

# As shipped: a run of everything is the reduction.
run "$TUNE" run --device cpu "${steady[@]}" --sizes 2**8
expect_err 'no problem has that size; there are:.* 1024 '
refuse_file tuned.conf
run "$TUNE" run elementwise reduce_rows work_queue --device cpu --sizes 3
expect_err 'no problem has that size; there are:.* 256 '
run "$TUNE" run "$TUNE_SOURCE/configs/reduce_rows_cpu.yaml" --device cpu --sizes 3
expect_err 'no problem has that size; there are: 256 '
rm -f tune.db*

# A data folder of one's own: double with everything, triple on request.
write_experiment
mkdir -p data/configs
cp -r "$TUNE_SOURCE/kernels" "$TUNE_SOURCE/plots" data/
mv double_cpu.c double_reference.c data/
cp double.yaml data/configs/
sed 's/^experiment: double/experiment: triple\non_request: true/' double.yaml >data/configs/triple.yaml
export TUNE_DATA_DIR=$PWD/data
run "$TUNE" run --device cpu "${steady[@]}" --sizes 1000
expect_code 0
[[ $(query 'SELECT DISTINCT name FROM experiments') == double ]] || fail "not double alone: $(query 'SELECT name FROM experiments')"
run "$TUNE" run triple --device cpu "${steady[@]}" --sizes 1000
expect_code 0
expect_out triple
run "$TUNE" run data/configs/triple.yaml --device cpu "${steady[@]}" --sizes 1000
expect_code 0
expect_err ' 0 trials \([0-9]+ known already\)'

# If all experiments are on request, none is selected.
rm data/configs/double.yaml
golden "$TUNE" run --device cpu "${steady[@]}" --sizes 1000

# The key does not belong to the definition of a trial.
sed -i '/^on_request/d' data/configs/triple.yaml
run "$TUNE" run --device cpu "${steady[@]}" --sizes 1000
expect_code 0
expect_err ' 0 trials \([0-9]+ known already\)'
expect_golden
