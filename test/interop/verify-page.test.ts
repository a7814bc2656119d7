// The page /verify, "Verify in this browser", `assay page` and <assay-number>, each in Chromium, under the policies they are served with.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { httpReader } from '@assay/cli/reader/http-reader';
import { startLocalPage } from '@assay/node/page/local-page';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ROOT } from '../src/core/fixture/fixture.ts';
import type { Hash } from '@assay/core/hash/hash';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { findChromium } from './browser.ts';
import { serveSample } from './sample-node.ts';

const chromium = findChromium();
const skip = chromium === undefined ? 'there is no Chromium here (ASSAY_CHROMIUM)' : false;
const PERIOD = '2025-04-26';

async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const { chromium: launcher } = await import('playwright-core');
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const browser = await launcher.launch({ executablePath: chromium as string, args });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

/** A page, with every error and every request of it. */
async function opened(browser: Browser): Promise<{
  readonly page: Page;
  readonly errors: string[];
  readonly requests: string[];
}> {
  const page = await browser.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // The console names each 404: what the log does not have yet is answered so.
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, errors, requests };
}

/** What the page says in the end: its first line. */
async function headline(page: Page): Promise<string> {
  // The verdict before it is taken away as a check begins. A function that waits would be code from a text, which the policy forbids.
  const line = page.locator('#verdict > :first-child').first();
  await line.waitFor({ timeout: 120_000 });
  return (await line.textContent()) ?? '';
}

