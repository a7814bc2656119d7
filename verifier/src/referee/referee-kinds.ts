import type { Kind, KnownBody } from '@assay/core/kind/kinds';

/** Kinds of the Referee. Each depends on ticks and entries before it, so that checking one takes a whole log. */
type RefereeKind = 'question/1' | 'answers/1' | 'outcome/1';

/** An entry of one of these kinds. */
export type RefereeBody = Extract<KnownBody, { readonly kind: RefereeKind }>;

const kinds: ReadonlySet<string> = new Set<Kind>(['question/1', 'answers/1', 'outcome/1']);

export function isRefereeKind(kind: string): boolean {
  return kinds.has(kind);
}

/** Whether entries of this kind follow the newest tick, behind those of the Terminal. */
export function isRefereeDue(kind: string): boolean {
  return kind === 'question/1' || kind === 'outcome/1';
}
