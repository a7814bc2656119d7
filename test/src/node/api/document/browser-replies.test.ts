import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faviconBytes } from '@assay/node/api/document/browser-replies';
import { terminalWorld } from '../terminal-world.ts';
import { noTransport, TRANSPORTS } from '../world-service.ts';

test('favicon: a file of one image, whose sizes are those of its parts', () => {
  const bytes = faviconBytes();
  const view = new DataView(bytes.buffer);
  const u16 = (at: number): number => view.getUint16(at, true);
  const u32 = (at: number): number => view.getUint32(at, true);
  assert.deepEqual([u16(0), u16(2), u16(4)], [0, 1, 1], 'an icon with one image');
  assert.deepEqual([bytes[6], bytes[7], bytes[8], u16(12)], [16, 16, 2, 1]);
  assert.equal(u32(18) + u32(14), bytes.length, 'the image is the rest of the file');
  assert.deepEqual([u32(26), u32(30), u16(36)], [16, 32, 1], 'the height counts both planes');
  const planes = u32(18) + u32(22) + 2 * 4;
  assert.equal(planes + u32(42), bytes.length);
  // Each pixel is dark or clear, never both.
  for (let y = 0; y < 16; y += 1) {
    const colour = view.getUint16(planes + 4 * y);
    assert.equal(colour ^ view.getUint16(planes + 64 + 4 * y), 0xffff, `row ${y}`);
  }
  // Rows go from the bottom up: the stand is wider than the tip.
  assert.equal(view.getUint16(planes + 4), 0b0000111111110000);
});

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(
    `browsers over ${transport}: an icon, and the page under its other spelling`,
    options,
    async (t) => {
      const { base } = await terminalWorld(t, transport, 1);
      const icon = await fetch(`${base}/favicon.ico`);
      assert.equal(icon.status, 200);
      assert.equal(icon.headers.get('content-type'), 'image/vnd.microsoft.icon');
      assert.match(icon.headers.get('cache-control') ?? '', /^public, max-age=/);
      assert.equal(icon.headers.get('x-content-type-options'), 'nosniff');
      assert.deepEqual(new Uint8Array(await icon.arrayBuffer()), faviconBytes());
      const head = await fetch(`${base}/favicon.ico`, { method: 'HEAD' });
      assert.equal(head.headers.get('content-length'), String(faviconBytes().length));
      for (const prefix of ['', '/v1']) {
        const moved = await fetch(`${base}${prefix}/docs/`, { redirect: 'manual' });
        assert.equal(moved.status, 308);
        assert.equal(moved.headers.get('location'), `${prefix}/docs`);
        const followed = await fetch(`${base}${prefix}/docs/`);
        assert.deepEqual([followed.status, followed.url], [200, `${base}${prefix}/docs`]);
      }
      for (const [path, method] of [
        ['/favicon.ico', 'POST'],
        ['/docs/', 'DELETE'],
        ['/indices/', 'GET'],
        ['//docs/', 'GET'],
      ] as const) {
        assert.equal((await fetch(`${base}${path}`, { method })).status, 404, `${method} ${path}`);
      }
    },
  );
}
