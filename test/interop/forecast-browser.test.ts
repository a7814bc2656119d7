import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { startDemo } from '@assay/node/dev/demo';
import { makeLogger } from '@assay/node/production/logger';
import { assay, scratch } from '../src/cli/fixture/run.ts';
import { findChromium } from './browser.ts';

const chromium = findChromium();
const skip = chromium === undefined ? 'there is no Chromium here (ASSAY_CHROMIUM)' : false;

/** As fast as the demo runs with an Arena: the eight hours of a round are two and a half minutes. */
const WEEK_SECONDS = 3100;

interface OpenRound {
  readonly id: string;
  readonly closes_at: string;
}

/** The first round to close of those that leave time for a test, waited for if there is none. */
async function openRound(base: string): Promise<OpenRound> {
  for (let tries = 0; tries < 240; tries += 1) {
    const answer = await fetch(`${base}/v1/arena`);
    const { open, generated_at: now } = (await answer.json()) as {
      readonly open: readonly OpenRound[];
      readonly generated_at: string;
    };
    // Four hours of the log's clock are 74 seconds of the test's.
    const found = open.find(
      ({ closes_at }) => Date.parse(closes_at) - Date.parse(now) > 14_400_000,
    );
    if (found !== undefined) return found;
    await sleep(500);
  }
  throw new Error('no round of the Arena opened in two minutes');
}

/** Saves what the links of the page offer; the paths by the ends of their names. */
async function savedFiles(
  page: Page,
  folder: string,
): Promise<Record<'handle' | 'receipt', string>> {
  const paths = { handle: '', receipt: '' };
  for (const link of await page.locator('#forecast-files a').all()) {
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const name = download.suggestedFilename();
    const path = join(folder, name);
    await download.saveAs(path);
    paths[name.endsWith('.handle.json') ? 'handle' : 'receipt'] = path;
  }
  return paths;
}

async function fill(page: Page, round: string, value: string, name: string): Promise<void> {
  await page.locator('#round').selectOption(round);
  await page.locator('#value').fill(value);
  await page.locator('#name').fill(name);
}

async function stateAfter(page: Page): Promise<string> {
  await page.keyboard.press('Enter');
  const state = page.locator('#forecast-state.good, #forecast-state.bad');
  await state.waitFor({ timeout: 60_000 });
  return state.innerText();
}

test(
  'a forecast that the page sealed is taken, sealed indeed, and its receipt is good for the command',
  { skip, timeout: 540_000 },
  async (t) => {
    const folder = await scratch(t);
    const node = await startDemo({
      data: join(folder, 'log'),
      environment: { ASSAY_PORT: '0' },
      log: makeLogger('silent'),
      weekSeconds: WEEK_SECONDS,
    });
    let browser: Browser | undefined;
    try {
      const base = `http://127.0.0.1:${node.port}`;
      const { id } = await openRound(base);
      const playwright = await import('playwright-core');
      browser = await playwright.chromium.launch({
        executablePath: chromium as string,
        headless: true,
        args: ['--no-sandbox', '--disable-gpu'],
      });
      const page = await browser.newPage();
      const errors: string[] = [];
      const bodies: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('request', (request) => {
        if (request.method() === 'POST') bodies.push(request.postData() ?? '');
      });
      await page.goto(`${base}/arena`);

      // What is no forecast is refused before anything is sent.
      await fill(page, id, '12.3456789', 'ada');
      assert.match(await stateAfter(page), /decimals/);
      await fill(page, id, '31', 'official');
      assert.match(await stateAfter(page), /not reserved/);
      assert.deepEqual([bodies, errors], [[], []]);

      await fill(page, id, '31', 'Ada');
      await page.locator('#name').focus();
      assert.match(await stateAfter(page), /^Your forecast is taken, at place \d+/);
      assert.equal(await page.evaluate('document.activeElement.id'), 'forecast-kept');
      const first = await savedFiles(page, folder);
      const [sent = ''] = bodies;
      const { sealed, value, handle_salt } = JSON.parse(sent) as Readonly<Record<string, string>>;
      assert.match(sealed ?? '', /^[0-9a-f]{320}$/);
      assert.equal(value, undefined, 'the value is nowhere in what is sent');
      assert.match(handle_salt ?? '', /^[0-9a-f]{64}$/);
      const early = await assay(folder, ['forecast', 'check', first.receipt]);
      assert.deepEqual([early.code, early.err], [3, ''], early.out);

      // Without the handle file the name is somebody else's; with it, the forecast is replaced.
      await page.reload();
      await fill(page, id, '33', 'ada');
      await page.locator('#name').focus();
      assert.match(await stateAfter(page), /handle|secret|name/i);
      assert.equal(await page.locator('#forecast-files a').count(), 0);
      await page.locator('#handle').setInputFiles(first.handle);
      await page.locator('#name').focus();
      await page.locator('#forecast-state').evaluate((each) => (each.className = ''));
      assert.match(await stateAfter(page), /^Your forecast is taken/);
      const second = await savedFiles(page, folder);
      // One error is the browser's own line for the status of the refusal.
      assert.deepEqual(
        errors.filter((each) => !each.includes('409')),
        [],
      );

      // The command takes the handle file of the page.
      const made = await assay(folder, [
        'forecast',
        'make',
        base,
        id,
        '35',
        '--handle',
        'ada',
        '--secret',
        second.handle,
      ]);
      assert.equal(made.code, 0, made.err);

      // A receipt whose place is another is not good.
      const file = JSON.parse(await readFile(second.receipt, 'utf8')) as {
        receipt: { ordinal: number };
      };
      const forged = join(folder, 'forged.json');
      file.receipt.ordinal += 1;
      await writeFile(forged, JSON.stringify(file));
      assert.equal((await assay(folder, ['forecast', 'check', forged])).code, 1);

      let late = await assay(folder, ['forecast', 'check', second.receipt]);
      for (let tries = 0; late.code === 3 && tries < 100; tries += 1) {
        await sleep(3000);
        late = await assay(folder, ['forecast', 'check', second.receipt]);
      }
      assert.equal(late.code, 0, late.out + late.err);
      assert.match(late.out, /the frozen root of the round holds it/);
    } finally {
      await browser?.close();
      await node.close();
    }
  },
);
