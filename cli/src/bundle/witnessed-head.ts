import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { Fault } from '@assay/core/fault';
import { type NoteKey, parseNote } from '@assay/core/log/note';
import { parseCosignature } from '@assay/core/log/cosignature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { bodyOf } from '@assay/verifier/client/log-answer';

/** How often a log is asked for its newest head. */
const EVERY_MS = 250;

/** What is waited for, and for how long. */
export interface HeadTerms {
  /** Keys of witnesses, all of whose lines the head must have; empty where any line will do. */
  readonly witnesses: readonly NoteKey[];
  readonly waitMs: number;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Called while it waits, with the milliseconds so far. */
  readonly waiting: (ms: number) => void;
}

export interface WitnessedHead {
  readonly note: Uint8Array;
  /** The names of those who have cosigned it, as the lines give them. Nothing of them is checked here. */
  readonly names: readonly string[];
}

/**
 * The newest head of a log that witnesses have cosigned (C2SP tlog-cosignature): a publisher shows some heads a moment
 * before their lines are there. After the wait it is the newest head without any line where none was named, so that the
 * caller can say that. Throws `timeout` where a named witness has not signed by then, and as the reader does.
 */
export async function witnessedHead(reader: LogReader, terms: HeadTerms): Promise<WitnessedHead> {
  const began = terms.nowMs();
  for (;;) {
    const note = await bodyOf(reader, '/checkpoint');
    const { isEnough, names, missing } = linesOf(note, terms.witnesses);
    if (isEnough) return { note, names };
    const waited = terms.nowMs() - began;
    if (waited >= terms.waitMs) {
      if (terms.witnesses.length === 0) return { note, names };
      throw new Fault('timeout', 'head', {
        at: '/checkpoint',
        expected: `a line of ${missing.join(' and of ')} in ${terms.waitMs / 1000} s`,
        found: names.length === 0 ? 'no line of a witness' : `lines of ${names.join(', ')}`,
      });
    }
    terms.waiting(waited);
    await terms.pause(EVERY_MS);
  }
}

/** The lines of witnesses in a note, and whether they are enough. */
function linesOf(
  note: Uint8Array,
  wanted: readonly NoteKey[],
): {
  readonly isEnough: boolean;
  readonly names: readonly string[];
  readonly missing: readonly string[];
} {
  const { text, signatures } = parseNote(note);
  const { origin } = parseCheckpoint(text);
  const lines = signatures.filter(
    ({ name, signature }) => name !== origin && parseCosignature(signature) !== undefined,
  );
  const names = [...new Set(lines.map(({ name }) => name))];
  const missing = wanted
    .filter((key) => !lines.some(({ name, keyId }) => name === key.name && keyId === key.keyId))
    .map(({ name }) => name);
  return {
    isEnough: wanted.length === 0 ? names.length > 0 : missing.length === 0,
    names,
    missing,
  };
}
