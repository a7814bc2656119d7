import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import { formatSignatureLines, type NoteSignature, parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Concern } from '../../health/concern.ts';
import { withDeadline } from '../../platform/deadline.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { FetchNote } from './mirror-heads.ts';
import type { ProveConsistency, ShownNote, WitnessStage } from '../../ledger/witness-stage.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { originHex } from '../server/file-witness-memory.ts';
import { FileShownNote } from './file-shown-note.ts';
import {
  checkedCosignature,
  WitnessClient,
  type WitnessFetch,
  type WitnessLine,
  type WitnessPeer,
  type WitnessQuestion,
} from './witness-client.ts';

export interface GatheringTiming {
  /** Milliseconds that a witness has for its whole answer. */
  readonly timeoutMs: number;
  /** Milliseconds that the others have once enough have answered. */
  readonly graceMs: number;
  /** Milliseconds between two polls for a line that is missing or becoming stale. */
  readonly everyMs: number;
  /** Seconds after which it is reported that a witness is silent, or that readers wait. */
  readonly silentAfterS: number;
}

export const GATHERING_TIMING: GatheringTiming = {
  timeoutMs: 10_000,
  graceMs: 500,
  everyMs: 5000,
  silentAfterS: 60,
};

export interface GatheringParts {
  /** Each has its own key. */
  readonly witnesses: readonly WitnessPeer[];
  /** How many lines a head needs before readers are shown it: the log's `witnesses_required`. */
  readonly required: number;
  /** Seconds after which a line is stale: the log's `witness_max_age_s`; 0 means a day. */
  readonly maxAgeS: number;
  readonly fetch: WitnessFetch;
  /**
   * Fetches the checkpoint that a witness holds if it does not cosign this log's. Without it, that is not
   * compared.
   */
  readonly fetchHead?: FetchNote;
  readonly now: Clock;
  readonly timing?: Partial<GatheringTiming>;
  /** The file of the note that readers were shown last. Without it, the note is not stored. */
  readonly shownNote?: string;
}

/** The status of a witness, for /status. */
export interface WitnessStatus {
  readonly name: string;
  readonly url: string;
  /** The number of entries of the newest head with its line; 0 before the first. */
  readonly size: number;
  /** When it signed that, in unix seconds; null before the first. */
  readonly time: number | null;
  /** Why the newest request failed; null if it did not. */
  readonly failure: string | null;
}

/**
 * The age without a policy: a line more than a day old does not show that the witness saw the head recently.
 */
const DEFAULT_MAX_AGE_S = 86_400;

/** Seconds after which a line is stale, from a log's `witness_max_age_s`: a day if that is 0. */
export function lineAgeS(maxAgeS: number): number {
  return maxAgeS === 0 ? DEFAULT_MAX_AGE_S : maxAgeS;
}

/** Lines are renewed once an hour, or after half of their time. */
const REFRESH_S = 3600;

/** Codes of a witness that objects to the head that it was asked about. */
const AGAINST: ReadonlySet<string | undefined> = new Set(['ledger_behind', 'refused']);

/** A line, and the note that it is for. */
interface Line extends WitnessLine {
  readonly note: Uint8Array;
  readonly size: number;
}

interface Asked {
  readonly client: WitnessClient;
  readonly turn: Semaphore;
  /** Its newest line. */
  line: Line | undefined;
  failure: { readonly since: number; readonly error: unknown } | undefined;
}

/**
 * Gathers the lines of a log's witnesses on its newest head: all are asked at once, each line is checked, and a
 * wrong or late answer counts as silence. Lines are renewed before they are stale.
 */
export class Gathering implements WitnessStage {
  readonly required: number;
  readonly kept?: ShownNote;
  readonly #parts: GatheringParts;
  readonly #timing: GatheringTiming;
  readonly #maxAgeS: number;
  readonly #asked: readonly Asked[];
  readonly #stop = new AbortController();
  #head: Uint8Array | undefined;
  /** The lines that were last added to a note. */
  #given = '';
  #ledger: Ledger | undefined;
  #onHead: Parameters<NonNullable<WitnessStage['watch']>>[0] | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  /** Since when readers wait for a head that is not witnessed, in unix seconds. */
  #waitingSince: number | undefined;

