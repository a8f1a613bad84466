/* What a kernel may use of it, NVRTC has by itself. */
#pragma once
