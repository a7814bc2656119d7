import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { Provider } from '@assay/core/rule/rule';
import { formatDate, parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Answers } from '@assay/verifier/reader/answers';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import { layoffsRule, sha256 } from '../../core/fixture/fixture.ts';

const rule = layoffsRule();
const provider = rule.providers[1] as Provider;
const period = parseDate('2026-07-25');

const hashOf = (name: string): HashHex => hashHex(contentHash(sha256, formatUtf8(name)));

/** A table whose pages say how often they were looked at. */
function table(text: string): {
  readonly pages: readonly PageBytes[];
  readonly looks: () => number;
} {
  const bytes = formatUtf8(`week_ending,series,claims\n${text}`);
  let looks = 0;
  const page = {
    status: 200,
    get bytes(): Uint8Array {
      looks += 1;
      return bytes;
    },
  };
  return { pages: [page], looks: () => looks };
}

test('answers: a snapshot is parsed once for each rule, provider and period', async () => {
  const { pages, looks } = table('2026-07-25,SA,218000\n');
  const snapshot = { hash: hashOf('one'), pages, text: null };
  const answers = new Answers();
  const first = await answers.read(rule, provider, snapshot, period);
  assert.deepEqual(first, readAnswer(rule, provider, pages, period));
  const once = looks();
  assert.equal(await answers.read(rule, provider, snapshot, period), first);
  assert.equal(looks(), once);
  assert.equal(
    (await answers.read(rule, provider, snapshot, period + 7)).reading.outcome,
    'not_published',
  );
  const halved = { ...rule, decimals: 1 };
  const other = await answers.read(halved, provider, snapshot, period);
  assert.deepEqual(other.reading, { outcome: 'ok', value: 2_180_000n });
  assert.deepEqual(await answers.read(rule, provider, snapshot, period), first, 'and back');
  const press = rule.providers[0] as Provider;
  assert.notEqual((await answers.read(rule, press, snapshot, period)).reading.outcome, 'ok');
  const another = { ...snapshot, hash: hashOf('two'), pages: table('2026-07-25,SA,1\n').pages };
  assert.deepEqual((await answers.read(rule, provider, another, period)).reading, {
    outcome: 'ok',
    value: 1n,
  });
});

test('answers: the oldest go, by their number and by the periods of their series', async () => {
  const small = table('2026-07-25,SA,218000\n');
  const weeks = Array.from({ length: 20_000 }, (_, i) => `${formatDate(period - 7 * i)},SA,1`);
  const large = table(weeks.join('\n'));
  const answers = new Answers();
  const read = async (
    { pages }: { readonly pages: readonly PageBytes[] },
    name: string,
  ): Promise<void> => {
    await answers.read(rule, provider, { hash: hashOf(name), pages, text: null }, period);
  };
  await read(small, 'first');
  const once = small.looks();
  for (let i = 0; i < 63; i += 1) await read(small, `${i}`);
  await read(small, 'first');
  assert.equal(small.looks(), 64 * once, 'still there, and the newest again');
  for (let i = 63; i < 126; i += 1) await read(small, `${i}`);
  await read(small, 'first');
  assert.equal(small.looks(), 127 * once);
  await read(small, 'one more');
  await read(small, '63');
  assert.equal(small.looks(), 129 * once, 'gone');

  for (let i = 0; i < 21; i += 1) await read(large, `large ${i}`);
  const looked = small.looks();
  await read(small, 'first');
  assert.ok(small.looks() > looked, '21 series of 20,000 periods leave room for no other');
});
