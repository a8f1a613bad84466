/* Of the host's streams the name: structs of the host point to them. */
#pragma once
typedef struct tune_host_file FILE;
