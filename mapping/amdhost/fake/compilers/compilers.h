/* What stands in for AMD's run-time compilers: every program compiles, to a few bytes that the fake HIP runtime takes
 * for a module. Enough for MIOpen to come to its launches. Numbers as in hip/hiprtc.h and amd_comgr.h. */
#ifndef DRAGOMAN_AMDHOST_COMPILERS_H
#define DRAGOMAN_AMDHOST_COMPILERS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char fake_code[] = "compiled";
static const char fake_text[] = "";
#endif
