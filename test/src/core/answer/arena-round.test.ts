import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRoundPayload } from '@assay/core/answer/arena-round';
import { parseHex } from '@assay/core/bytes/hex';
import { toHash } from '@assay/core/hash/hash';
import { verifyInclusion } from '@assay/core/log/tree';
import { ArenaLog, secretForecaster } from '../arena/arena-log.ts';
import { sha256 } from '../fixture/fixture.ts';

interface Payload {
  readonly state: string;
  readonly forecasts: number;
  readonly places: number;
  readonly freeze: { readonly body: { readonly root: string; readonly count: number } } | null;
  readonly grade: { readonly print: string } | null;
  readonly forecast?: {
    readonly leaf: string;
    readonly proof: readonly string[] | null;
    readonly body: { readonly ordinal: number };
  };
}

const ID = 'layoffs-2026-08-02';
const AT = '2026-08-03T02:00:01Z';

function world(): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  log.open('2026-08-03T02:00:00Z');
  const [ada, bob] = ['ada', 'bob'].map(secretForecaster);
  for (const who of [ada, bob, ada]) if (who !== undefined) log.take(ID, who, 1000n, AT);
  return log;
}

function payload(log: ArenaLog, place?: number): Payload {
  return arenaRoundPayload(log.views, sha256, ID, place) as Payload;
}

test('arena round: its state follows from its entries', () => {
  const log = world();
  assert.deepEqual(
    [payload(log).state, payload(log).forecasts, payload(log).places, payload(log).freeze],
    ['open', 2, 3, null],
  );
  log.freeze(ID, '2026-08-03T07:30:00Z');
  assert.deepEqual([payload(log).state, payload(log).freeze?.body.count], ['closed', 3]);
  log.unseal(ID);
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  log.grade(ID, '2026-08-03T08:41:00Z');
  assert.deepEqual([payload(log).state, payload(log).grade?.print], ['graded', '1100']);
});

test('arena round: a forecast has its proof once the round is frozen', () => {
  const log = world();
  assert.deepEqual(
    [payload(log, 1).forecast?.body.ordinal, payload(log, 1).forecast?.proof],
    [1, null],
  );
  log.freeze(ID, '2026-08-03T07:30:00Z');
  const root = toHash(parseHex(payload(log).freeze?.body.root ?? '', 32));
  for (const place of [0, 1, 2]) {
    const { forecast } = payload(log, place);
    const leaf = toHash(parseHex(forecast?.leaf ?? '', 32));
    const proof = (forecast?.proof ?? []).map((each) => toHash(parseHex(each, 32)));
    assert.doesNotThrow(() => verifyInclusion(sha256, leaf, place, 3, proof, root));
  }
});

test('arena round: what is not there has no answer', () => {
  const log = world();
  assert.equal(arenaRoundPayload(log.views, sha256, 'layoffs-2026-08-03'), undefined);
  assert.equal(arenaRoundPayload(log.views, sha256, ID, 3), undefined);
});
