import { messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { isLossText, type Loss, parseLoss } from '@assay/core/kind/loss';
import {
  isSuccessionText,
  parseSuccession,
  type SuccessionFacts,
  successionFacts,
} from '@assay/core/kind/succession';
import { type Note, parseNote, parseNoteKey } from '@assay/core/log/note';
import type { Environment } from '../verdict/environment.ts';
import { isSignedBy } from '../trust/signed-note.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** What a log declares about itself in a note: that it lost entries, or that it succeeds another log. */
export type Declared =
  | { readonly kind: 'loss'; readonly seq: number; readonly loss: Loss }
  | {
      readonly kind: 'succession';
      readonly seq: number;
      readonly facts: SuccessionFacts;
      /** Whether the checkpoint key in the genesis of the old log signed the declaration. */
      readonly signed: boolean;
    }
  /** The note begins like a declaration but is not a valid one; `reason` says why. */
  | { readonly kind: 'unproven'; readonly seq: number; readonly reason: string };

/** Whether a note's text is meant to declare something. */
export function isDeclaration(text: string): boolean {
  return isLossText(text) || isSuccessionText(text);
}

/** What the note at `seq` of the log `log` declares. It never throws, whatever the text is. */
export async function readDeclaration(
  text: string,
  { seq, log }: { readonly seq: number; readonly log: HashHex },
  environment: Pick<Environment, 'sha256' | 'verifySignature'>,
): Promise<Declared> {
  try {
    if (isLossText(text)) {
      const loss = parseLoss(text);
      if (loss.from === seq) return { kind: 'loss', seq, loss };
      return {
        kind: 'unproven',
        seq,
        reason: `it names entry ${loss.from}, not of its own place`,
      };
    }
    return await succession(text, { seq, log }, environment);
  } catch (error) {
    return { kind: 'unproven', seq, reason: messageOf(error) };
  }
}

async function succession(
  text: string,
  { seq, log }: { readonly seq: number; readonly log: HashHex },
  environment: Pick<Environment, 'sha256' | 'verifySignature'>,
): Promise<Declared> {
  const { sha256 } = environment;
  const { succession: parsed, text: signed, signatures } = parseSuccession(sha256, text);
  const facts = successionFacts(sha256, parsed);
  const unproven = (reason: string): Declared => ({ kind: 'unproven', seq, reason });
  if (seq !== 1) return unproven('it is not entry 1');
  if (parsed.by !== log)
    return unproven(`it names ${parsed.by} as the successor, which is another log`);
  if (facts.log === log) return unproven('it names its own log as the one before');
  const key = parseNoteKey(sha256, facts.genesis.checkpoint_vkey);
  const heads = [parsed.head, ...(parsed.lost === null ? [] : [parsed.lost])].map(parseNote);
  for (const head of heads) {
    if (!(await isSignedBy(head, key, environment))) {
      return unproven(
        `a head in it has no good signature of ${facts.genesis.checkpoint_vkey}, the key in the genesis of that ` +
          'log, and a succession cannot show a key that took its place',
      );
    }
  }
  const note: Note = { text: signed, signatures };
  return { kind: 'succession', seq, facts, signed: await isSignedBy(note, key, environment) };
}

/** How many declarations of one log are kept. Those beyond it are only counted. */
const MAX_KEPT = 1000;

/** What a `DeclaredList` holds, and how many declarations it only counts. */
export interface KeptDeclarations {
  readonly list: readonly Declared[];
  readonly over: number;
}

/** What a log declares about itself, in the order of its entries. A declaration takes no other finding back. */
export class DeclaredList {
  readonly #kept: Declared[] = [];
  #over = 0;

  add(declared: Declared): void {
    if (this.#kept.length < MAX_KEPT) this.#kept.push(declared);
    else this.#over += 1;
  }

  get list(): readonly Declared[] {
    return this.#kept;
  }

  get kept(): KeptDeclarations {
    return { list: this.#kept, over: this.#over };
  }

  /** Goes on as the one that was kept. */
  resume({ list, over }: KeptDeclarations): void {
    this.#kept.push(...list);
    this.#over = over;
  }

  /** The loss whose range an entry lies in, as the log declares it; undefined where no loss covers the entry. */
  lossOf(seq: number): Loss | undefined {
    for (const each of this.#kept) {
      if (each.kind !== 'loss') continue;
      const { from, to } = each.loss;
      if (seq >= from && (to === null || seq < to)) return each.loss;
    }
    return undefined;
  }

  /**
   * Adds the declarations to the reservations of a verdict. All losses share one line, so that many of them hide
   * nothing else.
   */
  name(notChecked: NotCheckedList): void {
    for (const each of this.#kept) {
      if (each.kind === 'loss') {
        notChecked.add('completeness', LOST, WHY_LOST, 'own_copies', rangeText(each.loss));
        notChecked.count('lost_ranges', 1);
      } else if (each.kind === 'succession') {
        notChecked.add('completeness', ...successionText(each.facts, each.signed), 'other_log');
      } else {
        notChecked.add(
          'completeness',
          UNPROVEN,
          WHY_UNPROVEN,
          'ask_publisher',
          `entry ${each.seq}: ${each.reason}`,
        );
      }
    }
    if (this.#over === 0) return;
    const what = `${this.#over} more notes of a loss or a succession`;
    notChecked.add('completeness', what, `only the first ${MAX_KEPT} are read`, 'limits');
  }
}

const LOST = 'entries that this log says it lost before a restore';
const WHY_LOST =
  'nobody can show them; a receipt or a signed head of then is evidence as before, to be held against the note';
const UNPROVEN = 'notes that begin as one of a loss or of a succession';
const WHY_UNPROVEN = 'they are none, and declare nothing';

/** The range of a loss as text. */
export function rangeText({ from, to }: Loss): string {
  if (to === null) return `${from} and later`;
  return to === from + 1 ? `${from}` : `${from} to ${to - 1}`;
}

function successionText(
  { log, genesis, head, lost }: SuccessionFacts,
  signed: boolean,
): [what: string, why: string] {
  const gone =
    lost === null
      ? ''
      : `; it says that nobody holds the entries ${head.size} to ${lost.size - 1} of that, which a signed head covers`;
  const by = signed
    ? "that log's first checkpoint key signed the succession; whether another took its place, that log shows"
    : 'nothing of that log signs the succession: anybody could write it';
  return [
    `the log ${log} (${genesis.origin}), which this one says it succeeds after its head of ${head.size} entries and root ${formatHex(head.root)}`,
    `it is another log, which must be verified by itself. In this one, ${by}${gone}`,
  ];
}
