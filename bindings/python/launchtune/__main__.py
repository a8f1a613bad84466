import os
import sys

from launchtune import program

path = program()
os.execv(path, [str(path), *sys.argv[1:]])
