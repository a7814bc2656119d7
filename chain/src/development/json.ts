/** A JSON value to be written. A bigint is an integer of any size. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

export type JsonObject = { readonly [key: string]: Json | undefined };

/** JSON text (RFC 8259) with integers beyond 2^53 in full, as Solana nodes write them. */
export function formatJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(formatJson).join(',')}]`;
  const members = Object.entries(value).flatMap(([key, each]) =>
    each === undefined ? [] : [`${JSON.stringify(key)}:${formatJson(each)}`],
  );
  return `{${members.join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
