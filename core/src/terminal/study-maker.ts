import { contentHash, hashHex, type Sha256 } from '../hash.ts';
import type { KnownBody } from '../kind/kinds.ts';
import type { Study } from '../kind/study.ts';
import { makeStudy } from './base-rate.ts';
import { OrdinarySample, type OrdinaryTick } from './ordinary-sample.ts';
import { type ScoreRule, scoreRuleHash } from './score-rule.ts';
import { formatStudyBlob } from './study-blob.ts';
import { StudyEvents } from './study-events.ts';

/** The body of a `study/1` entry, and the blob that it names, which is put before it. */
export interface MadeStudy {
  readonly body: Study;
  readonly blob: Uint8Array;
}

/** The study of a class over a range of a log that it is told of entry by entry and tick by tick. */
export class StudyMaker {
  readonly sample: OrdinarySample;
  readonly #sha256: Sha256;
  readonly #rule: ScoreRule;
  readonly #events: StudyEvents;

  constructor(sha256: Sha256, rule: ScoreRule) {
    this.#sha256 = sha256;
    this.#rule = rule;
    this.#events = new StudyEvents(rule.class);
    this.sample = new OrdinarySample(rule);
  }

  /** An entry of the range. */
  take(entry: KnownBody): void {
    this.#events.take(entry);
  }

  /** A tick of the range, with the events that open at it. */
  tick(tick: OrdinaryTick): void {
    this.sample.step(tick);
  }

  /** The study of the entries `from` up to and without `to`. Ends the maker. */
  make(from: number, to: number): MadeStudy {
    const { class: of } = this.#rule;
    const rule = scoreRuleHash(this.#sha256, this.#rule);
    const [events, ordinary] = [this.#events.closed, this.sample.end()];
    const study = makeStudy(this.#sha256, { class: of, rule, from, to, events, ordinary });
    const blob = formatStudyBlob(study);
    const body = { class: of, rule, from, to, blob: hashHex(contentHash(this.#sha256, blob)) };
    return { body, blob };
  }
}
