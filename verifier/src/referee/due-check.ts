import type { RefereeDue } from '@assay/core/referee/referee-dues';
import { firstDifference } from '../verdict/difference.ts';
import type { FindingCode, Findings } from '../verdict/finding.ts';

type Fault = 'missing' | 'differs' | 'not_due';

const CODES: Readonly<Record<RefereeDue['kind'], Readonly<Record<Fault, FindingCode>>>> = {
  'question/1': {
    missing: 'question_missing',
    differs: 'question_differs',
    not_due: 'question_not_due',
  },
  'outcome/1': {
    missing: 'outcome_missing',
    differs: 'outcome_differs',
    not_due: 'outcome_not_due',
  },
};

/** The entries of a tick that have not come yet. */
export interface KeptOwed {
  /** The place of the tick's entry. */
  readonly place: string;
  /** In the order in which they are due. */
  readonly waiting: Map<string, { readonly order: number; readonly due: RefereeDue }>;
  /** The greatest order of those that came; -1 before the first. */
  order: number;
}

/** The questions and outcomes that a tick makes due. They follow it, behind those of the Terminal, in their order. */
export class RefereeOwed {
  readonly #findings: Findings;
  #state: KeptOwed;

  /** `place` is that of the tick's entry. */
  constructor(place: string, dues: readonly RefereeDue[], findings: Findings) {
    this.#findings = findings;
    const waiting = new Map(dues.map((due, order) => [keyOf(due), { order, due }]));
    this.#state = { place, waiting, order: -1 };
  }

  /** What is still owed. It changes with the next entry. */
  get kept(): KeptOwed {
    return this.#state;
  }

  /** Goes on as what was kept. */
  resume(kept: KeptOwed): void {
    this.#state = kept;
  }

  /** How many entries have not come yet. */
  get left(): number {
    return this.#state.waiting.size;
  }

  /** Checks an entry, of which every member follows from the log. Returns whether it is due. */
  take(entry: RefereeDue, place: string): boolean {
    const key = keyOf(entry);
    const { waiting } = this.#state;
    const owed = waiting.get(key);
    if (owed === undefined) {
      refereeNotDue(entry, place, this.#next(), this.#findings);
      return false;
    }
    waiting.delete(key);
    if (owed.order < this.#state.order) {
      const expected = `${wordsOf(entry)} before those of its tick that come after it`;
      this.#findings.add(CODES[entry.kind].not_due, place, expected, 'after one of them');
    }
    this.#state.order = Math.max(this.#state.order, owed.order);
    const difference = firstDifference(owed.due.body, entry.body);
    if (difference !== undefined) {
      const { path, expected, found } = difference;
      this.#findings.add(CODES[entry.kind].differs, `${place}${path}`, expected, found);
    }
    return true;
  }

  /** Reports which entries did not come, where another entry is in their place. */
  nameMissing(): void {
    const { place, waiting } = this.#state;
    for (const { due } of waiting.values()) {
      this.#findings.add(CODES[due.kind].missing, place, wordsOf(due), 'nothing of it');
    }
    waiting.clear();
  }

  #next(): string {
    const [first] = this.#state.waiting.values();
    return first === undefined ? 'nothing more of this tick' : wordsOf(first.due);
  }
}

/** Reports that no tick makes an entry due. `next` is what is due in its place. */
export function refereeNotDue(
  entry: RefereeDue,
  place: string,
  next: string,
  findings: Findings,
): void {
  findings.add(CODES[entry.kind].not_due, place, next, wordsOf(entry));
}

function keyOf(due: RefereeDue): string {
  return due.kind === 'question/1' ? `question ${due.body.id}` : `outcome ${due.body.question}`;
}

function wordsOf(due: RefereeDue): string {
  if (due.kind === 'outcome/1') return `the outcome of question ${due.body.question}`;
  return `the question ${due.body.id} on ${due.body.symbol}'s event ${due.body.event}`;
}
