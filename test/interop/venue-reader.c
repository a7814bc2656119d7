/* Runs samples/venue/c over the cases of a file, for venue-reader.test.ts; its layout stands there. */
#include "final_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of its own for each part, so that a sanitizer sees the first byte that is read behind it. */
static uint8_t *take(FILE *in, size_t length)
{
    uint8_t *bytes = malloc(length == 0 ? 1 : length);
    if (bytes == NULL || fread(bytes, 1, length, in) != length) exit(2);
    return bytes;
}

static uint32_t number(FILE *in)
{
    uint8_t *at = take(in, 4);
    uint32_t value = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    free(at);
    return value;
}

int main(void)
{
    for (int next; (next = getchar()) != EOF;) {
        ungetc(next, stdin);
        uint8_t *feed_at = take(stdin, 32);
        size_t feed_length = number(stdin);
        uint8_t *feed = take(stdin, feed_length);
        size_t page_length = number(stdin);
        uint8_t *page = take(stdin, page_length);
        int32_t period = (int32_t)number(stdin);
        uint8_t *rule = take(stdin, 32);
        size_t count = number(stdin);
        uint8_t *own = take(stdin, 32 * count);
        size_t required = number(stdin);
        int64_t value = 0;
        if (final_value(feed_at, feed, feed_length, page, page_length, period, rule,
                        (const uint8_t (*)[32])own, count, required, &value))
            printf("%" PRId64 "\n", value);
        else
            puts("none");
        free(feed_at), free(feed), free(page), free(rule), free(own);
    }
    return 0;
}