  /** Throws `bad_config` if two witnesses have one key, or if more are required than there are. */
  constructor(parts: GatheringParts) {
    this.#parts = parts;
    this.required = parts.required;
    this.#timing = { ...GATHERING_TIMING, ...parts.timing };
    this.#maxAgeS = lineAgeS(parts.maxAgeS);
    requireDistinct(parts.witnesses, parts.required);
    this.#asked = parts.witnesses.map((peer) => ({
      client: new WitnessClient({ ...parts, peer, maxAgeS: this.#maxAgeS }),
      turn: new Semaphore(1),
      line: undefined,
      failure: undefined,
    }));
    if (parts.shownNote !== undefined) {
      this.kept = new FileShownNote(parts.shownNote, (note) => this.isEnough(note));
    }
  }

  /** Throws `unreachable` while fewer witnesses than required have a fresh line on the head. */
  readonly gather = async (
    note: Uint8Array,
    size: number,
    root: Hash,
    consistency: ProveConsistency,
  ): Promise<Uint8Array> => {
    this.#head = note;
    const question = { note, size, root, consistency };
    await this.#enough(this.#asked.map((each) => this.#askOne(each, question)));
    const lines = this.#linesOn(note);
    if (lines.length < Math.max(this.required, 1)) {
      throw new Fault('unreachable', 'witnesses', {
        expected: `lines of ${Math.max(this.required, 1)} witnesses`,
        found: `${lines.length}`,
      });
    }
    this.#given = formatSignatureLines(lines);
    return concatBytes(note, formatUtf8(this.#given));
  };

  readonly watch: NonNullable<WitnessStage['watch']> = (onHead) => {
    this.#onHead = onHead;
  };

  /** Whether a note has valid lines of as many distinct witnesses as are required, of any age. */
  isEnough(note: Uint8Array): boolean {
    const { text, signatures } = parseNote(note);
    const have = this.#parts.witnesses.filter(({ key }) =>
      signatures.some((line) => checkedCosignature(key, text, line) !== undefined),
    );
    return have.length >= this.required;
  }

  /** Asks again, from now on, whenever a line of the ledger's newest head is missing or becoming stale. */
  follow(ledger: Ledger): void {
    this.#ledger = ledger;
    this.#timer = setInterval(() => {
      this.#polling ??= this.poll().finally(() => {
        this.#polling = undefined;
      });
    }, this.#timing.everyMs);
  }

  /** Asks once where something is missing. Never rejects. */
  async poll(): Promise<void> {
    const note = this.#ledger?.newest?.note;
    if (note === undefined || this.#stop.signal.aborted) return;
    this.#noteWaiting();
    const isNew = formatSignatureLines(this.#linesOn(note)) !== this.#given;
    const isComplete = this.#asked.every((each) => this.#isYoung(each, note));
    if (isComplete && !isNew && !this.#isWaiting()) return;
    await this.#ledger?.askWitnesses();
    this.#noteWaiting();
  }

  /** Aborts what is under way; nobody is asked afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#polling;
  }

  get statuses(): readonly WitnessStatus[] {
    return this.#asked.map(({ client, line, failure }) => ({
      name: client.peer.key.name,
      url: client.peer.url,
      size: line?.size ?? 0,
      time: line?.time ?? null,
      failure: failure === undefined ? null : messageOf(failure.error),
    }));
  }

  /** What is wrong with the witnesses, for readers. */
  concerns(): readonly Concern[] {
    const words = [...this.#waitingText(), ...this.#asked.flatMap((each) => this.#textOf(each))];
    return words.map((reason) => ({ level: 'degraded', reason }));
  }

  #waitingText(): readonly string[] {
    const { now } = this.#parts;
    this.#noteWaiting();
    const newest = this.#ledger?.newest;
    const since = this.#waitingSince;
    if (newest === undefined || since === undefined) return [];
    if (now() - since < this.#timing.silentAfterS) return [];
    const shown = this.#ledger?.published?.size ?? 0;
    const have = this.#linesOn(newest.note).length;
    const words =
      shown === newest.size
        ? `The lines on the published head are stale`
        : `${newest.size - shown} entries are not shown yet`;
    return [`${words}: ${have} of ${this.required} witnesses have cosigned the newest head.`];
  }

  #textOf({ client, failure }: Asked): readonly string[] {
    if (failure === undefined) return [];
    const { name } = client.peer.key;
    const code = faultCode(failure.error);
    // An objection to this log is reported at once, silence only after a while.
    if (code === 'ledger_behind') {
      return [`Witness ${name} has cosigned a larger tree of this log than there is here.`];
    }
    if (code === 'refused') return [`Witness ${name} does not cosign this log's newest head.`];
    if (this.#parts.now() - failure.since < this.#timing.silentAfterS) return [];
    if (code === 'bad_note') return [`Witness ${name} answers without a valid and current line.`];
    return [`Witness ${name} does not answer.`];
  }

  #isWaiting(): boolean {
    const { newest, published } = this.#ledger ?? {};
    if (this.required === 0 || newest === undefined) return false;
    const fresh = this.#linesOn(newest.note).length;
    return published?.size !== newest.size || fresh < this.required;
  }

  #noteWaiting(): void {
    this.#waitingSince = this.#isWaiting() ? (this.#waitingSince ?? this.#parts.now()) : undefined;
  }

  async #askOne(asked: Asked, question: WitnessQuestion): Promise<boolean> {
    const { note, size } = question;
    const { now } = this.#parts;
    return asked.turn.run(async () => {
      // Another head came while this one waited for a slow answer.
      if (this.#head !== note || this.#stop.signal.aborted) return false;
      if (this.#isYoung(asked, note)) return true;
      try {
        const line = await withDeadline(
          this.#timing.timeoutMs,
          'witness',
          (signal) => asked.client.ask(question, signal),
          this.#stop.signal,
        );
        asked.line = { ...line, note, size };
        asked.failure = undefined;
        return true;
      } catch (error) {
        asked.failure = { since: asked.failure?.since ?? now(), error };
        if (AGAINST.has(faultCode(error))) await this.#compare(asked.client.peer, note);
        return false;
      }
    });
  }

  /** Compares what a witness holds with this log, which may be an old copy. */
  async #compare({ url, key }: WitnessPeer, note: Uint8Array): Promise<void> {
    const { fetchHead } = this.#parts;
    if (fetchHead === undefined || this.#stop.signal.aborted) return;
    const { origin } = parseCheckpoint(parseNote(note).text);
    try {
      const held = await fetchHead(`${url}/${originHex(origin)}/checkpoint`);
      await this.#onHead?.(`the witness ${key.name}`, held);
    } catch {
      // That it does not cosign is reported anyway, and the next request compares again.
    }
  }

  /** Resolves when all were asked, or a little after enough have given their line. */
  async #enough(answers: readonly Promise<boolean>[]): Promise<void> {
    let missing = Math.max(this.required, 1);
    let timer: NodeJS.Timeout | undefined;
    const early = new Promise<void>((resolve) => {
      for (const answer of answers) {
        void answer.then((given) => {
          if (!given) return;
          missing -= 1;
          if (missing === 0) timer = setTimeout(resolve, this.#timing.graceMs);
        });
      }
    });
    await Promise.race([Promise.all(answers), early]);
    clearTimeout(timer);
  }

  /** The lines that count on a note, in the order of the witnesses. */
  #linesOn(note: Uint8Array): readonly NoteSignature[] {
    return this.#asked.flatMap(({ line }) =>
      line !== undefined && this.#counts(line, note) ? [line.line] : [],
    );
  }

  #counts(line: Line, note: Uint8Array): boolean {
    return line.time >= this.#parts.now() - this.#maxAgeS && equalBytes(line.note, note);
  }

  /** Whether it has a line on this note that still counts and need not be renewed yet. */
  #isYoung({ line }: Asked, note: Uint8Array): boolean {
    const since = this.#parts.now() - Math.min(REFRESH_S, this.#maxAgeS / 2);
    return line !== undefined && line.time > since && this.#counts(line, note);
  }
}

function requireDistinct(witnesses: readonly WitnessPeer[], required: number): void {
  if (required > witnesses.length) {
    throw new Fault('bad_config', 'witnesses', {
      expected: `at least ${required}, as the log's policy demands`,
      found: `${witnesses.length}`,
    });
  }
  for (const [i, { key }] of witnesses.entries()) {
    const before = witnesses.slice(0, i);
    if (!before.some((each) => equalBytes(each.key.publicKey, key.publicKey))) continue;
    throw new Fault('bad_config', 'witnesses', {
      at: `witnesses.${i}`,
      expected: 'a key of its own for each',
      found: `the key of another as ${key.name}`,
    });
  }
}
