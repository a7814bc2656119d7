import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEntry } from '@assay/core/log/entry';
import type { Anchor } from '@assay/core/kind/anchor';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { anchoredLog } from './fixture/anchored-log.ts';
import { assertFound, flip, runs } from './fixture/flip.ts';
import { judge, publish, siteOf, siteReader } from './fixture/published.ts';

const { entries, blobs, checkpoints } = await anchoredLog();
const site: ReadonlyMap<string, Answer> = siteOf(publish(entries, blobs, checkpoints));

const named = new Set<string>();
for (const bytes of entries) {
  const { kind, body } = parseEntry(bytes);
  if (kind !== 'anchor/1') continue;
  const { proof, bitcoin } = body as unknown as Anchor;
  named.add(`/blob/${proof}`);
  for (const { following } of bitcoin) named.add(`/blob/${following}`);
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'timestamps and headers': [...named],
  'proof files': [...site.keys()].filter((path) => path.endsWith('?format=ots')),
  'proof answers': [...site.keys()].filter((path) => /^\/(?:anchors|proof\/[0-9a-f]+)$/.test(path)),
};

for (const [kind, paths] of Object.entries(KINDS)) {
  test(`one bit of an export, ${kind}: found`, async () => {
    assert.equal(paths.length > 0, true);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.nat(), fc.nat(7), async (path, where, bit) => {
        const answer = site.get(path) as Answer;
        const body = flip(answer.body, where % answer.body.length, bit);
        const changed = new Map(site).set(path, { ...answer, body });
        const verdict = await judge({ kind: 'log', reader: siteReader(changed, false) });
        assertFound(verdict, `${path}, byte ${where % answer.body.length}, bit ${bit}`);
      }),
      runs(25, 500),
    );
  });
}

test('an export without one of them: found', async () => {
  for (const path of Object.values(KINDS).flat()) {
    const changed = new Map(site);
    changed.delete(path);
    assertFound(await judge({ kind: 'log', reader: siteReader(changed, false) }), path);
  }
});
