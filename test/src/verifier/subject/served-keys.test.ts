import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { openCheckpoint, type OpenCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import { tilesOf } from '@assay/verifier/client/proven-log';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { servedKeys } from '@assay/verifier/subject/served-keys';
import { Findings } from '@assay/verifier/verdict/finding';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';
import { ENVIRONMENT, type Site, siteReader } from '../fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_VKEYS,
  replaced,
  replacedSite,
} from '../fixture/replaced-log.ts';

const SIGNER = '/.well-known/assay-signer.json';
const whole = replaced();

function opened(note: Uint8Array): OpenCheckpoint {
  return openCheckpoint(note, new Findings()) ?? assert.fail();
}

/** What a server shows to a reader who believes key 0, the codes of the findings, and the paths that were read. */
async function shownBy(site: Site, open: OpenCheckpoint) {
  const asked: string[] = [];
  const inner = siteReader(site);
  const reader: LogReader = {
    ...inner,
    get: (path) => {
      asked.push(path);
      return inner.get(path);
    },
  };
  const findings = new Findings();
  const believed = CHECKPOINT_VKEYS.slice(0, 1);
  const source = { reader, tiles: tilesOf(reader) };
  const path = await servedKeys(source, open, believed, ENVIRONMENT, findings);
  return { path, codes: findings.list.map(({ code }) => code), asked };
}

/** The head as its server signs it, said to be of another size. */
function ofSize(size: number): OpenCheckpoint {
  const open = opened(whole.head(whole.entries.length, [CHECKPOINT_KEYS[0]]));
  return { ...open, checkpoint: { ...open.checkpoint, size } };
}

test('served keys: of a head that no believed key leads to nothing but closing heads is read', async () => {
  const stranger = testSigner(90);
  const site = replacedSite({ ...whole, closing: new Map() });
  const unsigned = opened(whole.head(whole.entries.length, [stranger]));
  const { path, codes, asked } = await shownBy(site, unsigned);
  assert.equal(path, undefined);
  assert.deepEqual(codes, ['checkpoint_unsigned']);
  assert.deepEqual(asked, ['/closing-head/0', '/closing-head/1']);
  const led = await shownBy(replacedSite(whole), unsigned);
  assert.equal(led.path?.terms.length, 4);
});

test('served keys: more entries than are read are too many, whatever size a head says', async () => {
  const site = replacedSite(whole);
  const many = Array.from({ length: 10_001 }, (_, i) => ({ from_seq: i + 1 }));
  const listed = new Map([
    ...site,
    [SIGNER, { status: 200, body: formatUtf8(JSON.stringify({ keys: many })), logSize: 1 }],
  ]);
  const isTooMany = { code: 'too_large' };
  await assert.rejects(shownBy(listed, ofSize(2 ** 50)), isTooMany);
  site.delete(SIGNER);
  await assert.rejects(shownBy(site, ofSize(2 ** 50)), isTooMany);
});