async function keyOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/.well-known/assay-signer.json`);
  return ((await answer.json()) as { readonly checkpoint_vkey: string }).checkpoint_vkey;
}

/** A bundle of the sample log as a file, and the same with another print. */
async function bundleFiles(
  t: TestContext,
  url: string,
): Promise<{ readonly good: string; readonly bad: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-page-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const bytes = await makeBundle(httpReader(url), { index: 'LAYOFFS', period: PERIOD }, nodeSha256);
  const text = new TextDecoder().decode(bytes);
  const changed = text.replace('"print":"61', '"print":"60');
  assert.notEqual(changed, text);
  const [good, bad] = [join(folder, 'good.json'), join(folder, 'bad.json')];
  await writeFile(good, bytes);
  await writeFile(bad, changed);
  return { good, bad };
}

test(
  'the page verifies a number by the keyboard, keeps a key, and checks a file that stays here',
  { skip },
  async (t) => {
    const url = await serveSample(t);
    const key = await keyOf(url);
    const { good, bad } = await bundleFiles(t, url);
    await withBrowser(async (browser) => {
      const { page, errors, requests } = await opened(browser);
      await page.goto(`${url}/verify?index=LAYOFFS&period=${PERIOD}`);
      await page.locator('#period').press('Enter');
      assert.match(
        await headline(page),
        /^VERIFIED \(DEVELOPMENT, key not vouched for\): LAYOFFS /,
      );
      assert.equal(await page.evaluate('Object.keys(localStorage).length'), 0, 'nothing is kept');

      await page.locator('#key').focus();
      await page.keyboard.type(key);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.locator('#period').press('Enter');
      assert.match(
        await headline(page),
        /^VERIFIED \(DEVELOPMENT\): LAYOFFS of 2025-04-26 is 241000/,
      );
      assert.equal(await page.evaluate('document.activeElement?.id'), 'verdict');

      // A later visit brings the key that was kept, also for a file of that log.
      await page.goto(`${url}/verify`);
      requests.length = 0;
      await page.setInputFiles('#proof', good);
      await page.click('#file-form button');
      assert.match(await headline(page), /^VERIFIED \(DEVELOPMENT\): /);
      await page.setInputFiles('#proof', bad);
      await page.click('#file-form button');
      assert.match(await headline(page), /^NOT VERIFIED \(DEVELOPMENT\): /);
      assert.match((await page.textContent('#verdict')) ?? '', /print_differs/);
      await page.fill('#file-index', 'CPI');
      await page.setInputFiles('#proof', good);
      await page.click('#file-form button');
      assert.match(await headline(page), /^NOT VERIFIED /);
      const asked = requests.map((each) => new URL(each));
      assert.deepEqual(
        asked.filter(({ origin, pathname }) => origin !== url || !pathname.startsWith('/assets/')),
        [],
        'nothing but code is asked for',
      );

      // A head that was kept, and that the server's log does not continue.
      const { checkpoints } = await sampleLog();
      const head = Buffer.from(checkpoints.sign(100_000, new Uint8Array(32) as Hash)).toString();
      await page.evaluate(
        ([name, text]) => {
          const { localStorage } = globalThis as unknown as {
            localStorage: { setItem(of: string, value: string): void };
          };
          localStorage.setItem(name, text);
        },
        [`assay-head/1 ${key}`, head] as const,
      );
      await page.fill('#index', 'LAYOFFS');
      await page.click('#number-form button');
      assert.match(await headline(page), /^NOT VERIFIED: the log is no longer what it was before/);

      // Another log's key, in the field.
      await page.fill('#key', 'another/log+00000000+AAAA');
      await page.fill('#index', 'LAYOFFS');
      await page.click('#number-form button');
      assert.match(await headline(page), /^NOT VERIFIED: nothing was checked\./);
      await page.click('#forget');
      assert.equal(await page.evaluate('Object.keys(localStorage).length'), 0);
      assert.deepEqual(errors, []);
    });
  },
);

test(
  'a worker that hangs, is not there or is no verifier is shown as not verified, and none can upload',
  { skip },
  async (t) => {
    const url = await serveSample(t);
    const { good } = await bundleFiles(t, url);
    /** Asks this server and another for something, and answers whether it could. */
    const spy = `onmessage = async () => {
    const could = [];
    for (const to of ['/status', 'https://elsewhere.example/', 'http://127.0.0.1:9/']) {
      await fetch(to).then(() => could.push(to), (e) => { if (!/fetch/i.test(e.message)) could.push(e.message); });
    }
    postMessage({ ok: false, code: 'spy', why: could.length === 0 ? 'Could ask nobody' : could.join(), verdict: null, stamp: null, head: null });
  };`;
    await withBrowser(async (browser) => {
      const { page } = await opened(browser);
      const check = async (body: string | null): Promise<void> => {
        await page.unroute('**/verify-worker.js');
        await page.route('**/verify-worker.js', async (route) => {
          if (body === null) return route.abort();
          return route.fulfill({ response: await route.fetch(), body });
        });
        await page.goto(`${url}/verify`);
        await page.setInputFiles('#proof', good);
        await page.click('#file-form button');
      };
      await check(null);
      assert.match(
        await headline(page),
        /^NOT VERIFIED: nothing was checked\. The code of the verifier/,
      );
      await check('onmessage = () => postMessage({ ok: true });');
      assert.match(await headline(page), /^NOT VERIFIED: nothing was checked\./);
      await check(spy);
      assert.match(await headline(page), /Could ask nobody/);
      await check('onmessage = () => { for (;;); };');
      await page.waitForTimeout(1000);
      assert.equal(await page.textContent('#verdict'), '');
      await page.click('#stop');
      assert.match(
        await headline(page),
        /^NOT VERIFIED: nothing was checked\. The check was stopped/,
      );
    });
  },
);

test(
  'the box beside a number verifies on the spot, and leads to the page where its code is not there',
  { skip },
  async (t) => {
    const url = await serveSample(t);
    await withBrowser(async (browser) => {
      const { page, errors } = await opened(browser);
      await page.goto(`${url}/i/layoffs?period=${PERIOD}`);
      await page.locator('#verify a[data-code]').press('Enter');
      const line = page.locator('#verdict > p').first();
      await line.waitFor({ timeout: 120_000 });
      assert.match(
        (await line.textContent()) ?? '',
        /^VERIFIED \(DEVELOPMENT, key not vouched for\): /,
      );
      assert.deepEqual(errors, []);

      await page.route('**/number-worker.js', (route) => route.abort());
      await page.reload();
      await page.locator('#verify a[data-code]').press('Enter');
      await line.waitFor({ timeout: 120_000 });
      assert.match((await line.textContent()) ?? '', /^NOT VERIFIED: nothing was checked/);

      await page.route('**/verify-box.js', (route) => route.abort());
      await page.reload();
      await page.locator('#verify a[data-code]').press('Enter');
      await page.waitForURL(`${url}/verify?index=LAYOFFS&period=${PERIOD}`);
    });
  },
);

test(
  'assay page: code of this machine, numbers of a server, and no other server',
  { skip },
  async (t) => {
    const url = await serveSample(t);
    const key = await keyOf(url);
    const local = await startLocalPage({
      port: 0,
      url,
      onError: (error) => {
        throw error;
      },
    });
    t.after(() => local.close());
    const base = `http://127.0.0.1:${local.port}`;
    await withBrowser(async (browser) => {
      const { page, errors, requests } = await opened(browser);
      await page.goto(`${base}/verify?index=LAYOFFS&period=${PERIOD}`);
      await page.fill('#key', key);
      await page.locator('#period').press('Enter');
      assert.match(await headline(page), /^VERIFIED \(DEVELOPMENT\): LAYOFFS /);
      await page.click('#whole');
      assert.match(await headline(page), /^VERIFIED \(DEVELOPMENT\): LAYOFFS /);
      const servers = new Set(requests.map((each) => new URL(each).origin));
      assert.deepEqual([...servers].sort(), [base, url].sort());
      const scripts = requests.filter((each) => each.endsWith('.js'));
      assert.deepEqual(
        scripts.filter((each) => !each.startsWith(`${base}/`)),
        [],
        'no code comes from the log',
      );
      assert.deepEqual(errors, []);
    });
  },
);

