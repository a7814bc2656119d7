import { type CloseContent, parseCloseContent } from '../report/close.ts';
import type { HashHex } from '../hash/hash.ts';
import { hashHex, hex, integer, malformed, nullable, object, type Parse } from '../wire/schema.ts';

/** A Close with the publisher's signature. A later version for a day supersedes the version that it names. */
export interface CloseEntry {
  readonly content: CloseContent;
  /** 0 for the first version of a day. */
  readonly version: number;
  /** Content hash of the version before; null for the first. */
  readonly supersedes: HashHex | null;
  /** Ed25519 by the report key over `closeMessage`, hex. */
  readonly signature: string;
}

const parseShape: Parse<CloseEntry> = object<CloseEntry>({
  content: parseCloseContent,
  version: integer(0, 255),
  supersedes: nullable(hashHex),
  signature: hex(64),
});

export const parseCloseEntry: Parse<CloseEntry> = (value, at) => {
  const close = parseShape(value, at);
  if ((close.version === 0) !== (close.supersedes === null)) {
    throw malformed(`${at}.supersedes`, 'what it replaces, from version 1 on', value);
  }
  return close;
};
