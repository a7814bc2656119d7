// The Arena a second time, in Python from the page of the specification alone: whole logs and random cases.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { standings } from '@assay/core/arena/standing';
import fc from 'fast-check';
import { scratch } from '../src/cli/fixture/run.ts';
import { type ArenaCase, resultOf } from '../src/core/arena/arena-cases.ts';
import {
  ARENA,
  ArenaLog,
  type Forecaster,
  keyForecaster,
  nextDay,
  secretForecaster,
} from '../src/core/arena/arena-log.ts';
import { exampleVector } from '../src/core/arena/example-arena.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'arena.py');

/** Whether python3 is here; skips the test where it is not. */
function hasPython(t: TestContext): boolean {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  t.skip('python3 is not here');
  return false;
}

function python(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', '-B', PROGRAM, ...args], {
    input,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, ''], stdout);
  return stdout;
}

test('arena: the vectors come out the same in Python, written from the specification', (t) => {
  if (!hasPython(t)) return;
  assert.equal(python(['vectors', join(ROOT, 'vectors')]), '194 compared, 0 differ\n');
});

/** A round in the life of a log: its print, and what each forecaster expects. */
interface Played {
  readonly print: number;
  readonly forecasts: readonly (readonly [who: number, value: number, isSealed: boolean])[];
}

const WHO: readonly Forecaster[] = [
  secretForecaster('ada'),
  secretForecaster('bob'),
  secretForecaster('cid'),
  keyForecaster('b1'),
  keyForecaster('b2'),
];

/** A log of these rounds, a day each. The last forecast of each is copied by the first forecaster if it was sealed. */
function logOf(rounds: readonly Played[]): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  let period = '2026-08-01';
  for (const { print, forecasts } of rounds) {
    period = nextDay(period);
    const at = (time: string): string => `${nextDay(period)}T${time}Z`;
    const id = log.open(at('02:00:00'))[0]?.id ?? '';
    let sealed: string | null = null;
    for (const [who, value, isSealed] of forecasts) {
      const forecaster = WHO[who] as Forecaster;
      sealed = log.take(id, forecaster, BigInt(value), at('03:00:00'), { isSealed }).sealed;
    }
    if (sealed !== null) {
      log.take(id, WHO[0] as Forecaster, 0n, at('04:00:00'), {
        isSealed: true,
        change: { sealed },
      });
    }
    log.freeze(id, at('07:30:00'));
    log.unseal(id);
    log.print(period, print.toString(), at('08:40:00'));
    log.grade(id, at('08:40:01'));
  }
  return log;
}

const value = fc.oneof(fc.integer({ min: -1200, max: 1200 }), fc.constant(0));
const played = fc.record<Played>({
  print: value,
  forecasts: fc.array(
    fc.tuple(
      fc.nat({ max: WHO.length - 1 }),
      value,
      fc.nat({ max: 5 }).map((n) => n === 0),
    ),
    { maxLength: 7 },
  ),
});

test('arena: random lives of a log, followed to their standings', async (t) => {
  if (!hasPython(t)) return;
  const folder = join(await scratch(t), 'vectors');
  await mkdir(join(folder, 'arena'), { recursive: true });
  const write = (name: string, value_: unknown): Promise<void> =>
    writeFile(join(folder, 'arena', `${name}.json`), JSON.stringify(value_));
  await fc.assert(
    fc.asyncProperty(fc.array(played, { minLength: 1, maxLength: 8 }), async (rounds) => {
      const log = logOf(rounds);
      await write('example', exampleVector(log, {}));
      await write('standings', standings(log.views, ARENA));
      await write('cases', []);
      assert.match(python(['vectors', folder]), /^[0-9]+ compared, 0 differ\n$/);
    }),
    { numRuns: 12 },
  );
});

test('arena: random cases', (t) => {
  if (!hasPython(t)) return;
  const big = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map(String);
  const handle = fc.nat({ max: 20 }).map((n) => n.toString(16).padStart(32, '0'));
  const cases: fc.Arbitrary<ArenaCase> = fc.oneof(
    fc.record({
      type: fc.constant('points' as const),
      forecast: big,
      print: big,
      zero_at: fc.integer({ min: 1, max: 1000 }),
    }),
    fc
      .tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: -2000, max: 2000 }))
      .map(([f, p]) => ({ type: 'points' as const, forecast: `${f}`, print: `${p}`, zero_at: 25 })),
    fc.record({
      type: fc.constant('order' as const),
      handles: fc.uniqueArray(
        fc.tuple(handle, fc.nat({ max: 5 }), fc.integer({ min: -300, max: 300 })),
        { selector: ([id]) => id, maxLength: 12 },
      ),
      shrink: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({
      type: fc.constant('arena' as const),
      top: fc.uniqueArray(fc.tuple(handle, fc.nat({ max: 10_000 })), {
        selector: ([id]) => id,
        maxLength: 10,
      }),
      values: fc.dictionary(handle, big, { maxKeys: 10 }).map((all) => ({ ...all })),
    }),
    fc.record({
      type: fc.constant('name' as const),
      name: fc.oneof(
        fc.string({ maxLength: 26 }),
        fc.string({
          unit: fc.constantFrom('a', 'H', 'o', 'u', 's', '-', 'e', '_', 'K', '1'),
          maxLength: 10,
        }),
      ),
    }),
  );
  const all = fc.sample(cases, 2000);
  const lines = python(['cases'], all.map((each) => `${JSON.stringify(each)}\n`).join(''))
    .trimEnd()
    .split('\n');
  assert.equal(lines.length, all.length);
  for (const [i, each] of all.entries()) {
    assert.deepEqual(JSON.parse(lines[i] ?? ''), resultOf(each), JSON.stringify(each));
  }
});
