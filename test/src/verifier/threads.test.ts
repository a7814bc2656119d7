import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { lateEnvironment } from './fixture/late-environment.ts';
import { makeGround, MISDEEDS } from './fixture/misdeeds.ts';
import {
  ENVIRONMENT,
  folderOf,
  judgeFolder,
  judgeSite,
  judging,
  siteOf,
} from './fixture/published.ts';

const ground = await makeGround();

/** The verdict in line, and the same one with checks that end late and out of order, to the byte. */
async function sameOnThreads(judged: () => Promise<Verdict>, seed: number): Promise<number> {
  const inLine = JSON.stringify(await judged());
  const late = lateEnvironment(seed);
  judging.environment = late;
  try {
    assert.equal(JSON.stringify(await judged()), inLine);
  } finally {
    judging.environment = ENVIRONMENT;
  }
  return late.work.reads;
}

test('threads: the verdict on an honest log is the same, and some of its reads were done elsewhere', async () => {
  const site = siteOf(ground.published);
  assert.ok((await sameOnThreads(() => judgeSite(site), 1)) > 0);
  const folder = folderOf(ground.published);
  assert.ok((await sameOnThreads(() => judgeFolder(folder), 2)) > 0);
});

/** One misdeed of each code; all of them with `ASSAY_ALL_MISDEEDS=1`. */
const chosen = MISDEEDS.filter(
  ({ code }, i) =>
    process.env['ASSAY_ALL_MISDEEDS'] === '1' ||
    MISDEEDS.findIndex((each) => each.code === code) === i,
);

for (const [i, { name, code, verdict }] of chosen.entries()) {
  test(`threads: the same verdict for ${code}: ${name}`, async () => {
    await sameOnThreads(() => verdict(ground), i + 3);
  });
}
