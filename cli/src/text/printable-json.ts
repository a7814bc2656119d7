/** JSON without characters that could affect a terminal. JSON itself escapes only the first 32 characters. */
export function printableJson(value: unknown, indent: number = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]|[\p{Cf}\p{Zl}\p{Zp}]/gu,
    (each) =>
      Array.from({ length: each.length }, (_, i) => {
        return `\\u${each.charCodeAt(i).toString(16).padStart(4, '0')}`;
      }).join(''),
  );
}
