import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { type FeedAccount, nextHashAt, publisherAt } from '@assay/core/feed/feed-account';
import { keyHash, type ReportKey } from '@assay/core/view/key/keys';

/** The next step of a feed's key toward the log's. */
export type FeedStep =
  /** The feed has the promised key already, and the log may follow. */
  | { readonly kind: 'done'; readonly key: string; readonly afterHash: HashHex }
  | { readonly kind: 'waits'; readonly key: string; readonly effective: bigint }
  /** It may be handed on: to a key of the log, or to the one that the log has promised. */
  | {
      readonly kind: 'due';
      readonly publisher: string;
      readonly nextHash: HashHex;
      /** What the next key is to promise; undefined if a new key has to decide that. */
      readonly afterHash: HashHex | undefined;
    }
  /**
   * The feed has promised a key that is neither the log's nor promised by it, so it can never reach the log's
   * key.
   */
  | { readonly kind: 'stuck'; readonly publisher: string };

/** The next step of a feed's key at `now` (unix seconds). `keys` are those of the log. */
export function feedStep(
  feed: FeedAccount,
  keys: readonly ReportKey[],
  sha256: Sha256,
  now: number,
): FeedStep {
  const time = BigInt(now);
  const { rotation } = feed;
  const publisher = publisherAt(feed, time);
  const nextHash = nextHashAt(feed, time);
  if (rotation !== null && rotation.effective > time) {
    return { kind: 'waits', key: rotation.coming, effective: rotation.effective };
  }
  const last = keys.at(-1);
  const place = keys.findIndex(({ key }) => key === publisher);
  if (place < 0) {
    const isPromised = last?.next_key_sha256 === keyHash(sha256, publisher);
    if (isPromised) return { kind: 'done', key: publisher, afterHash: nextHash };
    return { kind: 'stuck', publisher };
  }
  if (place === keys.length - 1) {
    if (nextHash !== last?.next_key_sha256) return { kind: 'stuck', publisher };
    return { kind: 'due', publisher, nextHash, afterHash: undefined };
  }
  const to = keys.findIndex(({ key }) => keyHash(sha256, key) === nextHash);
  const target = keys[to];
  if (target === undefined || last === undefined) return { kind: 'stuck', publisher };
  // From an intermediate key it goes to the key in force in one more step.
  const afterHash = target === last ? last.next_key_sha256 : keyHash(sha256, last.key);
  return { kind: 'due', publisher, nextHash, afterHash };
}
