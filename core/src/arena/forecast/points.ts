/**
 * The points of a forecast, from 0 to 100: `100 * max(0, 1 - 100 * |f - p| / (zeroAt * |p|))`, exact, rounded half away from
 * zero. `forecast` and `print` are integers of one scale, and `zeroAt` is the error in percent of the print at which
 * nothing is left. A print of 0 has no percentages: an exact hit has 100 and anything else 0.
 */
export function pointsOf(forecast: bigint, print: bigint, zeroAt: number): number {
  const size = print < 0n ? -print : print;
  const error = forecast < print ? print - forecast : forecast - print;
  if (size === 0n) return error === 0n ? 100 : 0;
  const whole = BigInt(zeroAt) * size;
  const left = whole - 100n * error;
  return left <= 0n ? 0 : Number((200n * left + whole) / (2n * whole));
}

/** The two values in units of the finer of their two scales, so that they can be compared exactly. */
export function inOneScale(
  a: bigint,
  aDecimals: number,
  b: bigint,
  bDecimals: number,
): readonly [a: bigint, b: bigint] {
  const decimals = Math.max(aDecimals, bDecimals);
  return [a * 10n ** BigInt(decimals - aDecimals), b * 10n ** BigInt(decimals - bDecimals)];
}
