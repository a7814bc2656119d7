import type { Sha256 } from '../hash/hash.ts';
import type { EventOpen } from '../kind/event.ts';
import type { KnownBody } from '../kind/kinds.ts';
import type { AssetClass } from '../terminal/tick/asset-symbol.ts';
import type { PublicLeaf } from '../terminal/event/event-book.ts';
import { newestArenaRule } from '../view/arena-rules.ts';
import { assetRow } from '../view/assets.ts';
import { pendingQuestions, type QuestionRow, questionRow } from '../view/referee.ts';
import type { ViewState } from '../view/view.ts';
import { outcomeOf } from './outcome-of.ts';
import { questionOf } from './question-maker.ts';

/** What a tick made due so far, and its leaves. */
export interface RefereeTick {
  readonly class: AssetClass;
  /** Unix seconds. */
  readonly ts: number;
  /** By symbol. */
  readonly leaves: ReadonlyMap<string, PublicLeaf>;
  /** The events that it opened, in the order of the log. */
  readonly opens: readonly EventOpen[];
}

/** An entry that a tick makes due behind those of the Terminal. */
export type RefereeDue = Extract<KnownBody, { readonly kind: 'question/1' | 'outcome/1' }>;

/** The class of assets whose events become questions. */
const CLASS: AssetClass = 'crypto';

/**
 * The questions and then the outcomes that follow what the Terminal writes at a tick, in the order of the log. `state`
 * has the rows of everything before them; those of the tick's own entries change nothing here.
 */
export function refereeDues(
  sha256: Sha256,
  state: ViewState,
  { class: of, ts, leaves, opens }: RefereeTick,
): readonly RefereeDue[] {
  if (of !== CLASS) return [];
  const dues: RefereeDue[] = [];
  const newest = newestArenaRule(state);
  const rule = newest?.rule.referee ?? null;
  if (newest !== undefined && rule !== null) {
    const named = { rule, hash: newest.hash };
    for (const event of opens) {
      dues.push({ kind: 'question/1', body: questionOf(sha256, event, named, state) });
    }
  }
  for (const id of pendingQuestions(state)) {
    const { body } = questionRow(state, id) as QuestionRow;
    const { symbol } = body;
    const listed = assetRow(state, symbol)?.listed === true;
    const outcome = outcomeOf(body, { ts, leaf: leaves.get(symbol), listed });
    if (outcome !== undefined) dues.push({ kind: 'outcome/1', body: outcome });
  }
  return dues;
}

/** The entries of a tick as the Terminal makes them, with those that the Referee adds to them. */
export function withRefereeDues(
  sha256: Sha256,
  state: ViewState,
  drafts: readonly KnownBody[],
  tick: Omit<RefereeTick, 'opens'>,
): readonly KnownBody[] {
  const opens = drafts.flatMap((draft) => (draft.kind === 'event/1' ? [draft.body] : []));
  return [...drafts, ...refereeDues(sha256, state, { ...tick, opens })];
}
