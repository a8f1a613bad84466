#include "tuner/store/store.h"
