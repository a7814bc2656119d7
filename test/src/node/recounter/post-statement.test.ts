import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { postTo } from '@assay/node/recounter/publisher-post';
import { OTHER, RELEASE } from '../cosign/cosigner-fixture.ts';
import { Disk, heldOf, recounterOn, TestPublisher } from './recounter-world.ts';

const { signal } = new AbortController();

for (const [status, body, unposted, refused] of [
  [200, '{"entry":{"seq":1}}', 0, false],
  [201, '{"entry":{"seq":1}}', 0, false],
  [202, '{"entry":{"seq":1}}', 0, false],
  [202, 'not JSON', 1, false],
  [202, '{"entry":null}', 1, false],
  [400, '<html>400 Bad Request</html>', 1, false],
  [401, '{"error":"login"}', 1, false],
  [403, '', 1, false],
  [400, '{"error":"invalid_json"}', 0, true],
  [403, '{"error":"unknown_cosigner"}', 0, true],
  [404, '{"error":"not_found"}', 1, false],
  [409, `{"error":"refused","at":"${'\\u001b[2J'.repeat(900)}"}`, 0, true],
  [422, '[]', 1, false],
  [422, '{"error":"malformed"}', 0, true],
  [429, '{}', 1, false],
  [503, '', 1, false],
] as const) {
  test(`post word: ${status} ${body.slice(0, 30)} is ${refused ? 'a refusal' : unposted === 1 ? 'to be tried again' : 'taken'}`, async (t) => {
    const publisher = await TestPublisher.open();
    t.after(() => publisher.down());
    const disk = await Disk.make();
    const answer = () => Promise.resolve({ status, body: new TextEncoder().encode(body) });
    const { running } = await recounterOn(disk, publisher, { post: answer });
    publisher.world.at(RELEASE);
    const row = await publisher.world.round();
    assert.ok(row !== undefined);
    assert.equal((await running.follow()).unposted, unposted);
    assert.equal(disk.findings.has('word_refused', row.hash), refused);
    const [found] = disk.findings.open();
    assert.match(found?.says ?? '', /^[ -~]{0,700}$/);
    await running.close();
  });
}

for (const [at, waits] of [
  ['verdict', [60, 120, 240, 480, 960, 1920, 3600, 3600]],
  ['signed_at', [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]],
  ['head.size', [5, 10, 20]],
] as const) {
  test(`post statement: one refused at ${at} is sent again, after a day once a day`, async (t) => {
    const publisher = await TestPublisher.open();
    t.after(() => publisher.down());
    const disk = await Disk.make();
    let posts = 0;
    const answer = () => {
      posts += 1;
      const body = new TextEncoder().encode(JSON.stringify({ error: 'refused', at }));
      return Promise.resolve({ status: 409, body });
    };
    const { running } = await recounterOn(disk, publisher, { post: answer });
    const { world } = publisher;
    world.at(RELEASE);
    await world.round();
    await running.follow();
    const after = async (seconds: number): Promise<number> => {
      world.clock.now += seconds;
      await running.follow();
      return posts;
    };
    for (const [i, wait] of waits.entries()) {
      assert.equal(await after(wait - 1), i + 1);
      assert.equal(await after(1), i + 2);
    }
    await after(86_400);
    posts = 0;
    assert.equal(await after(86_399), 0);
    assert.equal(await after(1), 1);
    await running.close();
  });
}

test('post statement: a dissent that the publisher only claims to have noted is sent until the log has it', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  let takes = false;
  const { running, source } = await recounterOn(disk, publisher, {
    post: (bytes, stop) =>
      takes
        ? postTo(publisher.url)(bytes, stop)
        : Promise.resolve({ status: 202, body: new TextEncoder().encode('') }),
  });
  source.show(OTHER);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  assert.equal((await running.follow()).unposted, 1);
  world.clock.now += 86_401;
  await running.follow();
  assert.ok(disk.findings.has('word_withheld', row.hash));
  takes = true;
  world.clock.now += 3600;
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'dissent');
  await running.follow();
  assert.ok(!disk.findings.has('word_withheld', row.hash));
  await running.close();
});

const ANSWERS = [
  [409, 5],
  [409, 70_000],
  [202, 70_000],
] as const;

test('post statement: JSON goes to /statements, and the answer comes back bounded', async (t) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
    const [status, length] = ANSWERS[seen.length - 1] as (typeof ANSWERS)[number];
    response.writeHead(status).end('x'.repeat(length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const post = postTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const answer = await post(Buffer.from('{}'), signal);
  assert.equal(`${answer.status} ${Buffer.from(answer.body).toString()}`, '409 xxxxx');
  assert.deepEqual(seen, ['POST /statements application/json']);
  // Of an error, which may be the page of a proxy, there is what fits; another answer has to be whole.
  assert.equal((await post(Buffer.from('{}'), signal)).body.length, 65_536);
  await assert.rejects(post(Buffer.from('{}'), signal), { code: 'too_large' });
});

test('post statement: where nobody answers it throws', async () => {
  await assert.rejects(postTo('http://127.0.0.1:1')(Buffer.from('{}'), signal), {
    code: 'unreachable',
  });
});
