import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { PAGES } from '@assay/node/page/view/pages';
import { edgeStudyWith } from '../../core/terminal/edge/edge-study.ts';
import { freezeStudy, hotWorld } from '../api/hot-world.ts';
import { firstClose, withDemo } from '../fixture/demo-node.ts';

/** An address of each page, in a log of claims alone. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/log': ['/log', '/log?kind=report', '/log?q=LAYOFFS', '/log?before=10'],
  '/log/:seq': ['/log/0', '/log/1'],
  '/receipts': ['/receipts', '/receipts?symbol=btc'],
  '/referee': ['/referee'],
  '/arena': ['/arena'],
  '/record': ['/record'],
  '/status': ['/status'],
  '/verify': ['/verify', '/verify?index=LAYOFFS&period=2026-07-18'],
  '/i/:slug': ['/i/layoffs', '/i/LAYOFFS?period=2026-07-18'],
};

/** The same of a log with a market. */
const MARKET_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '/board': ['/board'],
  '/a/:symbol': ['/a/BTC', '/a/sol'],
  '/base-rates': ['/base-rates'],
};

const HTML = { accept: 'text/html' };

/** What a page may weigh over the wire before anybody acts, with its style and its script. */
const MOST_BYTES = 10_000;

/** Elements that have no end tag (HTML, 13.1.2). */
const VOID = new Set(['meta', 'link', 'br', 'hr', 'img', 'input', 'source', 'col', 'wbr']);

/** The tags of a page, each closed in the order in which it was opened. Throws at the first that is not. */
function requireBalanced(page: string): void {
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of page.matchAll(
    /<(\/?)([a-z][a-z0-9-]*)([^>]*)>/gi,
  )) {
    if (slash === '/') assert.equal(open.pop(), name);
    else if (!VOID.has(name) && !rest.endsWith('/')) open.push(name);
  }
  assert.deepEqual(open, []);
}

test('pages: each has an address here', () => {
  const all = { ...ADDRESSES, ...MARKET_ADDRESSES };
  assert.deepEqual(Object.keys(all).sort(), PAGES.map(({ path }) => path).sort());
});

test('pages: each is a whole document that needs no script, and is small', async (t) => {
  await withDemo({}, async (base) => {
    await firstClose(base);
    for (const address of Object.values(ADDRESSES).flat()) {
      await t.test(address, () => requirePage(base, address));
    }
  });
});

test('pages: those of a market are, too', async (t) => {
  // The log of that service is in memory and has no tiles to show, so that links into it are not followed.
  const young = await hotWorld(t);
  await requirePage(young.base, '/base-rates', ['/log']);
  const world = await hotWorld(t);
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const entry = `/log/${world.log.entries.length - 1}`;
  for (const address of Object.values(MARKET_ADDRESSES).flat()) {
    await t.test(address, () => requirePage(world.base, address, ['/log', entry]));
  }
  const page = await (await fetch(`${world.base}/base-rates`, { headers: HTML })).text();
  assert.ok(page.includes(`href="${entry}"`), 'the page names the entry of its study');
});

/** Throws where a page is no whole document, carries inline code, is too large, or has a link that leads nowhere. */
async function requirePage(
  base: string,
  address: string,
  unfollowed: readonly string[] = [],
): Promise<void> {
  const answer = await fetch(`${base}${address}`, { headers: HTML });
  const page = await answer.text();
  assert.equal(answer.status, 200, page.slice(0, 2000));
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  requireBalanced(page);
  assert.equal(page.match(/<h1/g)?.length, 1);
  assert.match(page, /<title>[^<]+ · Assay<\/title>/);
  assert.match(page, /<meta name="description" content="[^"]+">/);
  assert.doesNotMatch(page, /undefined|\[object|NaN|\son[a-z]+=|\sstyle=|<script(?![^>]* src=)/);

  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, 'each id stands once');

  const loaded = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path,
  );
  let bytes = brotliCompressSync(page).length;
  for (const path of loaded) {
    const file = await fetch(`${base}${path}`);
    assert.equal(file.status, 200, path);
    bytes += brotliCompressSync(new Uint8Array(await file.arrayBuffer())).length;
  }
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);

  const targets = new Set([...page.matchAll(/href="(\/[^"]*)"/g)].map(([, href]) => href ?? ''));
  for (const target of targets) {
    const path = target.replace(/[?#].*/, '');
    if (unfollowed.includes(path)) continue;
    const reply = await fetch(`${base}${target.replaceAll('&amp;', '&')}`);
    assert.ok(reply.status === 200, `${target} -> ${reply.status}`);
    await reply.body?.cancel();
  }
}
