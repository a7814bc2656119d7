import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';

/** From test/dist/interop, where this file runs. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/** What a page can import: each prefix of the import map, and the folder that it stands for. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@assay/core/': join(ROOT, 'core/dist'),
  '@assay/verifier/': join(ROOT, 'verifier/dist'),
  '@noble/curves/': dirname(fileURLToPath(import.meta.resolve('@noble/curves/bls12-381.js'))),
  '@noble/hashes/': dirname(fileURLToPath(import.meta.resolve('@noble/hashes/sha2.js'))),
  '@noble/ed25519/': dirname(fileURLToPath(import.meta.resolve('@noble/ed25519'))),
};

const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Assay</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({
  imports: {
    '@noble/ed25519': '/@noble/ed25519/index.js',
    ...Object.fromEntries(Object.keys(PACKAGES).map((prefix) => [prefix, `/${prefix}`])),
  },
})}</script>
`;

/** The path of the Chromium to test with, or `undefined`: ASSAY_CHROMIUM, or Debian's. */
export function findChromium(): string | undefined {
  const path = process.env['ASSAY_CHROMIUM'] ?? '/usr/bin/chromium';
  return existsSync(path) ? path : undefined;
}

/** The bytes and type of `path`, from `files` first, then from the packages; or `undefined`. */
async function resource(
  path: string,
  files: ReadonlyMap<string, Uint8Array | string>,
): Promise<{ readonly body: Uint8Array | string; readonly type: string } | undefined> {
  if (path === '/') return { body: PAGE, type: TYPES['.html'] ?? '' };
  const named = extname(path) === '' ? `${path}.js` : path;
  const given = files.get(path);
  const type = TYPES[extname(given === undefined ? named : path)] ?? 'application/octet-stream';
  if (given !== undefined) return { body: given, type };
  for (const [prefix, folder] of Object.entries(PACKAGES)) {
    if (!named.startsWith(`/${prefix}`)) continue;
    const file = join(folder, named.slice(prefix.length + 1));
    if (!file.startsWith(folder + sep) || !existsSync(file)) return undefined;
    return { body: await readFile(file), type };
  }
  return undefined;
}

async function listen(files: ReadonlyMap<string, Uint8Array | string>): Promise<Server> {
  const server = createServer((request, response) => {
    void (async (): Promise<void> => {
      const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
      try {
        const found = await resource(pathname, files);
        if (found === undefined) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': found.type }).end(found.body);
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

/** An open page and what it did: every address it asked for, and every error it let go. */
export interface BrowserPage {
  readonly page: Page;
  readonly origin: string;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
}

/**
 * Runs `use` in a fresh headless Chromium at `path`, on a page of a loopback server (a secure
 * context, so with WebCrypto) that can import `@assay/core/*`, `@assay/verifier/*` and noble as
 * built, and fetch `files` by their path, such as `/bundle.json`. Closes all of it afterwards.
 */
export async function withBrowserPage<T>(
  path: string,
  files: ReadonlyMap<string, Uint8Array | string>,
  use: (opened: BrowserPage) => Promise<T>,
): Promise<T> {
  const { chromium } = await import('playwright-core');
  const server = await listen(files);
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({ executablePath: path, headless: true, args: CHROMIUM_FLAGS });
    const page = await browser.newPage();
    const requests: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await page.goto(`${origin}/`);
    return await use({ page, origin, requests, errors });
  } finally {
    await browser?.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}
