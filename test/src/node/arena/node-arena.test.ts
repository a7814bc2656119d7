import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { parseTime } from '@assay/core/time/time';
import { nodeArena, openArena } from '@assay/node/arena/node-arena';
import { isBodyFault, parseForecastBody } from '@assay/node/arena/forecast-body';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { dataFolder } from '@assay/node/platform/data-folder';
import { findLeaks } from '../fixture/leak-search.ts';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import { ArenaWorld, CLOSE, OPEN, ROUND } from './arena-world.ts';

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('node arena: it runs rounds, and logs neither names nor secrets nor addresses nor values', async (t) => {
  const world = await ArenaWorld.begin(t);
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const folder = dataFolder(world.at.folder);
  const arena = nodeArena(
    {
      ...(await openArena({ ...folder, handles: `${folder.handles}-own` }, nodeSha256)),
      beaconOf: () => undefined,
      everyMs: 5,
    },
    {
      ledger: world.ledger,
      blobs: world.at.blobs,
      signer: REPORT_SIGNER,
      sha256: nodeSha256,
      log: pino({ level: 'trace' }, stream),
    },
  );
  world.time(OPEN);
  arena.start?.();
  await until(() => lines.some((line) => line.includes('"opened"')));
  const body = parseForecastBody({ question: ROUND, handle: 'Somebody-Known', value: 231_977 });
  assert.ok(!isBodyFault(body));
  const idempotencyKey = 'a-key-that-nobody-knows';
  const submission = { body, client: '203.0.113.77', idempotencyKey };
  const answer = await arena.intake.submit(submission);
  assert.ok(answer.kind === 'accepted');
  assert.equal(arena.nameOf(answer.handle_id), 'Somebody-Known');
  world.at.place.store.fail = 'failed';
  const other = { ...body, handle: 'Another-Name', value: '231978' };
  assert.equal((await arena.intake.submit({ ...submission, body: other })).kind, 'halted');
  world.at.place.store.fail = undefined;
  assert.ok(lines.some((line) => line.includes('could not be taken')));
  world.at.clock.now = parseTime(CLOSE);
  await arena.stop?.();
  const texts = [
    'Somebody-Known',
    'Another-Name',
    '231977',
    '231978',
    '203.0.113.77',
    idempotencyKey,
    answer.secret ?? '',
    answer.salt ?? '',
  ];
  const forms = texts.flatMap((name) => [name, name.toLowerCase()].map((text) => ({ name, text })));
  const exhibits = lines.map((line) => ({ place: line, bytes: Buffer.from(line) }));
  assert.ok(exhibits.length >= 2);
  const leaks = findLeaks(
    exhibits,
    forms.map(({ name, text }) => ({ name, bytes: Buffer.from(text) })),
  );
  assert.deepEqual(leaks, []);
});
