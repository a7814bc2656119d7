import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, hashHex } from '@assay/core/hash/hash';
import { formatTilePath } from '@assay/core/log/tile';
import { MemoryViews } from '@assay/core/view/state';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NamedHeads } from '@assay/verifier/watch/named-heads';
import { openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { ABOUT, cosignerLog, signStatement } from '../fixture/cosigner-log.ts';
import type { LooseDraft } from '../fixture/forge.ts';
import { siteOf } from '../fixture/published.ts';

const site = siteOf(ABOUT.published);
const { checkpoint } =
  openCheckpoint(site.get('/checkpoint')?.body as Uint8Array, new Findings()) ?? assert.fail();
let asked = 0;
const tree = {
  log: ABOUT.logId,
  size: checkpoint.size,
  root: checkpoint.root,
  tiles: async (tile: Parameters<typeof formatTilePath>[0]) => {
    asked += 1;
    return site.get(`/${formatTilePath(tile)}`)?.body ?? assert.fail();
  },
};

test('heads as the publisher’s tree had them; each is read once', async () => {
  const heads = new NamedHeads();
  const own = { state: cosignerLog('ada').views, name: 'ada' };
  assert.deepEqual(await heads.check(tree, own, nodeSha256), []);
  assert.ok(asked > 0);
  asked = 0;
  assert.deepEqual(await heads.check(tree, own, nodeSha256), []);
  assert.equal(asked, 0);
  const none = { state: new MemoryViews(), name: 'nobody' };
  assert.deepEqual(await heads.check(tree, none, nodeSha256), []);
});

test('another root is found; one beyond what was followed, and tiles of another tree, say nothing', async () => {
  const named = (change: (head: { size: number; root: string }) => void) => ({
    name: 'ada',
    state: cosignerLog('ada', (drafts) => {
      const draft = drafts[0] as LooseDraft;
      const statement = structuredClone(draft.body['statement']);
      change(statement.head);
      draft.body = signStatement('ada', statement);
    }).views,
  });
  const other = named((head) => (head.root = 'cd'.repeat(32)));
  const [found, ...more] = await new NamedHeads().check(tree, other, nodeSha256);
  assert.deepEqual(more, []);
  assert.equal(found?.place, 'ada, entry 1, head');
  const beyond = named((head) => (head.size = tree.size + 1));
  assert.deepEqual(await new NamedHeads().check(tree, beyond, nodeSha256), []);
  const root = new Uint8Array(32) as Hash;
  await assert.rejects(new NamedHeads().check({ ...tree, root }, other, nodeSha256), {
    code: 'bad_length',
    found: hashHex(checkpoint.root),
  });
});
