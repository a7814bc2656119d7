import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { toHash } from '@assay/core/hash';
import { type CheckpointSigner, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { fetchNote, mirrorHeads } from '@assay/node/ledger/mirror-heads';
import { nodeSha256 } from '@assay/node/node-sha256';

const ORIGIN = 'development/mirrors';

function newSigner(): CheckpointSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return checkpointSigner(nodeSha256, ORIGIN, {
    publicKey: new Uint8Array(Buffer.from(x, 'base64url')),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  });
}

const root = toHash(nodeSha256(new Uint8Array(1)));

test('mirror heads: each that answers counts, one that does not is passed over', async () => {
  const signer = newSigner();
  const asked: string[] = [];
  const heads = await mirrorHeads(['https://a/', 'https://b', 'https://c'], signer, (url) => {
    asked.push(url);
    if (url.startsWith('https://b')) return Promise.reject(new Error('gone'));
    return Promise.resolve(signer.sign(url.startsWith('https://a') ? 5 : 7, root));
  })();
  assert.deepEqual(asked, ['https://a/checkpoint', 'https://b/checkpoint', 'https://c/checkpoint']);
  assert.deepEqual(heads.map(({ holder, checkpoint }) => `${holder} ${checkpoint.size}`).sort(), [
    'https://a/ 5',
    'https://c 7',
  ]);
});

test("mirror heads: another key's head counts for nothing", async () => {
  const ask = mirrorHeads(['https://a'], newSigner(), () =>
    Promise.resolve(newSigner().sign(5, root)),
  );
  await assert.rejects(ask(), { code: 'unreachable' });
});

test('mirror heads: over HTTP, with a cap and no redirects', async () => {
  const signer = newSigner();
  const note = signer.sign(9, root);
  const server = createServer((request, response) => {
    if (request.url === '/good/checkpoint') response.end(note);
    else if (request.url === '/endless/checkpoint') response.end(Buffer.alloc(100_000, 0x61));
    else if (request.url === '/moved/checkpoint') {
      response.writeHead(302, { location: '/good/checkpoint' }).end();
    } else response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [head] = await mirrorHeads([`${base}/good`], signer, fetchNote)();
    assert.equal(head?.checkpoint.size, 9);
    for (const path of ['endless', 'moved', 'broken']) {
      const ask = mirrorHeads([`${base}/${path}`], signer, fetchNote);
      await assert.rejects(ask(), { code: 'unreachable' }, path);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
