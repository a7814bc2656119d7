#include "final_value.h"

#include <string.h>

enum {
    FEED_BYTES = 5424, RULES = 304, RULE_BYTES = 48, SETS = 1072, SET_BYTES = 272, SET_KEYS = 16,
    MOST = 16, /* rules, and sets, of a feed */
    PAGE_BYTES = 6480, PAGE_FEED = 16, SLOTS = 80, SLOT_BYTES = 200, SLOT_COUNT = 32,
    SLOT_FLAGS = 4, IS_FINAL = 2, FINAL = 72,
    RECORD_FLAGS = 50, SETTLEABLE = 1, RULE = 52, SET = 53, SIGNED = 54,
};

static uint64_t little(const uint8_t *at, int bytes)
{
    return bytes == 0 ? 0 : at[0] | little(at + 1, bytes - 1) << 8;
}

bool final_value(const uint8_t feed_at[32], const uint8_t *feed, size_t feed_length,
                 const uint8_t *page, size_t page_length, int32_t period, const uint8_t rule[32],
                 const uint8_t (*own)[32], size_t own_count, size_t required, int64_t *value)
{
    if (feed_length != FEED_BYTES || memcmp(feed, "assayFD1", 8) != 0) return false;
    if (page_length != PAGE_BYTES || memcmp(page, "assayPG1", 8) != 0) return false;
    if (memcmp(page + PAGE_FEED, feed_at, 32) != 0) return false;
    const uint8_t *slot = page + SLOTS, *end = slot + SLOT_COUNT * SLOT_BYTES;
    while (slot < end && (int32_t)little(slot, 4) != period) slot += SLOT_BYTES;
    if (slot == end || !(slot[SLOT_FLAGS] & IS_FINAL)) return false;
    const uint8_t *record = slot + FINAL;
    if (!(record[RECORD_FLAGS] & SETTLEABLE)) return false;
    if (record[RULE] >= MOST || record[SET] >= MOST) return false;
    if (memcmp(feed + RULES + RULE_BYTES * record[RULE], rule, 32) != 0) return false;
    const uint8_t *keys = feed + SETS + SET_BYTES * record[SET] + SET_KEYS;
    size_t counted = 0;
    for (int i = 0; i < 8; i++)
        for (size_t j = 0; (record[SIGNED] >> i & 1) && j < own_count; j++)
            if (memcmp(keys + 32 * i, own[j], 32) == 0) { counted++; break; }
    *value = (int64_t)little(record, 8);
    return required > 0 && counted >= required;
}
