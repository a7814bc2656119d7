import { parseEntry } from '@assay/core/log/entry';
import type { WireObject } from '@assay/core/wire/wire';
import { ArenaLog, type Forecaster, keyForecaster, secretForecaster } from './arena-log.ts';

/** The handles of the example, by their names. */
export const EXAMPLE: Readonly<Record<'ada' | 'bob' | 'kay' | 'eve', Forecaster>> = {
  ada: secretForecaster('ada'),
  bob: secretForecaster('bob'),
  kay: keyForecaster('b1'),
  eve: secretForecaster('eve'),
};

/** The last round of the example. */
export const EXAMPLE_ROUND = 'layoffs-2026-08-05';

/**
 * Four rounds of an index, with everything that the log and the blobs have of them. In the last one Ada replaces a
 * forecast, Kay's is sealed and signed, and Eve copies Kay's ciphertext.
 */
export function exampleArena(): ArenaLog {
  const { ada, bob, kay, eve } = EXAMPLE;
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  log.play('2026-08-02', '1010', [
    [ada, 1005n],
    [bob, 1015n],
    [kay, 1010n],
  ]);
  log.play('2026-08-03', '0', [
    [ada, 0n],
    [bob, 1n],
    [kay, 5n],
  ]);
  log.play('2026-08-04', '-200', [
    [ada, -190n],
    [bob, -225n],
    [kay, -203n],
  ]);
  log.open('2026-08-06T02:00:00Z');
  const id = EXAMPLE_ROUND;
  const first = log.take(id, ada, -150n, '2026-08-06T02:00:01Z').ordinal;
  const { sealed } = log.take(id, kay, -199n, '2026-08-06T02:00:01Z', { isSealed: true });
  log.take(id, eve, 0n, '2026-08-06T02:10:00Z', { isSealed: true, change: { sealed } });
  log.take(id, ada, -160n, '2026-08-06T07:29:59Z');
  log.take(id, bob, -170n, '2026-08-06T07:29:59Z');
  if (first !== 0) throw new TypeError('the round has forecasts already');
  log.freeze(id, '2026-08-06T07:30:00Z');
  log.unseal(id);
  log.print('2026-08-05', '-180', '2026-08-06T08:40:00Z');
  log.grade(id, '2026-08-06T08:40:01Z');
  return log;
}

/** What the vectors have of the example. */
export interface ArenaVector {
  readonly log: string;
  /** The salts of the handles that have a secret, by their names. */
  readonly salts: Readonly<Record<string, string>>;
  readonly entries: readonly {
    readonly seq: number;
    readonly at: string;
    readonly kind: string;
    readonly body: WireObject;
  }[];
  /** The blobs with openings, by their rounds. */
  readonly openings: Readonly<Record<string, string>>;
}

/** The vector as the code makes it. */
export function exampleVector(log: ArenaLog, salts: ArenaVector['salts']): ArenaVector {
  const entries = log.entries.map((bytes) => {
    const { seq, at, kind, body } = parseEntry(bytes);
    return { seq, at, kind, body };
  });
  const ids = entries.flatMap(({ kind, body }) =>
    kind === 'round/1' ? [body['id'] as string] : [],
  );
  const openings = ids.flatMap((id) => {
    const bytes = log.openings(id);
    return bytes === undefined ? [] : [[id, Buffer.from(bytes).toString()] as const];
  });
  return { log: log.log, salts, entries, openings: Object.fromEntries(openings) };
}
