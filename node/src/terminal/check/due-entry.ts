/** As what the entries that a tick makes due are counted. */
export const COUNTED_AS: {
  readonly 'event/1': 'events';
  readonly 'event-close/1': 'closes';
  readonly 'receipt/1': 'receipts';
  readonly 'benchmark/1': 'benchmarks';
} = {
  'event/1': 'events',
  'event-close/1': 'closes',
  'receipt/1': 'receipts',
  'benchmark/1': 'benchmarks',
};

/** What a due entry is of: its kind, the event's id, and the horizon where it has one. */
export function dueKey(kind: string, { id, horizon }: Readonly<Record<string, unknown>>): string {
  return [kind, id, horizon].filter((part) => typeof part === 'string').join(' ');
}
