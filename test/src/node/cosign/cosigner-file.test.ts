import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { chosenSet, readCosignerFile } from '@assay/node/cosign/cosigner-file';
import { cosignerSet, HANDS, recountedLog, SET } from '../../core/fixture/cosigner-fixture.ts';
import { SampleLog } from '../../core/fixture/fixture.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const MEMBERS = SET.cosigners;

test('co-signer file: its members in any order, and no number of its own', async (t) => {
  const path = join(await temporaryFolder(t), 'cosigners.json');
  const write = (value: object): Promise<void> => writeFile(path, JSON.stringify(value));
  await write({ threshold: 2, cosigners: [...MEMBERS].reverse() });
  assert.deepEqual((await readCosignerFile(path)).cosigners, MEMBERS);
  for (const bad of [
    { threshold: 1, cosigners: MEMBERS },
    { threshold: 2 },
    { number: 4, threshold: 2, cosigners: MEMBERS },
    { threshold: 2, cosigners: [...MEMBERS, MEMBERS[0]] },
    { threshold: 2, cosigners: [{ ...MEMBERS[0], key: 'zz' }, MEMBERS[1]] },
    [],
  ]) {
    await write(bad);
    await assert.rejects(
      readCosignerFile(path),
      { code: 'bad_config', at: path },
      JSON.stringify(bad),
    );
  }
});

test('co-signer file: the same again is the set that the log has, another is the next one', () => {
  const { threshold, cosigners } = SET;
  assert.equal(chosenSet(new SampleLog().views, { threshold, cosigners }).number, 0);
  const { views } = recountedLog();
  assert.deepEqual(chosenSet(views, { threshold, cosigners }), SET);
  assert.equal(chosenSet(views, { threshold: 3, cosigners }).number, 1);
  const fewer = cosignerSet({
    cosigners: HANDS.slice(0, 2).map(({ key }, i) => ({ name: `n${i}`, key })),
  });
  assert.equal(chosenSet(views, fewer).number, 1);
});
