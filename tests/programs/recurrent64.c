/* As recurrent.c, of doubles.
 * BUILD: cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$HEADERS" "$SOURCE/recurrent64.c" -L"$LIBS" -lcudnn -lcudart -lm -o recurrent64
 * RUN: dragoman run -- ./recurrent64
 */
#define OF_DOUBLES
#include "recurrent.c"
