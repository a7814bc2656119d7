import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { terminalWorld } from '../terminal-world.ts';

/** The documents page as a request with that name of the host gets it. */
function pageAt(base: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${base}/docs`, { headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve(text);
      });
    }).on('error', reject);
  });
}

const addressOf = (page: string): string | undefined => /<pre>BASE=(\S+)/.exec(page)?.[1];

test('document routes: the page is made for a few names of the host, and not for each that is sent', async (t) => {
  const { base } = await terminalWorld(t, 'node', 1);
  const pages: string[] = [];
  for (let i = 0; i < 12; i += 1) pages.push(await pageAt(base, `h${i}.example`));
  const named = pages.filter((page, i) => addressOf(page) === `http://h${i}.example`);
  assert.equal(named.length, 4);
  const others = new Set(pages.slice(named.length));
  assert.equal(others.size, 1, 'one page for all others');
  assert.doesNotMatch([...others].join(), /h\d+\.example/);
  // Those that are named stay.
  assert.equal(addressOf(await pageAt(base, 'H0.example')), 'http://h0.example');
  assert.equal(addressOf(await pageAt(base, 'not a <name>')), addressOf(pages[11] ?? ''));
});
