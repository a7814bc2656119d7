import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { type AnswerOpening, ANSWERS } from '@assay/core/referee/answer-leaf';
import { hex, integer, object, oneOf, type Parse } from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import { PrivateLog } from '../intake/private-log.ts';
import { addressHash, CALLER_KEY_BYTES, type Caller, callerHash } from './caller-key.ts';

/** The folders of what only the publisher has of answers. */
export interface AnswerFolders {
  /** The key of each open question, with its callers. In no back-up, and removed after the close. */
  readonly callers: string;
  /** What opens the leaves of each open question. */
  readonly openings: string;
}

/** An answer that has its place. */
export interface PlacedAnswer extends AnswerOpening {
  readonly ordinal: number;
  /** Keyed hashes. */
  readonly caller: string;
  readonly address: string;
}

interface KeyLine {
  readonly key: string;
}
type CallerLine = Pick<PlacedAnswer, 'ordinal' | 'caller' | 'address'>;
type OpeningLine = AnswerOpening & { readonly ordinal: number };

const ordinal = integer(0, Number.MAX_SAFE_INTEGER);
const parseKey: Parse<KeyLine> = object<KeyLine>({ key: hex(CALLER_KEY_BYTES) });
const parseCaller: Parse<CallerLine> = object<CallerLine>({
  ordinal,
  caller: hex(32),
  address: hex(32),
});
const parseOpening: Parse<OpeningLine> = object<OpeningLine>({
  ordinal,
  nonce: hex(32),
  salt: hex(32),
  answer: oneOf(ANSWERS),
});

/**
 * The two files of a question that takes answers. A line whose ordinal is not in the log was never acknowledged: it was
 * written before a crash, and the next answer has its ordinal. So of two lines with one ordinal the later counts.
 */
export class QuestionFiles {
  readonly #question: string;
  readonly #key: Uint8Array;
  readonly #callers: PrivateLog;
  readonly #openings: PrivateLog;
  readonly #byCaller = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();
  readonly #answers = new Map<number, AnswerOpening>();

  private constructor(
    question: string,
    key: Uint8Array,
    callers: PrivateLog,
    openings: PrivateLog,
  ) {
    this.#question = question;
    this.#key = key;
    this.#callers = callers;
    this.#openings = openings;
  }

  /** `count` is the number of leaves that the log has. Throws what the files throw, and `malformed` for another line. */
  static async open(
    folders: AnswerFolders,
    question: string,
    count: number,
    { sync, random }: { readonly sync: boolean; readonly random: (size: number) => Uint8Array },
  ): Promise<QuestionFiles> {
    const paths = pathsOf(folders, question);
    const callers = await PrivateLog.open(paths.callers, { sync });
    const openings = await PrivateLog.open(paths.openings, { sync });
    const [first, ...rest] = callers.values as readonly WireValue[];
    const key = first === undefined ? random(CALLER_KEY_BYTES) : parseHex(parseKey(first, '').key);
    const files = new QuestionFiles(question, key, callers.log, openings.log);
    const placed = new Map<number, CallerLine>();
    for (const value of rest) {
      const line = parseCaller(value, paths.callers);
      placed.set(line.ordinal, line);
    }
    for (const line of placed.values()) if (line.ordinal < count) files.#count(line);
    for (const [place, opening] of openingsIn(openings.values, paths.openings)) {
      if (place < count) files.#answers.set(place, opening);
    }
    if (first === undefined) await callers.log.append([{ key: formatHex(key) }]);
    return files;
  }

  /** The keyed hashes of a caller. */
  hashesOf(caller: Caller): { readonly caller: string; readonly address: string } {
    return {
      caller: callerHash(this.#key, this.#question, caller),
      address: addressHash(this.#key, this.#question, caller),
    };
  }

  /** The ordinal of a caller's answer; undefined for one who has not answered. */
  ordinalOf(caller: string): number | undefined {
    return this.#byCaller.get(caller);
  }

  /** How many answers an address has given. */
  countOf(address: string): number {
    return this.#byAddress.get(address) ?? 0;
  }

  /** What opens the leaf at an ordinal. Throws `not_found`. */
  openingAt(place: number): AnswerOpening {
    return required(this.#answers, this.#question, place);
  }

  /** Stores answers, before their leaves are in the log. */
  async store(answers: readonly PlacedAnswer[]): Promise<void> {
    await Promise.all([
      this.#callers.append(
        answers.map(({ ordinal: place, caller, address }) => ({ ordinal: place, caller, address })),
      ),
      this.#openings.append(
        answers.map(({ ordinal: place, nonce, salt, answer }) => ({
          ordinal: place,
          nonce,
          salt,
          answer,
        })),
      ),
    ]);
  }

  /** Counts answers whose leaves the log has now. */
  accept(answers: readonly PlacedAnswer[]): void {
    for (const { nonce, salt, answer, ...line } of answers) {
      this.#count(line);
      this.#answers.set(line.ordinal, { nonce, salt, answer });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#callers.close(), this.#openings.close()]);
  }

  #count({ ordinal: place, caller, address }: CallerLine): void {
    this.#byCaller.set(caller, place);
    this.#byAddress.set(address, this.countOf(address) + 1);
  }
}

/** What opens the first `count` leaves of a question, by ordinal. Throws `not_found` where one is missing. */
export async function readOpenings(
  folders: AnswerFolders,
  question: string,
  count: number,
): Promise<readonly AnswerOpening[]> {
  const path = pathsOf(folders, question).openings;
  const { log, values } = await PrivateLog.open(path);
  await log.close();
  const answers = openingsIn(values, path);
  return Array.from({ length: count }, (_, place) => required(answers, question, place));
}

/** Of two lines with one ordinal the later counts. */
function openingsIn(values: readonly unknown[], path: string): Map<number, AnswerOpening> {
  const answers = new Map<number, AnswerOpening>();
  for (const value of values as readonly WireValue[]) {
    const { ordinal: place, ...opening } = parseOpening(value, path);
    answers.set(place, opening);
  }
  return answers;
}

function required(
  answers: ReadonlyMap<number, AnswerOpening>,
  question: string,
  place: number,
): AnswerOpening {
  const opening = answers.get(place);
  if (opening !== undefined) return opening;
  const expected = `the opening of leaf ${place}`;
  throw new Fault('not_found', 'answer', { at: `question ${question}`, expected });
}

/** Removes the key of a question with its callers. */
export async function removeCallers(folders: AnswerFolders, question: string): Promise<void> {
  await rm(pathsOf(folders, question).callers, { force: true });
}

/** Removes what was kept of a question: its key and its callers first. */
export async function removeQuestionFiles(folders: AnswerFolders, question: string): Promise<void> {
  const { callers, openings } = pathsOf(folders, question);
  await rm(callers, { force: true });
  await rm(openings, { force: true });
}

function pathsOf({ callers, openings }: AnswerFolders, question: string): AnswerFolders {
  return { callers: join(callers, question), openings: join(openings, question) };
}
