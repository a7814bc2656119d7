import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { toHash } from '@assay/core/hash/hash';
import { type LocalCheckpointSigner, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import {
  type FetchNote,
  fetchNote,
  headsElsewhere,
  mirrorHeads,
  witnessHeads,
} from '@assay/node/witness/client/mirror-heads';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { originHex } from '@assay/node/witness/server/file-witness-memory';

const ORIGIN = 'development/mirrors';

function newSigner(): LocalCheckpointSigner {
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

const HEX = originHex(ORIGIN);
const none = (): Promise<never> => Promise.reject(new Fault('not_found', 'checkpoint'));
const gone = (): Promise<never> => Promise.reject(new Error('gone'));

test('witness heads: by the hash of the origin; one that has none will do for a lone genesis only', async () => {
  const signer = newSigner();
  const asked: string[] = [];
  const witnesses = ['https://a', 'https://b', 'https://c'].map((url) => ({ url }));
  const heads = await witnessHeads(witnesses, signer, (url) => {
    asked.push(url);
    if (url.startsWith('https://a')) return gone();
    return url.startsWith('https://b') ? none() : Promise.resolve(signer.sign(7, root));
  })(7);
  assert.deepEqual(
    asked,
    witnesses.map(({ url }) => `${url}/${HEX}/checkpoint`),
  );
  assert.deepEqual(
    heads.map(({ holder, checkpoint }) => `${holder} ${checkpoint.size}`),
    ['the witness https://c 7'],
  );
  assert.deepEqual(await witnessHeads(witnesses, signer, none)(1), []);
  const other = newSigner();
  await assert.rejects(witnessHeads(witnesses, signer, none)(2), { code: 'unreachable' });
  for (const silent of [gone, () => Promise.resolve(other.sign(7, root))]) {
    await assert.rejects(witnessHeads(witnesses, signer, silent)(1), { code: 'unreachable' });
  }
});

test('heads elsewhere: who must be reached, and who need not be', async () => {
  const signer = newSigner();
  const told: string[] = [];
  const ask = (
    required: boolean,
    mirrorsRequired: boolean,
    mirror: FetchNote,
    witness: FetchNote,
    count = 1,
  ): ReturnType<typeof headsElsewhere> => {
    told.length = 0;
    return headsElsewhere({
      mirrors: count === 0 ? [] : ['https://m'],
      witnesses: count === 0 ? [] : [{ url: 'https://w' }],
      mirrorsRequired,
      required,
      signer,
      fetchNote: (url) => (url.startsWith('https://m') ? mirror(url) : witness(url)),
      onSilent: (reason) => told.push(reason),
    });
  };
  const has = (): Promise<Uint8Array> => Promise.resolve(signer.sign(3, root));
  assert.equal((await ask(true, true, has, has)?.(9))?.length, 2);
  assert.equal((await ask(true, false, has, gone)?.(9))?.length, 1, 'a mirror will do');
  assert.equal((await ask(true, false, has, none)?.(9))?.length, 1);
  assert.deepEqual(told, ['the witness https://w: it has no head of this log']);
  assert.equal((await ask(true, false, gone, has)?.(9))?.length, 1);
  assert.deepEqual(told, ['the mirror https://m: gone']);
  assert.equal((await ask(true, false, gone, none)?.(1))?.length, 0, 'a witness that has none yet');
  assert.equal((await ask(false, false, gone, gone)?.(9))?.length, 0);
  assert.deepEqual(told.toSorted(), ['the mirror https://m: gone', 'the witness https://w: gone']);
  for (const refused of [
    ask(true, false, gone, gone),
    ask(true, false, gone, none),
    ask(false, true, gone, has),
    ask(true, true, gone, has),
    ask(true, false, has, has, 0),
    ask(false, true, has, has, 0),
  ]) {
    await assert.rejects(refused?.(9) ?? Promise.resolve(), { code: 'unreachable' });
  }
  assert.equal(ask(false, false, has, has, 0), null);
});
