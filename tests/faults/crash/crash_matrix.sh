#!/bin/bash
# A run is killed, again and again, at every step and at random times, and started again: no
# committed result is lost or measured twice, none is half stored, and in the end all are there.
# TUNE_KILLS: number of kills (default 120); TUNE_KILL_SEED: a number, or random.
source "$TUNE_TESTS/lib.sh"
write_experiment
python3 "$(dirname "${BASH_SOURCE[0]}")/crash_matrix.py" "${TUNE_KILLS:-120}" "${TUNE_KILL_SEED:-1}"
