import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executedBlocksAsync } from '../src/executed-blocks.ts';
import { Forge, type Loose, noteDraft } from '../src/verifier/forge.ts';
import { judgeFolder, folderOf, type Published, youngLog } from '../src/verifier/published.ts';
import { sampleLog } from '../src/verifier/sample-log.ts';
import { rotatedLog } from './hostile-subjects.ts';
import { LONG } from './told.ts';
import { MOST_POWER } from './work-fuzz.ts';

const SIZES = LONG ? [100, 400, 1600] : [25, 100, 400];

const log = await sampleLog();

/** A young log with `count` entries more, each made of its number and the log's first rule. */
function longer(count: number, draft: (i: number, rule: Loose) => Loose, kind: string): Published {
  const forge = new Forge(log, youngLog(log).entries.length);
  const rule = forge.newest((each) => each.kind === 'rule/1').draft.body['rule'] as Loose;
  const at = forge.drafts.at(-1)?.at ?? '';
  for (let i = 0; i < count; i += 1) forge.drafts.push({ at, kind, body: draft(i, rule) });
  return forge.publish();
}

/** A ticker of capitals that only `i` has. */
function tickerOf(i: number): string {
  const letter = (n: number): string => String.fromCharCode(65 + (n % 26));
  return `X${letter(Math.floor(i / 676))}${letter(Math.floor(i / 26))}${letter(i)}`;
}

const FAMILIES: readonly (readonly [string, (count: number) => Published])[] = [
  ['rotations of the report key', (count) => rotatedLog(log, count)],
  [
    'notes of many lines',
    (count) => longer(count, () => noteDraft('', 'a line\n'.repeat(500)).body, 'note/1'),
  ],
  [
    'indexes',
    (count) =>
      longer(
        count,
        (i, rule) => {
          const ticker = tickerOf(i);
          const own = { ticker, display: ticker, slug: `${ticker.toLowerCase()}-1`, version: 1 };
          return { rule: { ...rule, ...own, applies_from: rule['applies_from'] } };
        },
        'rule/1',
      ),
  ],
];

for (const [name, make] of FAMILIES) {
  test(`work: a log of many ${name}`, async (t) => {
    const costs: number[] = [];
    for (const count of SIZES) {
      const folder = folderOf(make(count));
      let outcome = '';
      const blocks = await executedBlocksAsync(async () => {
        ({ outcome } = await judgeFolder(folder));
      });
      assert.notEqual(outcome, 'incomplete');
      costs.push(blocks);
    }
    const [first = 0, small = 0, large = 0] = costs;
    const grown = ((SIZES[2] ?? 0) - (SIZES[1] ?? 0)) / ((SIZES[1] ?? 0) - (SIZES[0] ?? 0));
    const power = Math.log((large - small) / (small - first)) / Math.log(grown);
    t.diagnostic(
      `| ${name} | ${SIZES.join(', ')} | ${costs.join(', ')} | power ${power.toFixed(2)} |`,
    );
    assert.ok(power < MOST_POWER, `${costs.join(', ')} blocks`);
  });
}
