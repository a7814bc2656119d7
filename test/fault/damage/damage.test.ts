import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { LONG } from '../told.ts';
import type { Result } from './case.ts';
import { formatResults, runCases, work } from './runs.ts';
import { digestOf, TEMPLATES } from './template.ts';

/** Folders that are damaged, over all templates. */
const FOLDERS = Number(process.env['ASSAY_DAMAGE_FOLDERS'] ?? (LONG ? 2000 : 24));
/** The first seed: with ASSAY_DAMAGE_FOLDERS=1 a case is run again. */
const SEED = Number(process.env['ASSAY_DAMAGE_SEED'] ?? 0);
const ONLY = process.env['ASSAY_DAMAGE_TEMPLATE'];
/** Every result goes there as well, a line of JSON each. */
const LOG = process.env['ASSAY_DAMAGE_LOG'];

let base = '';

before(async () => {
  // Memory where there is any for files: each case makes a thousand links.
  const memory = await stat('/dev/shm').then(
    () => '/dev/shm',
    () => tmpdir(),
  );
  base = await mkdtemp(join(memory, 'assay-damage-'));
  const closed = await work(['closed', base], () => undefined);
  assert.equal(closed.code, 0, closed.errors);
  const pair = await work(['pair', base], () => undefined);
  assert.equal(pair.code, 0, pair.errors);
  const killed = await work(['killed', base], () => undefined);
  assert.equal(killed.signal, 'SIGKILL', killed.errors);
});

after(() => rm(base, { recursive: true, force: true }));

for (const template of TEMPLATES.filter((each) => ONLY === undefined || each === ONLY)) {
  const share = Math.ceil(FOLDERS / (ONLY === undefined ? TEMPLATES.length : 1));
  test(`damage: ${share} folders that were ${template}: what the entries do not give is neither served nor signed`, async (t) => {
    const root = join(base, template);
    const digest = await digestOf(root);
    const results: Result[] = [];
    await runCases(base, template, SEED, share, (result) => {
      results.push(result);
      if (LOG !== undefined) appendFileSync(LOG, `${JSON.stringify(result)}\n`);
    });
    assert.equal(await digestOf(root), digest, 'no case has changed the template');
    t.diagnostic(`\n${formatResults(results)}`);
    const wrong = results.filter(({ problems }) => problems.length > 0);
    const told = wrong.map(
      ({ seed, damage: { kind, way, places }, problems }) =>
        `ASSAY_DAMAGE_TEMPLATE=${template} ASSAY_DAMAGE_SEED=${seed} ASSAY_DAMAGE_FOLDERS=1: ` +
        `${kind}, ${way}, ${places.join(' ')}: ${problems[0]?.ill} ${problems[0]?.detail.slice(0, 300)}`,
    );
    assert.deepEqual(told, []);
  });
}
