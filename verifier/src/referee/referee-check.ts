import type { Sha256 } from '@assay/core/hash/hash';
import type { EventOpen } from '@assay/core/kind/event';
import { refereeDues, type RefereeDue } from '@assay/core/referee/referee-dues';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { PublicLeaf } from '@assay/core/terminal/event/event-book';
import type { TimeText } from '@assay/core/time/time';
import { questionProgress } from '@assay/core/view/referee';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import { checkAnswers } from './answers-check.ts';
import { type KeptOwed, RefereeOwed, refereeNotDue } from './due-check.ts';
import type { RefereeBody } from './referee-kinds.ts';

/** The newest tick of a log. */
export interface TickRead {
  readonly class: AssetClass;
  /** Unix seconds. */
  readonly ts: number;
  readonly at: TimeText;
  /** The place of its entry. */
  readonly place: string;
  /** By symbol; undefined where they cannot be read. */
  readonly leaves: ReadonlyMap<string, PublicLeaf> | undefined;
}

/** A tick, and what follows it. */
interface Current extends TickRead {
  readonly opens: EventOpen[];
  /** What it makes due; undefined until the entries of the Terminal are over. */
  owed: RefereeOwed | undefined;
}

/** What a log has of the Referee, beside its newest tick. */
interface RefereeState {
  /** How many questions have closed. */
  closed: number;
  /** Where questions have an outcome whose answers have not been opened. */
  readonly unopened: Map<string, string>;
  /** Outcomes at ticks whose leaves cannot be read. */
  unread: number;
}

/** What a check of the Referee knows between two entries. */
export interface KeptReferee extends RefereeState {
  readonly current:
    | (TickRead & { readonly opens: EventOpen[]; readonly owed: KeptOwed | undefined })
    | undefined;
}

const NO_LEAVES: ReadonlyMap<string, PublicLeaf> = new Map();

/**
 * Follows the Referee of a log: the questions and outcomes that its ticks make due, of which every member follows from the
 * log, and the answers with their openings.
 */
export class RefereeCheck {
  readonly #sha256: Sha256;
  readonly #context: CheckContext;
  #state: RefereeState = { closed: 0, unopened: new Map(), unread: 0 };
  #current: Current | undefined;

  constructor(sha256: Sha256, context: CheckContext) {
    this.#sha256 = sha256;
    this.#context = context;
  }

  /** What a check of the same log needs to go on in the place of this one. It changes with the next entry. */
  get kept(): KeptReferee {
    const current = this.#current && { ...this.#current, owed: this.#current.owed?.kept };
    return { ...this.#state, current };
  }

  /** Goes on as the check that was kept. Call it before the first entry. */
  resume({ current, ...state }: KeptReferee): void {
    this.#state = state;
    if (current === undefined) return;
    const { owed: kept, ...tick } = current;
    this.#current = { ...tick, owed: undefined };
    if (kept === undefined) return;
    this.#current.owed = new RefereeOwed(kept.place, [], this.#context.findings);
    this.#current.owed.resume(kept);
  }

  /** A tick of the log, whose entries follow. */
  tick(read: TickRead): void {
    this.#current = { ...read, opens: [], owed: undefined };
  }

  /** An event of the newest tick. */
  event(body: EventOpen): void {
    if (this.#current?.owed === undefined) this.#current?.opens.push(body);
  }

  /** Any entry that no tick makes due. What the tick before it still requires can no longer follow. */
  other(state: ViewState): void {
    if (this.#current === undefined) return;
    this.#owedBy(this.#current, state).nameMissing();
    this.#current = undefined;
  }

  /** An entry of the Referee. `state` has the rows of everything before it. */
  async entry(
    known: RefereeBody,
    { at, place }: { readonly at: TimeText; readonly place: string },
    state: ViewState,
  ): Promise<void> {
    const { tally } = this.#context;
    if (known.kind === 'answers/1') {
      if (known.body.type === 'closed') {
        this.#state.closed += 1;
        this.#state.unopened.delete(known.body.question);
      }
      await checkAnswers(known.body, { at, place }, state, this.#sha256, this.#context);
      return;
    }
    if (known.kind === 'question/1') tally.questions += 1;
    else {
      tally.outcomes += 1;
      const progress = questionProgress(state, known.body.question);
      if (progress?.closed === null) this.#state.unopened.set(known.body.question, place);
    }
    this.#due(known, at, place, state);
  }

  #due(entry: RefereeDue, at: TimeText, place: string, state: ViewState): void {
    const { findings } = this.#context;
    const current = this.#current;
    if (current === undefined) {
      refereeNotDue(entry, place, 'no tick before it that makes it due', findings);
      return;
    }
    // Nobody knows what a tick that cannot be read decides.
    if (entry.kind === 'outcome/1' && current.leaves === undefined) {
      this.#state.unread += 1;
      return;
    }
    const isDue = this.#owedBy(current, state).take(entry, place);
    if (isDue && at !== current.at) {
      findings.add('due_late', place, `written at ${current.at}, with its tick`, at);
    }
  }

  #owedBy(current: Current, state: ViewState): RefereeOwed {
    const { class: of, ts, place, opens, leaves } = current;
    if (current.owed !== undefined) return current.owed;
    const tick = { class: of, ts, opens, leaves: leaves ?? NO_LEAVES };
    const dues = refereeDues(this.#sha256, state, tick);
    const known = leaves === undefined ? dues.filter(({ kind }) => kind === 'question/1') : dues;
    current.owed = new RefereeOwed(place, known, this.#context.findings);
    return current.owed;
  }

  /** Names what the log's end leaves open, and what no log shows. */
  finish(state: ViewState): void {
    const { findings, notChecked } = this.#context;
    // Answers that are opened behind the outcome are late, which is a finding of its own.
    for (const [question, place] of this.#state.unopened) {
      const expected = `an entry that opens the answers to ${question}`;
      findings.add('answers_missing', place, expected, 'none');
    }
    const left = this.#current === undefined ? 0 : this.#owedBy(this.#current, state).left;
    if (left > 0) {
      notChecked.add(
        'terminal',
        `the ${left} questions and outcomes that the newest tick makes due and that the log ends before`,
        'a publisher appends them with their tick: a longer log must have them next',
        'later',
      );
    }
    if (this.#state.unread > 0) {
      notChecked.add(
        'terminal',
        `${this.#state.unread} outcomes of questions at ticks that could not be read`,
        'see there',
        'again',
      );
    }
    if (this.#state.closed > 0) {
      notChecked.add(
        'terminal',
        `whether each answer to the ${this.#state.closed} questions that have closed is of another caller`,
        'who answered is not in the log: the publisher alone kept callers apart, and has destroyed what it knew of them',
        'none',
      );
    }
  }
}
