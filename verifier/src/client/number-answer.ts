import type { NumberFacts, Verdict } from '../verdict/verdict.ts';
import type { Refusal } from './refusal.ts';

/** Why a number is not settled on from its own proof alone. */
export type SettlementLack =
  | 'not_final' // provisional, void, or a correction, which never settles
  | 'rule' // its rule lets no contract settle on it
  | 'quorum' // fewer co-signers agreed than the log asks for
  | 'index' // no index entry covers it yet, so that another final may be beside it
  | 'governing_rule' // the proof does not show that the version of its rule governs the period
  | 'clocks' // the proof does not show from when the clocks of its period run
  | 'own_cosigners'; // the caller requires none of its own, and only the whole log shows the rest

/** The newest report of a period, with a verdict that has no finding. */
export interface ProvenNumber {
  readonly ok: true;
  readonly ticker: string;
  readonly period: string;
  /** Exact decimal text, in `unit`; null for a void and for a withheld level. */
  readonly value: string | null;
  readonly unit: string;
  readonly decimals: number;
  readonly status: string;
  /**
   * True only of a final that its rule lets settle, with the co-signatures that the log asks for, which is the only one
   * in an index entry, and with which as many of the caller's own co-signers agreed as its policy requires. They have
   * followed the whole log, of which one proof shows little.
   */
  readonly settleable: boolean;
  /** What keeps `settleable` from being true; empty where it is. */
  readonly lacks: readonly SettlementLack[];
  readonly facts: NumberFacts;
  readonly verdict: Extract<Verdict, { readonly outcome: 'verified' }>;
}

export type NumberAnswer = ProvenNumber | Refusal;

/** What a number lacks for a settlement on its proof alone. */
export function settlementLacks(facts: NumberFacts): readonly SettlementLack[] {
  const { status, settleable, quorum, index, governs, clocks, rests_on: restsOn } = facts;
  const lacks: SettlementLack[] = [];
  if (status !== 'final') lacks.push('not_final');
  if (!settleable) lacks.push('rule');
  if (quorum.have < quorum.required || !facts.settled) lacks.push('quorum');
  if (index === null) lacks.push('index');
  if (governs === 'not_shown') lacks.push('governing_rule');
  if (clocks === 'not_shown') lacks.push('clocks');
  if (restsOn !== 'policy') lacks.push('own_cosigners');
  return lacks;
}
