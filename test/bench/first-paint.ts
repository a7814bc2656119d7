// How long a visitor waits until a page shows something, beside the shortest document of the same server.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startDemo } from '@assay/node/dev/demo';
import { makeLogger } from '@assay/node/production/logger';
import { findChromium } from '../interop/browser.ts';
import { firstClose } from '../src/node/fixture/demo-node.ts';
import { median } from './contest.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const WHAT = 'First paint of a page in Chromium, nothing in its cache';
const PEER = 'two lines of plain text from the same server';
/** A document that is painted as soon as it is there. */
const SHORTEST = '/robots.txt';
const PATHS = ['/', '/i/layoffs', '/board', '/a/hazel', '/log'] as const;
const FIRST_PAINT = `new Promise((resolve) => {
  const found = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  if (found() !== undefined) resolve(found());
  else new PerformanceObserver(() => found() !== undefined && resolve(found())).observe({ type: 'paint', buffered: true });
})`;

/** Each page in turns with the shortest document, `turns` times. */
export async function firstPaintRows(turns: number): Promise<readonly Row[]> {
  const chromium = findChromium();
  if (chromium === undefined) return [{ what: WHAT, peer: PEER, skipped: 'there is no Chromium' }];
  const folder = await temporaryFolder('first-paint');
  const node = await startDemo({
    data: join(folder, 'log'),
    environment: { ASSAY_PORT: '0' },
    log: makeLogger('silent'),
    weekSeconds: 12_600,
  });
  const base = `http://127.0.0.1:${node.port}`;
  let browser: Browser | undefined;
  try {
    await firstClose(base);
    const playwright = await import('playwright-core');
    browser = await playwright.chromium.launch({
      executablePath: chromium,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    const times = new Map<string, number[]>([SHORTEST, ...PATHS].map((path) => [path, []]));
    // The first turn is practice.
    for (let turn = 0; turn <= turns; turn += 1) {
      for (const [path, known] of times) {
        const time = await firstPaint(browser, base + path);
        if (turn > 0) known.push(time);
      }
    }
    const shortest = times.get(SHORTEST) ?? [];
    return PATHS.map((path) => {
      const own = times.get(path) ?? [];
      const ratios = own.map((each, turn) => each / (shortest[turn] ?? Number.NaN));
      return {
        what: `${WHAT}: \`${path}\``,
        unit: 'ms',
        ours: median(own),
        peer: PEER,
        theirs: median(shortest),
        ratio: median(ratios),
        goal: null,
      };
    });
  } finally {
    await browser?.close();
    await node.close();
    await removeFolder(folder);
  }
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'load' });
    return await page.evaluate<number>(FIRST_PAINT);
  } finally {
    await context.close();
  }
}
