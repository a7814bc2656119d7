import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStatementEntry } from '@assay/core/kind/statement-entry';
import { wire } from '@assay/core/wire/wire';
import type { CosignerStatement } from '@assay/node/cosign/cosigner';
import { entryOf, cosignerStatementOf } from '@assay/node/cosign/statement-entry';
import { MIRROR, RECORD } from '../fixture/round-fixture.ts';
import { CosignedWorld, LATE, OTHER, RELEASE } from './cosigner-fixture.ts';

test('statement entry: there and back, whatever the statement says', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  await world.round();
  const kinds: string[] = [];
  for (const kind of ['agree', 'dissent', 'abstain'] as const) {
    const { cosigner, source } = world.recounter();
    if (kind === 'dissent') source.show(OTHER);
    if (kind === 'abstain') {
      for (const each of [RECORD, MIRROR]) {
        source.say(each, { kind: 'failed', reason: 'unreachable', detail: 'down' });
      }
      world.at(LATE);
      world.clock.now += 1;
    }
    const word = (await cosigner.recount(
      await world.asked(world.rows()[0] as never),
    )) as CosignerStatement;
    kinds.push(word.kind);
    const entry = entryOf(word);
    assert.deepEqual(parseStatementEntry(wire(entry), 'word'), entry);
    assert.deepEqual(cosignerStatementOf(entry), word);
    if (kind === 'abstain') continue;
    const unsigned = { ...entry, print_signature: null, dissent_signature: null };
    assert.throws(() => cosignerStatementOf(unsigned), TypeError);
  }
  assert.deepEqual(kinds, ['agree', 'dissent', 'abstain']);
});
