import type { HashHex } from '../hash/hash.ts';
import { hashHex, integer, malformed, object, oneOf, type Parse } from '../wire/schema.ts';
import { ASSET_CLASSES, type AssetClass } from '../terminal/tick/asset-symbol.ts';
import { wire } from '../wire/wire.ts';

/**
 * A frozen study of a class's events: what usually happened after similar moves. The kinds of both versions of
 * studies have this body.
 */
export interface Study {
  readonly class: AssetClass;
  /** The entries of the log that it is made from: `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  /** Hash of the score rule of the class's newest tick in that range. */
  readonly rule: HashHex;
  /** sha256 of the blob with its groups (docs/spec/base-rate.md, base-rate-1.md). */
  readonly blob: HashHex;
}

const seq = integer(0, Number.MAX_SAFE_INTEGER);

const parseShape: Parse<Study> = object<Study>({
  class: oneOf(ASSET_CLASSES),
  from: seq,
  to: seq,
  rule: hashHex,
  blob: hashHex,
});

/** A study's body, or `malformed`. Its range must not be empty. */
export const parseStudy: Parse<Study> = (value, at) => {
  const study = parseShape(value, at);
  if (study.from >= study.to) {
    throw malformed(`${at}.to`, `above ${study.from}`, wire(study));
  }
  return study;
};
