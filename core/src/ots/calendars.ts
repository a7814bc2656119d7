import type { Timestamp } from './timestamp.ts';

/** A calendar that holds a timestamp's message, and whether a Bitcoin attestation has come of it. */
export interface CalendarStatus {
  readonly uri: string;
  readonly attested: boolean;
}

/**
 * The calendars of a tree, ascending by URI. One counts as attested when a Bitcoin attestation hangs
 * on every message that it holds: it has then nothing more to say.
 */
export function calendarsOf(timestamp: Timestamp): readonly CalendarStatus[] {
  const all: Timestamp[] = [timestamp];
  for (let i = 0; i < all.length; i += 1) {
    for (const item of (all[i] as Timestamp).items) if ('next' in item) all.push(item.next);
  }
  const attested = new Set<Timestamp>();
  const standing = new Map<string, boolean>();
  // What lies within comes after what contains it, so that going backwards meets it first.
  for (const each of all.toReversed()) {
    const holds = each.items.some((item) =>
      'next' in item ? attested.has(item.next) : item.attestation.kind === 'bitcoin',
    );
    if (holds) attested.add(each);
    for (const item of each.items) {
      if ('next' in item || item.attestation.kind !== 'pending') continue;
      const { uri } = item.attestation;
      standing.set(uri, (standing.get(uri) ?? true) && holds);
    }
  }
  return [...standing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([uri, done]) => ({ uri, attested: done }));
}
