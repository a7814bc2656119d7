import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsStatement, loggedStatement } from '@assay/node/recounter/poll/logged-statement';
import { CosignedWorld, OTHER, RELEASE, SEEDS } from '../../cosign/cosigner-fixture.ts';

const NONE = '00'.repeat(64);

test('logged statement: an entry counts where the key signed statement and print, and no other', async () => {
  for (const [change, expected] of [
    [{}, 'agree'],
    [{ signature: NONE }, 'forged'],
    [{ print_signature: NONE }, 'forged'],
  ] as const) {
    const world = await CosignedWorld.open();
    world.at(RELEASE);
    const row = await world.round();
    assert.ok(row !== undefined);
    const { cosigner } = world.recounter(SEEDS[0]);
    const shown = () => world.ledger.tip;
    assert.equal(loggedStatement(shown(), row.hash, cosigner.key), undefined);
    const { statement, signature, print_signature } = await world.word(cosigner, row);
    assert.ok(print_signature !== null);
    const body = { statement, signature, print_signature, ...change };
    await world.ledger.write(() => [{ kind: 'cosign/1', body }]);
    const said = loggedStatement(shown(), row.hash, cosigner.key);
    assert.equal(typeof said === 'object' ? said.verdict : said, expected);
    assert.equal(holdsStatement(shown(), statement), expected === 'agree');
    assert.equal(
      holdsStatement(shown(), { ...statement, head: { ...statement.head, size: 99 } }),
      false,
    );
  }
});

test('logged statement: a dissent counts where the key signed the dissent too', async () => {
  for (const forged of [false, true]) {
    const world = await CosignedWorld.open();
    world.at(RELEASE);
    const row = await world.round();
    assert.ok(row !== undefined);
    const { cosigner, source } = world.recounter(SEEDS[0]);
    source.show(OTHER);
    const { statement, signature, dissent_signature } = await world.word(cosigner, row);
    assert.ok(dissent_signature !== null);
    const body = { statement, signature, dissent_signature: forged ? NONE : dissent_signature };
    await world.ledger.write(() => [{ kind: 'dissent/1', body }]);
    const said = loggedStatement(world.ledger.tip, row.hash, cosigner.key);
    assert.equal(typeof said === 'object' ? said.verdict : said, forged ? 'forged' : 'dissent');
  }
});
