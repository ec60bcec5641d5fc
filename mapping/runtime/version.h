/* What a library's version file says about the version it emulates (generated from tables/libraries.yaml). */
#ifndef DRAGOMAN_VERSION_H
#define DRAGOMAN_VERSION_H
#include "dragoman.h"
extern DG_HIDDEN const int dg_version;         /* what Get*Version answers */
extern DG_HIDDEN const int dg_version_part[3]; /* major, minor, patch */
extern DG_HIDDEN const int dg_cudart_version;  /* of the CUDA runtime of the same major */
#endif
