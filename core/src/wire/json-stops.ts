/**
 * The top bits of those of four bytes that are a quote, a backslash or a control character; they and no
 * others up to the first, counted from the lowest. A byte below n is found by the borrow of its subtraction
 * (S. E. Anderson, "Bit Twiddling Hacks"), which can reach into the bytes above, never below. With its
 * second bit turned a quote is just below 0x21, as the control characters are.
 */
export function jsonStops(four: number): number {
  const low = four ^ 0x02020202;
  const backslashes = four ^ 0x5c5c5c5c;
  return (((low - 0x21212121) & ~four) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080;
}
