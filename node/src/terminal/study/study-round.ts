import { setImmediate } from 'node:timers/promises';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Study } from '@assay/core/kind/study';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { STUDY_KINDS } from '@assay/core/terminal/edge/ruled-study';
import { newestStudy } from '@assay/core/view/studies';
import { newestTick } from '@assay/core/view/ticks';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type DueStudy, dueStudy } from './due-study.ts';
import { makeLiveStudy } from './live-study.ts';
import type { TickOpenings } from '../tick/tick-openings.ts';

/** The milliseconds of work after which other work can run. */
const SLICE_MS = 10;

export interface StudyRoundParts {
  readonly ledger: Pick<Ledger, 'write' | 'tip' | 'idle'>;
  /** The first so many entries of the log. */
  readonly entries: (size: number) => AsyncIterable<Uint8Array>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly openings: Pick<TickOpenings, 'since'>;
  readonly sha256: Sha256;
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
}

/**
 * The studies of one class: one for each month (UTC), over everything before the month's first tick. The
 * entries that it is made from follow from the log alone, so that an unfinished study is the same when it is
 * made again, whenever that is.
 */
export class StudyRound {
  readonly #parts: StudyRoundParts;
  /** The newest month with a tick, `YYYY-MM`, and the study that the class has in it. */
  #month: { readonly month: string; readonly study: DueStudy | undefined } | undefined;

  constructor(parts: StudyRoundParts) {
    this.#parts = parts;
  }

  get class(): AssetClass {
    return this.#parts.rule.class;
  }

  /** How many entries the study that is due is made from; undefined if none is due. */
  get due(): number | undefined {
    return this.#due?.to;
  }

  get #due(): DueStudy | undefined {
    const { tip } = this.#parts.ledger;
    const newest = newestTick(tip, this.class);
    if (newest === undefined) return undefined;
    const month = newest.slice(0, 7);
    if (this.#month?.month !== month) {
      this.#month = { month, study: dueStudy(tip, this.class, month) };
    }
    const { study } = this.#month;
    const made = newestStudy(tip, this.class)?.to ?? 0;
    return study === undefined || made >= study.to ? undefined : study;
  }

  /**
   * Makes the study of the log's first `to` entries, a little at a time, and writes it: the blob before the
   * entry. Throws the signal's reason, `out_of_range` if it is not due or if the next month has begun meanwhile, and what
   * `makeLiveStudy`, blobs and ledger throw; then nothing was written, or only a blob that no entry names.
   */
  async run(to: number, signal: AbortSignal): Promise<Study> {
    const { ledger, entries, ...parts } = this.#parts;
    const { version, monthFrom } = this.#requireDue(to);
    await ledger.idle();
    let since = performance.now();
    const pause = async (): Promise<void> => {
      if (performance.now() - since < SLICE_MS) return;
      await setImmediate();
      signal.throwIfAborted();
      since = performance.now();
    };
    const range = { version, monthFrom, entries: entries(to), to };
    const { body, blob } = await makeLiveStudy({ ...parts, ...range, pause });
    signal.throwIfAborted();
    await parts.blobs.put(blob);
    await ledger.idle();
    await ledger.write(() => {
      this.#requireDue(to);
      return [{ kind: STUDY_KINDS[version], body }];
    });
    return body;
  }

  /** Requires that a month's study comes before the next month's first tick. */
  #requireDue(to: number): DueStudy {
    const due = this.#due;
    if (due?.to === to) return due;
    const expected = due === undefined ? 'none' : `entries up to ${due.to}`;
    throw new Fault('out_of_range', 'study', { expected, found: `entries up to ${to}` });
  }
}
