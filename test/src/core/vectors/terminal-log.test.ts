import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { codesOf, judgeSite, publish, relink, siteOf } from '../../verifier/fixture/published.ts';
import { chain, draftsOf } from '../../verifier/fixture/published.ts';
import { sha256 } from '../fixture/fixture.ts';
import { TERMINAL_LOG, TERMINAL_LOG_CASES } from './terminal-log.ts';
import type { Verdict } from '@assay/verifier/verdict/verdict';

const judged = (entries: readonly Uint8Array[], blobs: readonly string[]): Promise<Verdict> => {
  const kept = blobs.map((text) => {
    const bytes = new Uint8Array(Buffer.from(text, 'hex'));
    return [hashHex(contentHash(sha256, bytes)), bytes] as const;
  });
  return judgeSite(siteOf(publish(entries, new Map(kept), TERMINAL_LOG.checkpoints)));
};

/** A text as it is; nothing for everything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

for (const { name, entries: texts, blobs, lies } of TERMINAL_LOG_CASES) {
  const entries = texts.map((text) => new Uint8Array(Buffer.from(text)));

  test(`vectors of the Terminal's log: ${name}`, async () => {
    assert.deepEqual(relink(entries), entries);
    assert.equal((await judged(entries, blobs)).outcome, 'verified');
    const kinds = draftsOf(entries).map(({ kind, body }) => `${kind} ${textOf(body['status'])}`);
    for (const [kind, count] of [
      ['event/1 ', 2],
      ['event-close/1 ', 2],
      ['receipt/1 void', 3],
      ['receipt/1 resolved', 3],
      ['benchmark/1 ', 3],
    ] as const) {
      assert.equal(kinds.filter((each) => each === kind).length, count, kind);
    }
  });

  test(`vectors of the Terminal's log: each lie about it is refused`, async () => {
    for (const { name: lie, seq, change } of lies) {
      const drafts = draftsOf(entries).map((draft, i) =>
        i === seq ? { ...draft, body: { ...draft.body, ...change } } : draft,
      );
      assert.notDeepEqual(codesOf(await judged(chain(drafts), blobs)), [], lie);
    }
  });
}
