#!/bin/bash
# A picture that cannot be written: said, and never half a picture.
source "$TUNE_TESTS/lib.sh"
write_experiment
python3 "$(dirname "${BASH_SOURCE[0]}")/failing_calls.py" "$TUNE_SHIM_LIBRARY" plot
