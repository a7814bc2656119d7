import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page as BrowserPage } from 'playwright-core';
import { startDemo } from '@assay/node/dev/demo';
import { PAGES } from '@assay/node/page/view/pages';
import { makeLogger } from '@assay/node/production/logger';
import { firstClose } from '../src/node/fixture/demo-node.ts';
import { findChromium } from './browser.ts';

/** An address of each page, in a demo with all indexes and its market. */
const ADDRESSES: Readonly<Record<string, string>> = {
  '/': '/',
  '/log': '/log',
  '/log/:seq': '/log/1',
  '/status': '/status',
  '/board': '/board',
  '/a/:symbol': '/a/hazel',
  '/base-rates': '/base-rates',
  '/receipts': '/receipts',
  '/referee': '/referee',
  '/arena': '/arena',
  '/verify': '/verify?index=LAYOFFS&period=2026-07-25',
  '/i/:slug': '/i/layoffs',
  '/record': '/record',
};

/** What a page says without JavaScript, where it does its work with it. Then it shows no form that does nothing. */
const SCRIPTED: ReadonlyMap<string, RegExp> = new Map([
  [
    '/verify?index=LAYOFFS&period=2026-07-25',
    /This page needs JavaScript[\s\S]*assay verify \S+ --key KEY --index LAYOFFS --period 2026-07-25/,
  ],
]);

const chromium = findChromium();
const skip = chromium === undefined ? 'there is no Chromium here (ASSAY_CHROMIUM)' : false;

const WIDTHS = [390, 1280] as const;
const SCHEMES = ['light', 'dark'] as const;

/** The rules of WCAG 2.2 to level AA, and what axe calls best practice. */
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A demo with everything that it has: all indexes, and the market. */
async function withWholeDemo(use: (base: string) => Promise<void>): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'assay-pages-'));
  const node = await startDemo({
    data: join(data, 'log'),
    environment: { ASSAY_PORT: '0' },
    log: makeLogger('silent'),
    weekSeconds: 12_600,
  });
  try {
    await use(`http://127.0.0.1:${node.port}`);
  } finally {
    await node.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function axeSource(): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
}

/** Expressions for the page: how far it stands out at the side, what has the focus, and how much can be operated. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const visible = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  const name = at.getAttribute('href') ?? at.id;
  return (visible ? '' : 'no outline: ') + at.tagName + ' ' + name + ' ' + (at.textContent ?? '').slice(0, 40);
})()`;
const OPERABLE = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((each) => !each.hasAttribute('disabled') && each.checkVisibility()).length`;

/** A page that was opened, and every error that it let go. */
interface Opened {
  readonly page: BrowserPage;
  readonly errors: readonly string[];
}

async function open(context: BrowserContext, url: string): Promise<Opened> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('requestfailed', (request) => {
    // The stream of events ends when the page is closed.
    if (!request.url().includes('/events')) errors.push(`failed: ${request.url()}`);
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, errors };
}

async function overflowOf(page: BrowserPage): Promise<number> {
  return page.evaluate(OVERFLOW);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violationsOf(page: BrowserPage, source: string): Promise<readonly string[]> {
  await page.evaluate(source);
  const found = await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        run: (options: object) => Promise<{ readonly violations: readonly Violation[] }>;
      };
    };
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations;
  }, AXE_TAGS);
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
}

/** What the keyboard reaches, in its order, until it comes round or nothing is left. */
async function reached(page: BrowserPage): Promise<readonly string[]> {
  const names: string[] = [];
  for (let presses = 0; presses < 400; presses += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate<string | null>(FOCUSED);
    if (name === null) break;
    names.push(name);
  }
  return names;
}

/** What the keyboard should reach: everything that can be operated and is not hidden. */
async function operable(page: BrowserPage): Promise<number> {
  return page.evaluate(OPERABLE);
}

test('pages in a browser: each has an address here', () => {
  assert.deepEqual(Object.keys(ADDRESSES).sort(), PAGES.map(({ path }) => path).sort());
});

