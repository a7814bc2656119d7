import type { Kind, KnownBody } from '@assay/core/kind/kinds';

/** Kinds of the entries of a round, in the order in which they come. */
export const ROUND_KINDS = ['round/1', 'forecast/1', 'freeze/1', 'unseal/1', 'grade/1'] as const;
export type RoundKind = (typeof ROUND_KINDS)[number];

/** An entry of a round. */
export type RoundBody = Extract<KnownBody, { readonly kind: RoundKind }>;

const roundKinds: ReadonlySet<string> = new Set<Kind>(ROUND_KINDS);

export function isRoundBody(known: KnownBody): known is RoundBody {
  return roundKinds.has(known.kind);
}
