#!/bin/bash
# One allocation after the other fails: an error, never a crash.
source "$TUNE_TESTS/lib.sh"
write_experiment
python3 "$(dirname "${BASH_SOURCE[0]}")/failing_calls.py" "$TUNE_SHIM_LIBRARY" allocations
