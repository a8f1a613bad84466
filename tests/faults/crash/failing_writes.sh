#!/bin/bash
# One write, sync, rename, read or open after the other fails: the run, the export says so in one
# line, leaves the old file or the new, a database that is whole, and the next run goes on.
source "$TUNE_TESTS/lib.sh"
write_experiment
python3 "$(dirname "${BASH_SOURCE[0]}")/failing_calls.py" "$TUNE_SHIM_LIBRARY" writes