/** A page of somebody else, with the element from its own host, held to its hash. */
async function embedder(t: TestContext, elements: string): Promise<string> {
  const code = await readFile(join(ROOT, 'node', 'dist', 'browser', 'assay-number.js'));
  const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;
  const text = `<!doctype html><meta charset="utf-8"><title>Embedder</title><link rel="icon" href="data:,"><script type="module" src="/assay-number.js" integrity="${integrity}"></script>${elements}`;
  const server = createServer((request, response) => {
    if (request.url === '/assay-number.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    } else {
      response
        .writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy':
            "default-src 'none'; script-src 'self'; connect-src *; img-src data:; require-trusted-types-for 'script'",
        })
        .end(text);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test(
  'what a visitor mistypes is told in words, and is no fault of the verifier',
  { skip },
  async (t) => {
    const url = await serveSample(t);
    const folder = await mkdtemp(join(tmpdir(), 'assay-page-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const zeros = join(folder, 'zeros.ots');
    await writeFile(zeros, Buffer.alloc(100));
    await withBrowser(async (browser) => {
      const { page } = await opened(browser);
      await page.goto(`${url}/verify`);
      const start = 'NOT VERIFIED: nothing was checked.';
      await page.fill('#index', 'NONE');
      await page.locator('#index').press('Enter');
      const none = await headline(page);
      assert.ok(none.startsWith(`${start} This log has no such number: `), none);
      assert.doesNotMatch(none, /\.\./);
      await page.setInputFiles('#proof', zeros);
      await page.click('#file-form button');
      const stamp = await headline(page);
      assert.ok(stamp.startsWith(`${start} The file is no OpenTimestamps proof, or it was`), stamp);
      await page.fill('#key', 'my key');
      await page.fill('#index', 'LAYOFFS');
      for (const control of ['#number-form button:not([type])', '#whole']) {
        await page.click(control);
        const text = await headline(page);
        assert.ok(text.startsWith(`${start} What is in the field for the key is no`), text);
      }
    });
  },
);

test('<assay-number> shows a number that it verified, and no other', { skip }, async (t) => {
  const url = await serveSample(t);
  const key = await keyOf(url);
  const other = key.replace(/\+[0-9a-f]/, '+0');
  const element = (id: string, attributes: string): string =>
    `<p><assay-number id="${id}" ${attributes}></assay-number></p>`;
  const asked = `src="${url}" index="LAYOFFS" period="${PERIOD}"`;
  const address = await embedder(
    t,
    [
      element('good', `${asked} key="${key}"`),
      element('newest', `src="${url}" index="LAYOFFS" key="${key}"`),
      element('keyless', asked),
      element('wrong', `${asked} key="${other}"`),
      element(
        'stranger',
        `${asked} key="development/other+627f6dcf+AbYoXZ3CWpGnkuF3Bsdbj2nQIH/iVARK3h5HJ0h9ylqL"`,
      ),
      element('nobody', `src="http://127.0.0.1:9" index="LAYOFFS" key="${key}"`),
      element('none', `src="${url}" index="NONE" key="${key}"`),
      element('empty', ''),
    ].join(''),
  );
  await withBrowser(async (browser) => {
    const { page, errors } = await opened(browser);
    await page.goto(address);
    const text = async (id: string): Promise<string> => {
      const line = page.locator(`#${id} [part=number], #${id} [part=refused]`).first();
      await line.waitFor({ timeout: 90_000 });
      return (await line.textContent()) ?? '';
    };
    assert.equal(await text('good'), 'LAYOFFS: 241000 claims');
    assert.match(await text('newest'), /^LAYOFFS: \d+ claims$/);
    assert.match(await text('keyless'), /^Not checked: no key/);
    for (const id of ['wrong', 'stranger', 'nobody', 'none', 'empty']) {
      assert.match(await text(id), /^Not verified: /, id);
    }
    for (const id of ['keyless', 'wrong', 'stranger', 'nobody', 'none', 'empty']) {
      assert.equal(await page.locator(`#${id} [part=number]`).count(), 0, id);
    }
    // A key that is taken away takes the number along.
    await page
      .locator('#good')
      .evaluate((from) =>
        (from as unknown as { removeAttribute(name: string): void }).removeAttribute('key'),
      );
    await page.waitForTimeout(200);
    assert.match(await text('good'), /^Not checked: no key/);
    assert.deepEqual(
      errors.filter(
        (each) => !each.includes('ERR_CONNECTION_REFUSED') && !each.includes('ERR_UNSAFE_PORT'),
      ),
      [],
    );
  });
});
