#!/bin/bash
# The documents' commands are run, as far as possible without a GPU; tests/gpu/run.sh runs all.
source "$TUNE_TESTS/lib.sh"
mkdir path folder
ln -s "$TUNE" path/tune
cd folder || exit
PATH=$PWD/../path:$PATH TUNE_DATA_DIR=$TUNE_SOURCE python3 -B "$TUNE_SOURCE/tests/docs/commands.py" "$TUNE_SOURCE"
