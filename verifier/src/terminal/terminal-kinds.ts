import type { Kind, KnownBody } from '@assay/core/kind/kinds';

/** Kinds of the Terminal. Each depends on the ticks before it, so that checking one takes a whole log. */
const TERMINAL: ReadonlySet<string> = new Set<Kind>([
  'score-rule/1',
  'asset/1',
  'tick/1',
  'event/1',
  'event-close/1',
  'receipt/1',
  'benchmark/1',
  'split/1',
  'study/1',
  'study/2',
]);

export function isTerminalKind(kind: string): boolean {
  return TERMINAL.has(kind);
}

/** Kinds that a tick makes due. */
export const DUE_KINDS = ['event-close/1', 'receipt/1', 'benchmark/1', 'event/1'] as const;
export type DueKind = (typeof DUE_KINDS)[number];

/** An entry of a kind that a tick makes due. */
export type DueBody = Extract<KnownBody, { readonly kind: DueKind }>;

const dueKinds: ReadonlySet<string> = new Set(DUE_KINDS);

export function isDueKind(kind: string): kind is DueKind {
  return dueKinds.has(kind);
}

/** An entry of a study of either version. */
export type StudyBody = Extract<KnownBody, { readonly kind: 'study/1' | 'study/2' }>;
