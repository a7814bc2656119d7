import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { blockId, headerHash } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/bytes/hex';
import { esplora } from '@assay/node/bitcoin/esplora';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { headerSourceSuite } from './header-source-suite.ts';
import { BROKEN_HOSTS, closedHost, localHost } from './local-host.ts';
import { mined } from './mined-headers.ts';

const idOf = (header: Uint8Array) => blockId(headerHash(nodeSha256, header));

function explorer(headers: () => readonly Uint8Array[]): RequestListener {
  return ({ url = '' }, response) => {
    const [, height] = /^\/api\/block-height\/(\d+)$/.exec(url) ?? [];
    const [, id] = /^\/api\/block\/([0-9a-f]{64})\/header$/.exec(url) ?? [];
    let text: string | undefined;
    if (url === '/api/blocks/tip/height') text = `${headers().length - 1}`;
    else if (height !== undefined) {
      const header = headers()[Number(height)];
      if (header !== undefined) text = idOf(header);
    } else if (id !== undefined) {
      const header = headers().find((each) => idOf(each) === id);
      if (header !== undefined) text = formatHex(header);
    }
    if (text === undefined) response.writeHead(404).end('Block not found');
    else response.end(text);
  };
}

headerSourceSuite('Esplora', async (t, given) => {
  let headers = given;
  const url = await localHost(
    t,
    explorer(() => headers),
  );
  return {
    source: esplora({ url: `${url}/api/`, timeoutMs: 60_000 }),
    replace: async (others) => {
      headers = others;
    },
  };
});

test('Esplora: broken hosts', async (t) => {
  for (const [code, listener] of BROKEN_HOSTS) {
    const url = await localHost(t, listener);
    const timeoutMs = code === 'timeout' ? 60 : 60_000;
    await assert.rejects(esplora({ url, timeoutMs }).tip(), { code });
    await assert.rejects(esplora({ url, timeoutMs }).headers(0, 5), { code });
  }
  const down = esplora({ url: await closedHost(), timeoutMs: 60_000 });
  await assert.rejects(down.tip(), { code: 'unreachable' });
});

test('Esplora: answers that are none', async (t) => {
  let said = '';
  let status = 200;
  const url = await localHost(t, (_, response) => response.writeHead(status).end(said));
  const source = esplora({ url, timeoutMs: 60_000 });
  for (said of ['', '<html>', '-1', '1.5', '1e3', '01', '2147483648', '99999999999', '0x10']) {
    await assert.rejects(source.tip(), { code: 'malformed' }, said);
  }
  for (said of ['', '12', 'A'.repeat(64), '0'.repeat(160), formatHex(mined(0)[0] as Uint8Array)]) {
    await assert.rejects(source.headers(0, 1), { code: 'malformed' }, said);
  }
  // The right form, but no header of that hash.
  said = '0'.repeat(64);
  await assert.rejects(source.headers(0, 1), { code: 'malformed' });
  said = '7';
  assert.equal(await source.tip(), 7);
  status = 404;
  await assert.rejects(source.tip(), { code: 'malformed' });
  status = 429;
  await assert.rejects(source.tip(), { code: 'refused' });
});

test('Esplora: another header than the one asked for', async (t) => {
  const [genesis, other] = mined(1) as readonly [Uint8Array, Uint8Array];
  const url = await localHost(t, ({ url: path = '' }, response) =>
    response.end(path.startsWith('/block-height/') ? idOf(genesis) : formatHex(other)),
  );
  const source = esplora({ url, timeoutMs: 60_000 });
  await assert.rejects(source.headers(0, 1), { code: 'malformed' });
});
