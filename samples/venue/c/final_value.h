/* The final of a period off the bytes of the feed's and the page's accounts. Offsets are those of
 * docs/spec/chain.md. The caller checks first that the owner of both accounts is the Assay program it
 * trusts, and `feed_at` is where the feed that it means stands: the address its market was made with. */
#ifndef ASSAY_FINAL_VALUE_H
#define ASSAY_FINAL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True, and the value times 10 to the power of the feed's decimals, when `period` (days since 1970-01-01)
 * is final and settleable under `rule`, and `required` (1 or more) keys of `own` signed it.
 * `own` is the caller's list: the sets on chain are the publisher's choice. */
bool final_value(const uint8_t feed_at[32], const uint8_t *feed, size_t feed_length,
                 const uint8_t *page, size_t page_length, int32_t period, const uint8_t rule[32],
                 const uint8_t (*own)[32], size_t own_count, size_t required, int64_t *value);

#endif
