import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';

/** A checkpoint key of a log that a witness cosigns. */
export interface KnownKey {
  /** Verifier key of type 0x01, under the log's origin. */
  readonly vkey: string;
  /** The size of the largest head that it signs; null of the key in force. */
  readonly lastSize: number | null;
}

/**
 * A log that a witness cosigns, and the keys that it trusts for it, the oldest first. A witness sees no entries, so its
 * operator adds the next key and says where the one before ended. One that follows the log gives a function instead.
 */
export interface KnownLog {
  readonly origin: string;
  readonly keys: readonly KnownKey[] | (() => readonly KnownKey[]);
}

/** The keys of which a head of `size` may have lines: first the one that has to have signed it. */
export function keysFor(
  sha256: Sha256,
  { origin, keys }: KnownLog,
  size: number,
): readonly [NoteKey, ...NoteKey[]] {
  const all = typeof keys === 'function' ? keys() : keys;
  requireTerms(origin, all);
  const at = all.findIndex(({ lastSize }) => lastSize === null || size <= lastSize);
  const [own, ...others] = [...all.slice(at), ...all.slice(0, at)].map(({ vkey }) =>
    parseNoteKey(sha256, vkey),
  );
  return [own as NoteKey, ...others];
}

/**
 * Throws `bad_config` unless each key but the last ends, not before the one before it, and the last is in force. A key that
 * was recovered from in the entry after the one that brought it ends where the one before it did, and signs no head alone.
 */
function requireTerms(origin: string, keys: readonly KnownKey[]): void {
  let before = 1;
  for (const [i, { lastSize }] of keys.entries()) {
    const isLast = i === keys.length - 1;
    const isNext = isLast ? lastSize === null : lastSize !== null && lastSize >= before;
    if (!isNext) {
      throw new Fault('bad_config', 'witness', {
        at: `${origin}, key ${i}`,
        expected: isLast ? 'no last size of the last key' : `a last size of at least ${before}`,
        found: `${lastSize ?? 'none'}`,
      });
    }
    before = lastSize ?? before;
  }
  if (keys.length > 0) return;
  throw new Fault('bad_config', 'witness', { at: origin, expected: 'a key', found: 'none' });
}
