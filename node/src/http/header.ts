import type { HeadBuffer } from './head-buffer.ts';

export type HeaderList = readonly (readonly [name: string, value: string])[];

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/; // RFC 9110, 5.6.2, in lower case
const VALUE = /^[\t\x20-\x7e]*$/; // RFC 9110, 5.5, without obs-text

/** Returns `list` if each pair can be sent as it is. Throws a TypeError, so that no value can add a line. */
export function requireHeaders(list: HeaderList): HeaderList {
  for (const [name, value] of list) {
    if (!NAME.test(name)) throw new TypeError('a header name is not a lower-case token');
    if (!VALUE.test(value)) throw new TypeError(`the header ${name} is not printable ASCII`);
  }
  return list;
}

/**
 * Headers that are sent many times: checked once, and formatted once for each transport. Sending one costs
 * almost nothing, so a header that changes rarely is a block that is made anew when it changes.
 */
export interface HeaderBlock {
  readonly list: HeaderList;
  /** name, value, name, value: the form that `node:http` takes. */
  readonly flat: readonly string[];
  /** Adds each `name: value`, preceded by CRLF. */
  addTo(head: HeadBuffer): void;
}

class FixedBlock implements HeaderBlock {
  readonly list: HeaderList;
  readonly flat: readonly string[];
  readonly #bytes: Uint8Array;

  constructor(list: HeaderList) {
    this.list = requireHeaders(list);
    this.flat = list.flat();
    this.#bytes = Buffer.from(list.map(([name, value]) => `\r\n${name}: ${value}`).join(''));
  }

  addTo(head: HeadBuffer): void {
    head.addBytes(this.#bytes);
  }
}

export function headerBlock(list: HeaderList): HeaderBlock {
  return new FixedBlock(list);
}
