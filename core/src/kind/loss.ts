import { Fault } from '../fault.ts';
import type { HashHex } from '../hash/hash.ts';
import { isHex } from '../bytes/hex.ts';

/**
 * Entries that a log acknowledged and lost: the text of a `note/1` that a restore appends in the place of the
 * first of them, so that an honest loss can be distinguished from a promise that was broken. It takes nothing
 * back: whoever holds a receipt or a signed head of what was lost has evidence as before, and reads this
 * together with it.
 *
 *     assay-loss/1
 *     from <seq of the first lost entry, which is the note's own>
 *     to <seq behind the last, or "unknown">
 *     root <root of the tree of `to` entries, 64 hex digits, or "unknown">
 *     known <by whom the loss is known: "guard", "operator" or "nobody">
 *     (empty line)
 *     a sentence that follows from the lines above
 */
export interface Loss {
  readonly from: number;
  readonly to: number | null;
  readonly root: HashHex | null;
  /** `guard`: the head guard held the head. `operator`: whoever restored the log says so. `nobody`: it cannot be excluded. */
  readonly known: (typeof KNOWN)[number];
}

const KNOWN = ['guard', 'operator', 'nobody'] as const;
const TYPE = 'assay-loss/1\n';

const TEXT =
  /^assay-loss\/1\nfrom ([0-9]{1,15})\nto ([0-9]{1,15}|unknown)\nroot ([0-9a-f]{64}|unknown)\nknown ([a-z]{1,8})\n\n/;

/** The text of the note. */
export function formatLoss({ from, to, root, known }: Loss): string {
  const lines = [`from ${from}`, `to ${to ?? 'unknown'}`, `root ${root ?? 'unknown'}`];
  return `${TYPE}${lines.join('\n')}\nknown ${known}\n\n${sentence(from, to)}\n`;
}

function sentence(from: number, to: number | null): string {
  const what =
    to === null
      ? `Entries from ${from} on may have been acknowledged before this log was restored, and could not be brought back.`
      : `The ${to - from} entries from ${from} to ${to - 1} were acknowledged before this log was restored, and could not be brought back.`;
  return `${what} What stands in their places from here on is not what stood there.`;
}

/** Whether a note's text begins like a loss. */
export function isLossText(text: string): boolean {
  return text.startsWith(TYPE);
}

/** The loss in a note's text. Throws `malformed` for anything but what `formatLoss` writes. */
export function parseLoss(text: string): Loss {
  const [, from, to, root, known] = TEXT.exec(text) ?? [];
  const by = KNOWN.find((each) => each === known);
  if (from === undefined || by === undefined) throw malformed(text);
  const loss: Loss = {
    from: Number(from),
    to: to === 'unknown' ? null : Number(to),
    root: root === undefined || !isHex(root, 32) ? null : (root as HashHex),
    known: by,
  };
  const isRange = loss.to === null ? loss.root === null : loss.to > loss.from;
  if (!isRange || formatLoss(loss) !== text) throw malformed(text);
  return loss;
}

function malformed(text: string): Fault {
  const found = JSON.stringify(text.slice(0, 80));
  return new Fault('malformed', 'note of a loss', { expected: TYPE.trim(), found });
}