test(
  'pages in a browser: wide and narrow, light and dark, with and without JavaScript, by keyboard alone',
  { skip },
  async (t) => {
    const source = await axeSource();
    const playwright = await import('playwright-core');
    await withWholeDemo(async (base) => {
      await firstClose(base);
      const browser: Browser = await playwright.chromium.launch({
        executablePath: chromium as string,
        headless: true,
        args: ['--no-sandbox', '--disable-gpu'],
      });
      try {
        for (const address of Object.values(ADDRESSES)) {
          for (const width of WIDTHS) {
            for (const colorScheme of SCHEMES) {
              await t.test(`${address} at ${width} pixels, ${colorScheme}`, async () => {
                const viewport = { width, height: 900 };
                const context = await browser.newContext({ viewport, colorScheme });
                try {
                  const { page, errors } = await open(context, `${base}${address}`);
                  assert.equal(await overflowOf(page), 0, 'nothing stands out at the side');
                  assert.deepEqual(await violationsOf(page, source), []);
                  if (colorScheme === 'light') {
                    const names = await reached(page);
                    assert.match(names[0] ?? '', /Skip to the content/);
                    assert.deepEqual(
                      names.filter((name) => name.startsWith('no outline')),
                      [],
                    );
                    assert.equal(names.length, await operable(page), names.join('\n'));
                  }
                  assert.deepEqual(errors, []);
                } finally {
                  await context.close();
                }
              });
            }
          }
          await t.test(`${address} without JavaScript`, async () => {
            const withScripts = await browser.newContext();
            const without = await browser.newContext({ javaScriptEnabled: false });
            try {
              const { page } = await open(withScripts, `${base}${address}`);
              const { page: plain, errors } = await open(without, `${base}${address}`);
              const said = SCRIPTED.get(address);
              if (said !== undefined) {
                assert.match(await plain.locator('main').innerText(), said);
                assert.equal(
                  await plain
                    .locator('main button, main input')
                    .and(plain.locator(':visible'))
                    .count(),
                  0,
                );
                return;
              }
              const words = async (each: BrowserPage): Promise<number> =>
                (await each.locator('main').innerText()).split(/\s+/).length;
              const [shown, readable] = [await words(page), await words(plain)];
              assert.ok(readable >= shown * 0.9, `${readable} of ${shown} words`);
              assert.deepEqual(errors, []);
            } finally {
              await withScripts.close();
              await without.close();
            }
          });
        }
        for (const colorScheme of SCHEMES) {
          await t.test(`scores are zoomed into, by keyboard alone, ${colorScheme}`, async () => {
            const viewport = { width: 390, height: 900 };
            const context = await browser.newContext({ viewport, colorScheme });
            try {
              const { page, errors } = await open(context, `${base}/a/hazel`);
              await page.locator('#zoom-open').focus();
              await page.keyboard.press('Enter');
              const said = page.locator('#zoom [role="status"]');
              await page.locator('#zoom canvas').waitFor();
              const whole = await said.innerText();
              assert.match(whole, /^From .+ UTC to .+ UTC: \d+ readings, from \d+ to \d+\.$/);
              await page.getByRole('button', { name: 'Zoom in' }).focus();
              await page.keyboard.press('Enter');
              await page.waitForFunction(
                `document.querySelector('#zoom [role="status"]').innerText !== ${JSON.stringify(whole)}`,
              );
              await page.getByRole('button', { name: 'All' }).press('Enter');
              await page.waitForFunction(
                `document.querySelector('#zoom [role="status"]').innerText === ${JSON.stringify(whole)}`,
              );
              assert.equal(await overflowOf(page), 0);
              assert.deepEqual(await violationsOf(page, source), []);
              assert.deepEqual(errors, []);
            } finally {
              await context.close();
            }
          });
          await t.test(
            `a verdict that is shown can be read by everybody, ${colorScheme}`,
            async () => {
              const context = await browser.newContext({
                viewport: { width: 390, height: 900 },
                colorScheme,
              });
              try {
                const { page, errors } = await open(context, `${base}/i/layoffs`);
                await page.getByText('Verify in this browser').press('Enter');
                await page.getByText(/^VERIFIED \(DEVELOPMENT/).waitFor({ timeout: 60_000 });
                assert.equal(await overflowOf(page), 0);
                assert.deepEqual(await violationsOf(page, source), []);
                assert.deepEqual(errors, []);
              } finally {
                await context.close();
              }
            },
          );
        }
        await t.test(
          'a text that changes takes its colour along, and a silent service is told',
          async () => {
            const context = await browser.newContext();
            try {
              const page = await context.newPage();
              let status = 200;
              const texts = { 'layoffs.state': 'Void now', 'layoffs.state tone': 'none' };
              await page.route('**/live?page=*', (route) => route.fulfill({ status, json: texts }));
              await page.goto(base);
              const state = page.locator('[data-live="layoffs.state"]');
              await page.getByText('Void now').waitFor();
              assert.match((await state.getAttribute('class')) ?? '', /\bnone\b/);
              status = 503;
              await page.goto(base);
              await page.getByText(/^This page shows how it was at .* UTC: the service/).waitFor();
              assert.equal(await overflowOf(page), 0);
            } finally {
              await context.close();
            }
          },
        );
        await t.test('/docs is searched, by keyboard alone', async () => {
          const context = await browser.newContext({ viewport: { width: 390, height: 900 } });
          try {
            const { page, errors } = await open(context, `${base}/docs`);
            await page.keyboard.press('/');
            await page.keyboard.type('settlement csv');
            assert.match(await page.locator('#found li').first().innerText(), /settlement\.csv$/);
            await page.keyboard.press('Enter');
            assert.match(page.url(), /#getSettlementCsv$/);
            await page.keyboard.press('/');
            await page.keyboard.type('xyzzy');
            assert.match(await page.locator('#found').innerText(), /Nothing has all these words/);
            assert.equal(await overflowOf(page), 0);
            assert.deepEqual(errors, []);
          } finally {
            await context.close();
          }
        });
      } finally {
        await browser.close();
      }
    });
  },
);
