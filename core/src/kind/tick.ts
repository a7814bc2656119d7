import type { HashHex } from '../hash/hash.ts';
import { hashHex, integer, object, oneOf, type Parse } from '../wire/schema.ts';
import { ASSET_CLASSES, type AssetClass } from '../terminal/tick/asset-symbol.ts';
import { tickTime } from '../terminal/calendar/grid.ts';
import { MAX_TICK_LEAVES } from '../terminal/tick/tick-leaf.ts';
import type { TimeText } from '../time/time.ts';

/** What the assets of a class show at one time of its grid. A time that was missed never gets an entry. */
export interface Tick {
  readonly class: AssetClass;
  readonly ts: TimeText;
  /** Hash of the score rule by which it was scored. */
  readonly rule: HashHex;
  /** The number of leaves. */
  readonly size: number;
  /** RFC 6962 root over the leaves. */
  readonly root: HashHex;
  /** sha256 of the blob with all leaves. */
  readonly blob: HashHex;
}

export const parseTick: Parse<Tick> = object<Tick>({
  class: oneOf(ASSET_CLASSES),
  ts: tickTime,
  rule: hashHex,
  size: integer(1, MAX_TICK_LEAVES),
  root: hashHex,
  blob: hashHex,
});
