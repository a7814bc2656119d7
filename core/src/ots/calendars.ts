import type { Timestamp } from './timestamp.ts';

/** A calendar that has a timestamp's message, and whether it has led to a Bitcoin attestation. */
export interface CalendarStatus {
  readonly uri: string;
  readonly attested: boolean;
}

/**
 * The calendars of a tree, ascending by URI. A calendar counts as attested if every message that it has leads
 * to a Bitcoin attestation, because then it has nothing more to give.
 */
export function calendarsOf(timestamp: Timestamp): readonly CalendarStatus[] {
  const all: Timestamp[] = [timestamp];
  for (let i = 0; i < all.length; i += 1) {
    for (const item of (all[i] as Timestamp).items) if ('next' in item) all.push(item.next);
  }
  const attested = new Set<Timestamp>();
  const attestedByUri = new Map<string, boolean>();
  // What lies within comes after what contains it, so that going backwards meets it first.
  for (const each of all.toReversed()) {
    const holds = each.items.some((item) =>
      'next' in item ? attested.has(item.next) : item.attestation.kind === 'bitcoin',
    );
    if (holds) attested.add(each);
    for (const item of each.items) {
      if ('next' in item || item.attestation.kind !== 'pending') continue;
      const { uri } = item.attestation;
      attestedByUri.set(uri, (attestedByUri.get(uri) ?? true) && holds);
    }
  }
  return [...attestedByUri]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([uri, done]) => ({ uri, attested: done }));
}
