import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { takeBlocks } from '../src/executed-blocks.ts';
import { Forge, type Loose, noteDraft } from '../src/verifier/fixture/forge.ts';
import {
  folderOf,
  judgeFolder,
  type Published,
  youngLog,
} from '../src/verifier/fixture/published.ts';
import { sampleLog, signerFrom } from '../src/verifier/fixture/sample-log.ts';
import { TICKED_RULE } from '../src/verifier/fixture/ticked-log.ts';
import { type HostilePage, hostileLog, hostilePages, rotatedLog } from './hostile-subjects.ts';
import { LONG } from './told.ts';
import { MOST_POWER } from './work-fuzz.ts';

const SIZES = LONG ? [100, 400, 1600] : [25, 100, 400];
/** Blocks of code between two questions for the time: about a tenth of a second. */
const MOST_UNSEEN = 8 * 1_048_576;

/** Under it each final of the log is looked at again, whatever the log asks for. */
const POLICY: Partial<Policy> = {
  cosigners: [{ operator: 'nobody', key: formatHex(signerFrom('nobody').publicKey) }],
  cosigners_required: 1,
};

const log = await sampleLog();

/** An entry to be made of its number, the log's first rule and the newest time of the log. */
type Make = (i: number, rule: Loose, at: string) => readonly [kind: string, body: Loose];

/** A young log with `count` entries more. */
function longer(count: number, make: Make): Published {
  const forge = new Forge(log, youngLog(log).entries.length);
  const rule = forge.newest((each) => each.kind === 'rule/1').draft.body['rule'] as Loose;
  const at = forge.drafts.at(-1)?.at ?? '';
  for (let i = 0; i < count; i += 1) {
    const [kind, body] = make(i, rule, at);
    forge.drafts.push({ at, kind, body });
  }
  return forge.publish();
}

/** A name of capitals that only `i` has. */
function nameOf(i: number): string {
  const letter = (n: number): string => String.fromCharCode(65 + (n % 26));
  return `X${letter(Math.floor(i / 676))}${letter(Math.floor(i / 26))}${letter(i)}`;
}

function asset(symbol: string): readonly [string, Loose] {
  const about = { name: symbol, class: 'crypto', decimals: 2, listed: true, display: true };
  return ['asset/1', { symbol, ...about }];
}

const FAMILIES: readonly (readonly [string, (count: number) => Published])[] = [
  ['rotations of the report key', (count) => rotatedLog(log, count)],
  [
    'notes of many lines',
    (count) => longer(count, () => ['note/1', noteDraft('', 'a line\n'.repeat(500)).body]),
  ],
  [
    'indexes',
    (count) =>
      longer(count, (i, rule) => {
        const ticker = nameOf(i);
        const own = { ticker, display: ticker, slug: `${ticker.toLowerCase()}-1`, version: 1 };
        return ['rule/1', { rule: { ...rule, ...own } }];
      }),
  ],
  ['assets', (count) => longer(count, (i) => asset(nameOf(i)))],
  [
    'splits of one asset',
    (count) =>
      longer(count, (i, _, at) => {
        if (i === 0) return asset('X');
        const effective = formatTime(parseTime(at) + DAY_SECONDS * i);
        return ['split/1', { symbol: 'X', effective_at: effective, numerator: 2, denominator: 1 }];
      }),
  ],
  [
    'versions of a score rule',
    (count) =>
      longer(count, (i) => {
        const returns = { ...TICKED_RULE.returns, window: 20 + (i % 2) };
        return ['score-rule/1', { rule: { ...TICKED_RULE, version: i + 1, returns } as Loose }];
      }),
  ],
];

interface Cost {
  readonly verdict: Verdict;
  readonly blocks: number;
  /** The most blocks between two questions for the time. */
  readonly longest: number;
}

async function costOf(published: Published): Promise<Cost> {
  let [blocks, longest] = [0, 0];
  const take = (): void => {
    const taken = takeBlocks();
    blocks += taken;
    longest = Math.max(longest, taken);
  };
  const signal = {
    get aborted(): boolean {
      take();
      return false;
    },
  };
  const folder = folderOf(published);
  takeBlocks();
  const verdict = await judgeFolder(folder, POLICY, { limits: { signal } });
  take();
  return { verdict, blocks, longest };
}

for (const [name, make] of FAMILIES) {
  test(`work: a log of many ${name}`, async (t) => {
    const costs: Cost[] = [];
    for (const count of SIZES) costs.push(await costOf(make(count)));
    const [first, small, large] = costs as [Cost, Cost, Cost];
    const grown = ((SIZES[2] ?? 0) - (SIZES[1] ?? 0)) / ((SIZES[1] ?? 0) - (SIZES[0] ?? 0));
    const added = (large.blocks - small.blocks) / (small.blocks - first.blocks);
    const power = Math.log(added) / Math.log(grown);
    t.diagnostic(
      `| ${name} | ${SIZES.join(', ')} | ${costs.map(({ blocks }) => blocks).join(', ')} | ${power.toFixed(2)} | ${large.longest} |`,
    );
    const { verdict } = large;
    // A verdict that was ended early would have cost next to nothing.
    assert.notEqual(verdict.outcome, 'incomplete', JSON.stringify(verdict));
    assert.equal(verdict.checked.entries, 8 + (SIZES[2] ?? 0));
    assert.ok(power < MOST_POWER, costs.map(({ blocks }) => blocks).join(', '));
    assert.ok(large.longest < MOST_UNSEEN, `${large.longest} blocks without a question`);
  });
}

test('work: others have a turn behind each long page', async () => {
  const pausesOf = async (megabytes: number): Promise<number> => {
    const [hostile] = hostilePages(megabytes);
    const folder = folderOf(hostileLog(log, hostile as HostilePage));
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    await judgeFolder(folder, {}, { environment: { ...nodeEnvironment(), pause } });
    return pauses;
  };
  assert.ok((await pausesOf(1.5)) > (await pausesOf(0.5)));
});
