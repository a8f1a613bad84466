#!/bin/bash
# Workers without memory: the run ends by itself, and the next one goes on.
source "$TUNE_TESTS/lib.sh"
write_experiment
python3 "$(dirname "${BASH_SOURCE[0]}")/failing_calls.py" "$TUNE_SHIM_LIBRARY" workers
