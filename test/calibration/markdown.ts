/** A table of Markdown. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Basis points as percentage points; empty for null. */
export function points(value: number | null): string {
  return value === null ? '' : (value / 100).toFixed(2);
}

/** An interval in basis points as one of percentage points; empty for null. */
export function pointsInterval(ends: readonly [number, number] | null): string {
  return ends === null ? '' : `${points(ends[0])} to ${points(ends[1])}`;
}
