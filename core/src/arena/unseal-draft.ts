import { formatUtf8 } from '../bytes/utf8.ts';
import type { Sha256 } from '../hash/hash.ts';
import type { Unseal, UnsealVoid } from '../kind/unseal.ts';
import { type Checkpoint, parseCheckpoint } from '../log/checkpoint.ts';
import { cosignatureMessage, parseCosignature } from '../log/cosignature.ts';
import { NOTE_COSIGNATURE, parseNote, parseNoteKey } from '../log/note.ts';
import type { RoundRow } from '../view/rounds.ts';
import type { ViewState } from '../view/view.ts';
import { type RoundTerms, roundTerms } from './round-times.ts';

/** A line of a witness on a checkpoint that covers a freeze. Its signature is not checked yet. */
export interface WitnessLine {
  /** The witness's Ed25519 key. */
  readonly key: Uint8Array;
  /** The witness's verifier key, as the arena rule has it. */
  readonly vkey: string;
  /** When it signed, by its own clock, in Unix seconds. */
  readonly time: number;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** The check of an Ed25519 signature. */
export type VerifyLine = (
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** A note that is to show that a round was frozen in time: its checkpoint, and the lines that may count. */
export interface FreezeNote {
  readonly checkpoint: Checkpoint;
  readonly lines: readonly WitnessLine[];
}

/**
 * What a signed note states about a freeze: its checkpoint, and the lines of the arena rule's witnesses that are timed before the
 * beacon's round. Throws `bad_note`, `bad_base64` or `bad_utf8`.
 */
export function freezeNote(sha256: Sha256, text: string, terms: RoundTerms): FreezeNote {
  const note = parseNote(formatUtf8(text));
  const checkpoint = parseCheckpoint(note.text);
  const lines = terms.arena.witnesses.keys.flatMap((vkey) => {
    const { name, keyId, publicKey } = parseNoteKey(sha256, vkey, NOTE_COSIGNATURE);
    return note.signatures.flatMap((line) => {
      const of = line.name === name && line.keyId === keyId;
      const cosignature = of ? parseCosignature(line.signature) : undefined;
      if (cosignature === undefined || cosignature.time >= terms.unseals) return [];
      const { time, signature } = cosignature;
      const message = cosignatureMessage(note.text, time);
      return [{ key: publicKey, vkey, time, message, signature }];
    });
  });
  return { checkpoint, lines };
}

/**
 * Whether enough witnesses have signed a note in time, each counted once. The
 * checkpoint has to be of this log and to cover the freeze as well, which whoever has the tree compares.
 */
export async function isWitnessed(
  { lines }: FreezeNote,
  { arena }: RoundTerms,
  verify: VerifyLine,
): Promise<boolean> {
  return countWitnesses(await signedLines(lines, verify)) >= arena.witnesses.required;
}

/** The lines that verify. */
export async function signedLines(
  lines: readonly WitnessLine[],
  verify: VerifyLine,
): Promise<readonly WitnessLine[]> {
  const signed: WitnessLine[] = [];
  for (const line of lines) {
    if (await verify(line.key, line.message, line.signature)) signed.push(line);
  }
  return signed;
}

/** How many witnesses lines are of, each counted once. */
export function countWitnesses(lines: readonly Pick<WitnessLine, 'key'>[]): number {
  return new Set(lines.map(({ key }) => key.join())).size;
}

/** What a node has for opening a round at `now`. */
export interface UnsealInput {
  /** Unix seconds. */
  readonly now: number;
  /** A note that is witnessed (`isWitnessed`) and covers the freeze; undefined where there is none. */
  readonly note: string | undefined;
  /** The beacon's signature of the round's `drand_round`, verified, hex; undefined where it could not be had yet. */
  readonly signature: string | undefined;
}

/**
 * The body of the entry that opens a frozen round, or makes it void. Undefined while the beacon's round is not out, and while
 * its signature is missing and may still come. It is an unwitnessed round from the moment at which the beacon's round
 * is out, because whoever signs later may have seen what it opens.
 */
export function draftUnseal(
  state: ViewState,
  row: RoundRow,
  { now, note, signature }: UnsealInput,
): Unseal | undefined {
  const terms = roundTerms(state, row);
  if (terms === undefined || row.freeze === null || row.unseal !== null) return undefined;
  if (now < terms.unseals) return undefined;
  const round = row.body.id;
  if (now >= terms.release) {
    return voided(round, signature === undefined ? 'no_beacon' : 'too_late');
  }
  if (note === undefined) return voided(round, 'unwitnessed');
  if (signature === undefined) return undefined;
  return { round, signature, note, void_reason: null };
}

function voided(round: string, reason: UnsealVoid): Unseal {
  return { round, signature: null, note: null, void_reason: reason };
}

/** Whether a round may be void for a reason at a time in Unix seconds. */
export function mayBeVoid(
  { unseals, release }: RoundTerms,
  reason: UnsealVoid,
  now: number,
): boolean {
  return now >= unseals && (reason === 'unwitnessed' ? now < release : now >= release);
}
