export type HeaderList = readonly (readonly [name: string, value: string])[];

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/; // RFC 9110, 5.6.2, in lower case
const VALUE = /^[\t\x20-\x7e]*$/; // RFC 9110, 5.5, without obs-text

/** `list` when each pair may go on the wire as it is. Throws TypeError, so that no value can add a line. */
export function requireHeaders(list: HeaderList): HeaderList {
  for (const [name, value] of list) {
    if (!NAME.test(name)) throw new TypeError('a header name is not a lower-case token');
    if (!VALUE.test(value)) throw new TypeError(`the header ${name} is not printable ASCII`);
  }
  return list;
}

/**
 * Headers that go out many times: checked once, and laid out once for each transport. To send one
 * costs next to nothing, so a header that changes now and then is a block that is made anew then.
 */
export interface HeaderBlock {
  readonly list: HeaderList;
  /** Each `name: value` with CRLF before it. */
  readonly lines: string;
  /** name, value, name, value: what `node:http` takes. */
  readonly flat: readonly string[];
}

export function headerBlock(list: HeaderList): HeaderBlock {
  requireHeaders(list);
  return {
    list,
    lines: list.map(([name, value]) => `\r\n${name}: ${value}`).join(''),
    flat: list.flat(),
  };
}
