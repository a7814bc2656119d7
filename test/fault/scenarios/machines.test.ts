import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { faketimeLibrary, type Machine, machinesOf } from './machines.ts';

const SERVER = `require('node:http').createServer((_, r) => r.end(new Date().toISOString()))
  .listen(8000, '0.0.0.0', () => console.log('up'));`;

/** What a machine gets from an address, or the code of its error. */
async function ask(from: Machine, address: string): Promise<string> {
  const script = `const g = require('node:http').get({ host: '${address}', port: 8000, timeout: 15_000 },
    (r) => r.on('data', (d) => console.log(String(d))));
    g.on('timeout', () => g.destroy(Object.assign(new Error(), { code: 'late' })));
    g.on('error', (e) => console.log(e.code));`;
  const child = from.start(process.execPath, ['-e', script]);
  let out = '';
  child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()));
  await once(child, 'close');
  return out.trim();
}

test('machines: each reaches the others, but not across a cut; a clock can be off', async (t) => {
  const found = await machinesOf(t, ['one', 'two', 'three']);
  if (found === undefined) return;
  const { one, two, three } = found.machine;
  const off = faketimeLibrary() === undefined ? 0 : 3600;
  if (off === 0) t.diagnostic('libfaketime is not installed: no clock is set off');
  const server = one.start(process.execPath, ['-e', SERVER], { clockOffsetS: off });
  await once(server.stdout ?? assert.fail(), 'data');
  const time = await ask(two, one.address);
  const ahead = (Date.parse(time) - Date.now()) / 1000;
  assert.equal(Math.abs(ahead - off) < 60, true, `${ahead}`);
  await found.cut('one', 'two');
  assert.match(await ask(two, one.address), /^(EINVAL|EHOSTUNREACH|ENETUNREACH|late)$/);
  assert.match(await ask(three, one.address), /^20/);
  await found.heal('one', 'two');
  assert.match(await ask(two, one.address), /^20/);
  // Nothing leads out.
  assert.match(await ask(two, '192.0.2.1'), /^(ENETUNREACH|EHOSTUNREACH)$/);
});
