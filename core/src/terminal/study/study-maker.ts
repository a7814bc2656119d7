import { contentHash, hashHex, type Sha256 } from '../../hash/hash.ts';
import type { KnownBody } from '../../kind/kinds.ts';
import type { Study } from '../../kind/study.ts';
import { runSteps, type Steps } from '../../steps.ts';
import { DAY_SECONDS, parseTime } from '../../time/time.ts';
import type { AssetClass } from '../tick/asset-symbol.ts';
import { studySteps } from './base-rate.ts';
import { OrdinarySample, type OrdinaryTick } from './ordinary-sample.ts';
import { type ScoreRule, scoreRuleHash } from '../rule/score-rule.ts';
import { formatStudyBlob } from './study-blob.ts';
import { StudyEvents } from './study-events.ts';
import type { BoardRow, TickStep } from '../terminal.ts';

/** The body of a `study/1` entry, and the blob that it names, which has to be stored first. */
export interface MadeStudy {
  readonly body: Study;
  readonly blob: Uint8Array;
}

/**
 * The classes that studies are frozen for. Stocks are not among them: too few of their events are recorded
 * (docs/calibration.md), and their half days are not on the hour.
 */
export const STUDIED: ReadonlySet<AssetClass> = new Set(['crypto']);

/** The seconds from a class's first tick after which the first of a month has a study. */
export const STUDY_AFTER_S: number = 60 * DAY_SECONDS;

/**
 * Makes the study of a class over a range of a log. It must receive the entries one by one, and the prices of
 * each tick before the entries that the tick makes due.
 */
export class StudyMaker {
  readonly #sample: OrdinarySample;
  readonly #sha256: Sha256;
  #rule: ScoreRule;
  readonly #events: StudyEvents;

  constructor(sha256: Sha256, rule: ScoreRule) {
    this.#sha256 = sha256;
    this.#rule = rule;
    this.#events = new StudyEvents(rule.class);
    this.#sample = new OrdinarySample(rule);
  }

  /** The next tick names a later version of the rule, and so does the study. */
  under(rule: ScoreRule): void {
    this.#rule = rule;
    this.#sample.under(rule);
  }

  /** Takes an entry of the range. */
  take(entry: KnownBody): void {
    this.#events.take(entry);
    switch (entry.kind) {
      case 'asset/1': {
        const { symbol, listed } = entry.body;
        if (listed) this.#sample.list(symbol);
        else this.#sample.delist(symbol);
        return;
      }
      case 'split/1':
        this.#sample.split(entry.body.symbol, parseTime(entry.body.effective_at), entry.body);
        return;
      case 'event/1': {
        const { symbol, class: of, opened_at } = entry.body;
        if (of === this.#rule.class) this.#sample.event(symbol, parseTime(opened_at));
      }
    }
  }

  /** Takes a tick of the range. */
  tick(tick: OrdinaryTick): void {
    this.#sample.step(tick);
  }

  /** Takes a tick of the range as an engine makes it, with everything that it makes due. */
  step(ts: number, index: number, { board, drafts }: Pick<TickStep, 'board' | 'drafts'>): void {
    const row = (symbol: string): BoardRow | undefined => board.get(symbol);
    this.tick({
      ts,
      index,
      good: { has: (symbol) => row(symbol)?.good === true },
      scored: () => [...board.keys()].filter((symbol) => row(symbol)?.score !== null),
      price: (symbol) => row(symbol)?.price as number,
    });
    for (const draft of drafts) this.take(draft);
  }

  /** Makes the study of the entries from `from` to before `to`. Ends the maker. */
  make(from: number, to: number): MadeStudy {
    return runSteps(this.steps(from, to));
  }

  /** The same in steps, because the draws of a large study take seconds. */
  *steps(from: number, to: number): Steps<MadeStudy> {
    const { class: of } = this.#rule;
    const rule = scoreRuleHash(this.#sha256, this.#rule);
    const [events, ordinary] = [this.#events.closed, this.#sample.end()];
    const study = yield* studySteps(this.#sha256, { class: of, rule, from, to, events, ordinary });
    const blob = formatStudyBlob(study);
    const body = { class: of, rule, from, to, blob: hashHex(contentHash(this.#sha256, blob)) };
    return { body, blob };
  }
}
