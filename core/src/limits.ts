/** The most bytes of an entry: the largest u16 length in a C2SP entry bundle. */
export const MAX_ENTRY_BYTES = 65_535;

/** Bytes of one page of a source that a node reads and a verifier re-reads. */
export const MAX_PAGE_BYTES = 33_554_432;

/** Bytes of all pages of one answer, and of the text taken from them. A verifier holds them in memory at once. */
export const MAX_READ_BYTES = 67_108_864;

/** Nesting depth of a source's JSON. */
export const MAX_SOURCE_DEPTH = 64;

/** Records that one source page may hold: rows of a table, items of an array, arrays and objects. */
export const MAX_SOURCE_ROWS = 2_000_000;

/** Values in those records: fields of a table, values of a JSON text. In memory they take much more than in the page. */
export const MAX_SOURCE_VALUES = 8_000_000;

/**
 * Characters of a number in a source, and digits of what is computed from it. No number that a rule reads comes near.
 */
export const MAX_NUMBER_DIGITS = 100;

/** Periods of a series: 54 years of days. It bounds what is computed for each of them. */
export const MAX_SERIES_PERIODS = 20_000;

/** Rows of one `revision` entry, so that it stays below the limit of an entry. */
export const MAX_REVISION_ROWS = 1000;

/**
 * Bytes of a read times the steps that a rule runs over them: what one read may cost. Each operation is linear in its
 * input, so this bounds the time of a read, and everybody counts it in the same way. It allows eight steps over a page
 * at its limit.
 */
export const MAX_READ_WORK = 268_435_456;

/** Values that a bundle may hold, far more than any number needs. */
export const MAX_BUNDLE_VALUES = 100_000;
