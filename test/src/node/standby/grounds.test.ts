import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hash, toHash } from '@assay/core/hash/hash';
import { groundsOf, type ThirdVoter } from '@assay/node/standby/grounds';
import { CHECKPOINTS } from '../ledger/ledger-fixture.ts';
import { testWitness, withLines } from '../mirror/mirror-fixture.ts';

const root: Hash = toHash(new Uint8Array(32).fill(7));

/** `of` witnesses, of which the first `answers` have a head of 5 entries and the others say nothing. */
function voter(of: number, answers: number, required: number): ThirdVoter {
  return {
    witnesses: Array.from({ length: of }, (_, i) => ({
      url: `https://w${i}.example`,
      key: testWitness(100 + i).key,
    })),
    required,
    signer: CHECKPOINTS,
    size: 5,
    cosigned: undefined,
    fetchNote: async (url) => {
      const i = Number(/w(\d+)/.exec(url)?.[1]);
      if (i >= answers) throw new Error('no answer');
      const note = CHECKPOINTS.sign(5, root);
      return withLines(note, [testWitness(100 + i).line(note, 1)]);
    },
  };
}

const NOT_FENCED = { name: 'Fault', code: 'not_fenced' };

test('grounds: enough witnesses are those that leave fewer than a quorum unheard', async () => {
  for (const [of, required, needed] of [
    [1, 1, 1],
    [2, 1, 2],
    [3, 2, 2],
    [3, 1, 3],
    [5, 3, 3],
  ] as const) {
    for (let answers = 0; answers <= of; answers += 1) {
      const asked = groundsOf(undefined, voter(of, answers, required));
      if (answers < needed) {
        await assert.rejects(asked, NOT_FENCED, `${answers} of ${of}, ${required} required`);
        continue;
      }
      const { grounds, heads } = await asked;
      assert.deepEqual(grounds, { kind: 'witnesses', answered: answers, of });
      assert.equal(heads.length, answers);
    }
  }
});

test('grounds: a log that promises no witnesses has no third voter', async () => {
  await assert.rejects(groundsOf(undefined, voter(3, 3, 0)), NOT_FENCED);
  await assert.rejects(groundsOf(undefined, voter(1, 1, 2)), NOT_FENCED);
});

test('grounds: the words of an operator are enough, and what witnesses hold is compared all the same', async () => {
  const { grounds, heads } = await groundsOf('db1 is off', voter(3, 1, 2));
  assert.deepEqual(grounds, { kind: 'fenced', words: 'db1 is off' });
  assert.equal(heads[0]?.checkpoint.size, 5);
});

test('grounds: a witness that has forgotten the log is none that answers', async () => {
  const forgetful: ThirdVoter = {
    ...voter(1, 1, 1),
    fetchNote: () => Promise.reject(Object.assign(new Error('HTTP 404'), { code: 'not_found' })),
  };
  await assert.rejects(groundsOf(undefined, forgetful), NOT_FENCED);
});

test('grounds: a head without the line of the witness is not its word, and is compared all the same', async () => {
  const note = CHECKPOINTS.sign(5, root);
  for (const shown of [note, withLines(note, [testWitness(101).line(note, 1)])]) {
    const bare: ThirdVoter = { ...voter(1, 1, 1), fetchNote: () => Promise.resolve(shown) };
    await assert.rejects(groundsOf(undefined, bare), /no line of witness-100/);
    const { heads } = await groundsOf('it is off', bare);
    assert.equal(heads.length, 1);
  }
});

test('grounds: where the copied head has the line of a witness that is not listed, the others prove nothing', async () => {
  const note = CHECKPOINTS.sign(4, root);
  const listed = withLines(note, [testWitness(100).line(note, 1)]);
  const cosigned = withLines(listed, [testWitness(177).line(note, 1)]);
  const known = await groundsOf(undefined, { ...voter(1, 1, 1), cosigned: listed });
  assert.equal(known.grounds.kind, 'witnesses');
  const asked = groundsOf(undefined, { ...voter(1, 1, 1), cosigned });
  await assert.rejects(asked, (error: Error) => {
    assert.match(error.message, /witness-177/);
    return (error as { code?: string }).code === 'not_fenced';
  });
  const fenced = await groundsOf('it is off', { ...voter(1, 1, 1), cosigned });
  assert.equal(fenced.grounds.kind, 'fenced');
});
