import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseBase64 } from '@assay/core/bytes/base64';
import type { WireValue } from '@assay/core/wire/wire';
import { fuzzStage, type Growth, MOST_POWER, type Worst, xorshift } from './work-fuzz.ts';
import { parserStages, type Stage } from './work-stages.ts';

// Samples come from the vectors and not from a fixture: the measure slows with all code that is loaded.
const ROOT = join(import.meta.dirname, '../../..');
const LONG = process.env['ASSAY_FAULT_LONG'] === '1';
const TRIES = LONG ? 4000 : 100;
const SEED = Number(process.env['ASSAY_FAULT_SEED'] ?? 1);

/** Blocks of code for each step that is charged, and between two questions for the time where none is. */
const MOST_PER_STEP = 4;
const MOST_UNSEEN = 4 * 1_048_576;

type Vectors = readonly Readonly<Record<string, WireValue>>[];

function vectors(path: string): Vectors {
  return JSON.parse(readFileSync(join(ROOT, 'vectors', path), 'utf8')) as Vectors;
}

function member(path: string, name: string): readonly WireValue[] {
  return vectors(path).map((each) => each[name] as WireValue);
}

const study = JSON.parse(
  readFileSync(join(ROOT, 'vectors/base-rate/synthetic-study.json'), 'utf8'),
) as { readonly study: WireValue };
const [entry = null] = member('entry/entries.json', 'entry');
const address = '1'.repeat(32);
const account = { address, owner: address, slot: 5, data: 'AAAA' };

const samples = {
  bundle: member('bundle/bundles.json', 'bundle').slice(0, 1),
  snapshot: member('snapshot/snapshots.json', 'snapshot').slice(0, 2),
  study: [study.study],
  rule: member('rule/rules.json', 'rule').slice(0, 1),
  evidence: member('evidence/files.json', 'file')
    .filter((_, i) => i % 3 === 0)
    .map((file) => JSON.parse(file as string) as WireValue),
  entry: [
    ...member('entry/entries.json', 'entry'),
    ...vectors('terminal/entries.json').map(({ kind, body }) => ({
      ...(entry as Readonly<Record<string, WireValue>>),
      kind,
      body,
    })),
  ],
  'accounts of a chain': [
    {
      type: 'assay-accounts/1',
      chain: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      slot: 5,
      accounts: [account],
      feeds: { program: address, genesis: '0'.repeat(64), incomplete: null, accounts: [account] },
    },
  ],
} as unknown as Readonly<Record<string, readonly WireValue[]>>;

/** A row of the table in docs/bench.md. */
function row({ name, limit }: Stage, { tried, power, cost, charge }: Worst): string {
  const shown = ({ family }: Growth): string => {
    const quoted = JSON.stringify(family).slice(1, -1).replaceAll('|', '\\|');
    return `\`${quoted.length > 40 ? `${quoted.slice(0, 40)}…` : quoted}\``;
  };
  const perStep = limit === undefined ? charge.blocksPerStep.toFixed(2) : `at most ${limit} bytes`;
  return `| ${name} | ${tried} | ${power.power.toFixed(2)} | ${shown(power)} | ${cost.blocksPerByte.toFixed(1)} | ${shown(cost)} | ${perStep} |`;
}

test('work: the search finds a cost that grows with the square', () => {
  const square: Stage = {
    name: 'a square',
    tokens: ['A', '='],
    shapes: [{ head: [], left: ['AAAA'], middle: [], right: [], tail: [] }],
    run: (text) => {
      for (let end = 512; end <= text.length; end += 512) parseBase64(text.slice(0, end));
    },
  };
  const { power } = fuzzStage(square, 4, xorshift(SEED));
  assert.ok(power.power > 1.8, JSON.stringify(power));
});

for (const [i, stage] of parserStages(samples).entries()) {
  test(`work: ${stage.name}, inputs that grow`, (t) => {
    const worst = fuzzStage(stage, TRIES, xorshift(SEED * 1000 + i));
    t.diagnostic(row(stage, worst));
    assert.ok(worst.power.power < MOST_POWER, JSON.stringify(worst.power));
    if (stage.limit === undefined) {
      assert.ok(worst.charge.blocksPerStep < MOST_PER_STEP, JSON.stringify(worst.charge));
    } else {
      const blocks = worst.cost.blocksPerByte * stage.limit;
      assert.ok(blocks < MOST_UNSEEN, `${blocks} blocks of ${JSON.stringify(worst.cost)}`);
    }
  });
}
