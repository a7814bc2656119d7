/** The years that the calendar covers. */
export const XNYS_YEARS = { first: 2019, last: 2030 } as const;

/**
 * Weekdays without a session of the New York Stock Exchange, as month and day by year: NYSE Rule 7.2, its
 * announcements until 2028, the same rule for the years after them, and the day of mourning on 2025-01-09. If
 * another day is cancelled later, it keeps its counts, whose ticks then do not come, because scores depend on
 * counts that never change.
 */
export const XNYS_CLOSED: Readonly<Record<number, string>> = {
  2019: '01-01 01-21 02-18 04-19 05-27 07-04 09-02 11-28 12-25',
  2020: '01-01 01-20 02-17 04-10 05-25 07-03 09-07 11-26 12-25',
  2021: '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24',
  2022: '01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26',
  2023: '01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25',
  2024: '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25',
  2025: '01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25',
  2026: '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25',
  2027: '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24',
  2028: '01-17 02-21 04-14 05-29 06-19 07-04 09-04 11-23 12-25',
  2029: '01-01 01-15 02-19 03-30 05-28 06-19 07-04 09-03 11-22 12-25',
  2030: '01-01 01-21 02-18 04-19 05-27 06-19 07-04 09-02 11-28 12-25',
};

/** Days on which it closes at 13:00, in the same form. */
export const XNYS_HALF: Readonly<Record<number, string>> = {
  2019: '07-03 11-29 12-24',
  2020: '11-27 12-24',
  2021: '11-26',
  2022: '11-25',
  2023: '07-03 11-24',
  2024: '07-03 11-29 12-24',
  2025: '07-03 11-28 12-24',
  2026: '11-27 12-24',
  2027: '11-26',
  2028: '07-03 11-24',
  2029: '07-03 11-23 12-24',
  2030: '07-03 11-29 12-24',
};
