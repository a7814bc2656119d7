import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { marketEvent } from '../../../core/terminal/terminal-log.ts';
import { terminalWorld } from '../terminal-world.ts';
import { noTransport, TRANSPORTS } from '../world-service.ts';

const ATOM = 'application/atom+xml; charset=utf-8';
const XML = 'text/xml; charset=utf-8';

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(
    `changelog feed over ${transport}: it is compressed once, and then served compressed`,
    options,
    async (t) => {
      const { base, log } = await terminalWorld(t, transport, 1);
      const ask = (): Promise<Response> =>
        fetch(`${base}/changelog.atom`, { headers: { 'accept-encoding': 'br' } });
      let answer = await ask();
      const plain = await answer.text();
      for (let i = 0; i < 200 && answer.headers.get('content-encoding') === null; i += 1) {
        await sleep(10);
        answer = await ask();
      }
      assert.equal(answer.headers.get('content-encoding'), 'br');
      assert.equal(await answer.text(), plain);
      // What it lists has changed.
      const id = marketEvent('ETH', 8);
      log.append('event-close/1', {
        id: marketEvent('ETH', 92),
        closed_at: '2026-08-28T00:00:00Z',
        reason: 'age',
        peak_score: 99,
      });
      const after = await (await ask()).text();
      assert.notEqual(after, plain, id);
      assert.match(after, /its peak was 99/);
    },
  );

  test(
    `changelog feed over ${transport}: for who takes XML and no Atom it is called XML`,
    options,
    async (t) => {
      const { base } = await terminalWorld(t, transport, 1);
      const bodies = new Set<string>();
      for (const [accept, type] of [
        ['*/*', ATOM],
        ['application/atom+xml', ATOM],
        ['text/xml', XML],
        ['TEXT/XML; q=0.5', XML],
        ['text/xml;q=0', ATOM],
        ['application/rss+xml, text/xml;q=0.9', XML],
        ['application/atom+xml, text/xml', ATOM],
        ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', ATOM],
        ['text/xmlish', ATOM],
      ] as const) {
        const answer = await fetch(`${base}/changelog.atom`, { headers: { accept } });
        assert.equal(answer.headers.get('content-type'), type, accept);
        assert.match(answer.headers.get('vary') ?? '', /(^|, )accept(,|$)/);
        bodies.add(await answer.text());
        const etag = answer.headers.get('etag') ?? '';
        const again = await fetch(`${base}/changelog.atom`, {
          headers: { accept, 'if-none-match': etag },
        });
        assert.equal(again.status, 304, accept);
        assert.match(again.headers.get('vary') ?? '', /(^|, )accept(,|$)/);
      }
      assert.equal(bodies.size, 1);
    },
  );
}
