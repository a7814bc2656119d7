/** Keeps two words on one line. It is shown as a space. */
export const TIE = '\u00a0';

/** A number and its noun, with digits in groups of three. */
export function count(n: number, one: string, many: string = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** Such as `832,608`. */
export function grouped(n: number): string {
  return String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
