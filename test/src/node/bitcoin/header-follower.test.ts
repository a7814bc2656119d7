import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { checkBranch, idAt } from '@assay/node/bitcoin/header-branch';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { sharedPath } from '../../core/fixture/fixture.ts';
import { ListSource, mined } from './mined-headers.ts';

const ALL = mined(100);
const whole = checkBranch(DEVELOPMENT, ALL, 0);

function following(...sources: readonly HeaderSource[]): HeaderFollower {
  return new HeaderFollower({ network: DEVELOPMENT, sources, depth: 20 });
}

const agreedAt = (follower: HeaderFollower) => follower.agreed?.height;
const kinds = (follower: HeaderFollower) =>
  follower.concerns.map(({ kind, source, code }) => [kind, source, code]);

test('header follower: knows nothing before it has asked', async () => {
  const follower = following(new ListSource(ALL));
  assert.equal(follower.tip, undefined);
  assert.equal(await follower.confirmed(3), undefined);
  const none = following();
  assert.deepEqual(await none.refresh(), {
    tip: undefined,
    reorganised: 0,
    answered: 0,
    concerns: [],
  });
});

test('header follower: the tip, and a block once 6 follow it', async () => {
  const source = new ListSource(ALL.slice(0, 96));
  const follower = following(source);
  const { tip, reorganised, concerns } = await follower.refresh();
  assert.deepEqual([tip?.height, tip?.id, reorganised, concerns], [95, whole.ids[95], 0, []]);
  assert.deepEqual(tip?.header, ALL[95]);
  assert.equal(await follower.confirmed(90), undefined);
  assert.deepEqual(await follower.confirmed(89), {
    height: 89,
    id: whole.ids[89],
    headers: concatBytes(...ALL.slice(89, 96)),
  });
  source.all = ALL;
  assert.equal((await follower.refresh()).reorganised, 0);
  assert.equal((await follower.confirmed(90))?.id, whole.ids[90]);
  assert.equal(await follower.confirmed(101), undefined);
  for (const height of [-1, 1.5, Number.NaN]) {
    assert.throws(() => follower.confirmed(height), TypeError);
  }
});

test('header follower: older blocks are read back to, once', async () => {
  const source = new ListSource(ALL);
  const follower = following(source);
  await follower.refresh();
  for (const height of [80, 40, 41, 60, 0]) {
    const block = await follower.confirmed(height);
    assert.equal(block?.id, whole.ids[height]);
    assert.deepEqual(block?.headers, concatBytes(...ALL.slice(height, height + 7)));
  }
  source.asked.length = 0;
  await follower.refresh();
  assert.equal((await follower.confirmed(3))?.id, whole.ids[3]);
  assert.deepEqual(source.asked, [[100, 1]]);
  // Nor once the chain has grown.
  source.all = mined(2, 0, ALL);
  await follower.refresh();
  assert.equal((await follower.confirmed(3))?.id, whole.ids[3]);
  assert.deepEqual(source.asked, [
    [100, 1],
    [100, 3],
  ]);
});

test('header follower: after a reorganisation it gives the new blocks, and says how deep', async () => {
  const source = new ListSource(ALL);
  const follower = following(source);
  await follower.refresh();
  assert.equal((await follower.confirmed(92))?.id, whole.ids[92]);
  const other = mined(10, 4, ALL.slice(0, 92));
  source.all = other;
  const { tip, reorganised, concerns } = await follower.refresh();
  assert.deepEqual([tip?.height, reorganised, concerns], [101, 9, []]);
  const ids = checkBranch(DEVELOPMENT, other, 0);
  assert.equal((await follower.confirmed(92))?.id, idAt(ids, 92));
  assert.notEqual(idAt(ids, 92), whole.ids[92]);
  assert.equal((await follower.confirmed(85))?.id, whole.ids[85]);
  // One that is deeper than what is held.
  source.all = mined(80, 5, ALL.slice(0, 31));
  assert.equal((await follower.refresh()).reorganised, 0);
  assert.equal(follower.tip?.height, 101);
  assert.match(
    follower.concerns[0]?.detail ?? '',
    /^list shows blocks 91 to 110, which share none with 81 to 101 that are kept$/,
  );
});

test('header follower: a chain once seen is left only for one with more work', async () => {
  const source = new ListSource(ALL);
  const follower = following(source);
  await follower.refresh();
  source.all = mined(10, 4, ALL.slice(0, 91));
  const { tip, reorganised } = await follower.refresh();
  assert.deepEqual([tip?.id, reorganised], [whole.ids[100], 0]);
  assert.deepEqual(kinds(follower), [['disagreement', 'list', undefined]]);
  source.all = ALL.slice(0, 60);
  await follower.refresh();
  assert.equal(follower.tip?.height, 100);
});

test('header follower: of several chains the one with the most work, whatever the order', async () => {
  const less = new ListSource(mined(8, 6, ALL.slice(0, 92)), 'less');
  const most = new ListSource(ALL, 'most');
  for (const sources of [
    [less, most],
    [most, less],
  ]) {
    const follower = following(...sources);
    await follower.refresh();
    assert.equal(follower.tip?.id, whole.ids[100]);
    assert.equal((await follower.confirmed(94))?.id, whole.ids[94]);
    assert.deepEqual(kinds(follower), [['disagreement', 'less', undefined]]);
    assert.match(follower.concerns[0]?.detail ?? '', /^less shows another chain after block 91,/);
    less.all = mined(9, 6, less.all);
    const { reorganised } = await follower.refresh();
    assert.deepEqual([follower.tip?.height, reorganised], [108, 9]);
    assert.deepEqual(kinds(follower), [['disagreement', 'most', undefined]]);
    less.all = less.all.slice(0, -9);
  }
});

test('header follower: a source that is behind, and one that is far ahead', async () => {
  const late = new ListSource(ALL.slice(0, 31), 'late');
  const good = new ListSource(ALL, 'good');
  for (const sources of [
    [late, good],
    [good, late],
  ]) {
    const follower = following(...sources);
    await follower.refresh();
    assert.equal(follower.tip?.id, whole.ids[100]);
    assert.deepEqual(kinds(follower), [['behind', 'late', undefined]]);
    assert.equal(follower.concerns[0]?.detail, 'late is 70 blocks behind');
  }
  late.all = ALL.slice(0, 99);
  const close = following(late, good);
  assert.deepEqual((await close.refresh()).concerns, []);
});

test('header follower: headers under other heights do not take the place of the true ones', async () => {
  for (const shift of [1, 5, 19, 40, 2016]) {
    const liar: HeaderSource = {
      name: 'liar',
      tip: async () => 100 + shift,
      headers: async (from, count) =>
        ALL.slice(Math.max(0, from - shift), Math.max(0, from - shift + count)),
    };
    const follower = following(new ListSource(ALL, 'good'), liar);
    await follower.refresh();
    assert.equal(follower.tip?.height, 100);
    assert.equal(follower.concerns.length, 1, String(shift));
    assert.equal(follower.concerns[0]?.source, 'liar');
    if (shift === 2016) {
      // It cannot show what it claims to have where the others end.
      assert.deepEqual(kinds(follower), [['failed', 'liar', 'malformed']]);
      assert.equal((await follower.confirmed(90))?.id, whole.ids[90]);
      continue;
    }
    assert.deepEqual(kinds(follower), [['disagreement', 'liar', undefined]]);
    // Nobody can say which of the two it is.
    assert.deepEqual([follower.agreed, await follower.confirmed(90)], [undefined, undefined]);
    assert.equal(await follower.idAt(90), undefined);
  }
});

/** An explorer over a list of headers, each at its height plus `shift`. */
function explorer(name: string, all = ALL, shift = 0): HeaderSource & { shift: number } {
  return {
    name,
    shift,
    explorer: true,
    async tip() {
      return all.length - 1 + this.shift;
    },
    async headers(from, count) {
      const at = from - this.shift;
      return all.slice(Math.max(0, at), Math.max(0, at + count));
    },
  };
}

test('header follower: an explorer alone is not enough, two are, and so is a source of one’s own', async () => {
  const alone = following(explorer('one'));
  await alone.refresh();
  assert.deepEqual([alone.sufficient, alone.tip?.height, alone.agreed], [false, 100, undefined]);
  assert.equal(await alone.confirmed(90), undefined);
  assert.equal(await alone.idAt(90), undefined);
  const two = following(explorer('one'), explorer('two', ALL.slice(0, 99)));
  await two.refresh();
  assert.deepEqual([two.sufficient, two.tip?.height, agreedAt(two)], [true, 100, 98]);
  assert.equal(two.agreed?.id, whole.ids[98]);
  assert.equal((await two.confirmed(92))?.id, whole.ids[92]);
  assert.equal(await two.confirmed(93), undefined, 'one explorer alone shows the sixth after it');
  assert.deepEqual([await two.idAt(98), await two.idAt(99)], [whole.ids[98], undefined]);
  assert.equal(await two.idAt(50), whole.ids[50]);
  const own = following(new ListSource(ALL));
  await own.refresh();
  assert.deepEqual([own.sufficient, agreedAt(own)], [true, 100]);
  // Explorers that are ahead do not speak for it, nor does one that is down take it away.
  const down = new ListSource(ALL, 'down');
  const ahead = following(down, explorer('one', mined(3, 0, ALL)));
  await ahead.refresh();
  assert.deepEqual([ahead.tip?.height, agreedAt(ahead)], [103, 100]);
  down.error = new Fault('unreachable', 'down');
  await ahead.refresh();
  assert.deepEqual([ahead.tip?.height, agreedAt(ahead)], [103, 100]);
  const twice = following(explorer('one'), explorer('one'));
  await twice.refresh();
  assert.deepEqual([twice.sufficient, agreedAt(twice)], [false, undefined]);
  assert.equal(following().sufficient, false);
});

test('header follower: a far block that one explorer alone shows is none', async () => {
  const long = mined(2300);
  const lost = new ListSource(long);
  const two: HeaderSource = {
    name: 'two',
    explorer: true,
    tip: () => lost.tip(),
    headers: (from, count) => lost.headers(from, count),
  };
  const follower = following(explorer('one', long), two);
  await follower.refresh();
  assert.equal((await follower.confirmed(5))?.height, 5);
  lost.error = new Fault('unreachable', 'two');
  assert.equal(await follower.confirmed(5), undefined);
});

test('header follower: an explorer that moves its heights: kept first it stops all, against two that agree nothing', async () => {
  for (const shift of [40, 5]) {
    for (const first of [true, false]) {
      const liar = explorer('liar', ALL, shift);
      const good = explorer('good');
      const sources = first ? [liar, good] : [good, liar];
      const follower = following(...sources, explorer('other'));
      await follower.refresh();
      assert.equal(agreedAt(follower), first ? undefined : 100);
      assert.equal((await follower.confirmed(90))?.id, first ? undefined : whole.ids[90]);
      if (first) assert.equal(await follower.confirmed(90 + shift), undefined);
      assert.ok(follower.concerns.some(({ kind }) => kind === 'disagreement'));
      // It lies once, and no longer: nothing of it stays.
      liar.shift = 0;
      await follower.refresh();
      assert.deepEqual([await follower.idAt(100), agreedAt(follower)], [whole.ids[100], 100]);
      assert.deepEqual(follower.concerns, []);
      assert.equal((await follower.confirmed(90))?.id, whole.ids[90]);
    }
  }
});

test('header follower: a first source that is stuck far behind holds nobody back', async () => {
  const long = mined(14_000);
  let list = long.slice(0, 1501);
  const stuck: HeaderSource = {
    name: 'stuck',
    explorer: true,
    tip: async () => list.length - 1,
    headers: async (from, count) => list.slice(from, from + count),
  };
  const follower = following(stuck, explorer('B', long), explorer('C', long));
  await follower.refresh();
  // Two of them read a part each; until the end nothing is said about the newest block.
  assert.equal(follower.tip?.height, 1500 + 2 * 6048);
  assert.equal(agreedAt(follower), undefined);
  assert.match(JSON.stringify(follower.concerns), /C is read up to block 13596 of 14000 so far/);
  await follower.refresh();
  assert.deepEqual([follower.tip?.height, agreedAt(follower)], [14_000, 14_000]);
  assert.deepEqual(kinds(follower), [['behind', 'stuck', undefined]]);
  assert.match(JSON.stringify(follower.concerns), /stuck is 12500 blocks behind/);
  assert.equal((await follower.confirmed(13_000))?.height, 13_000);
  // It goes on, still far behind: what was shared once is shared.
  list = long.slice(0, 2001);
  await follower.refresh();
  assert.equal(agreedAt(follower), 14_000);
});

test('header follower: a gap is left for the next refresh when the time is over', async () => {
  const long = mined(4000);
  let time = 0;
  const clock = () => (time += 30_000);
  const follower = new HeaderFollower({
    network: DEVELOPMENT,
    sources: [new ListSource(long.slice(0, 1001), 'stuck'), new ListSource(long, 'good')],
    depth: 20,
    clock,
  });
  const heights: (number | undefined)[] = [];
  for (let i = 0; i < 8; i += 1) {
    await follower.refresh();
    heights.push(follower.tip?.height);
  }
  assert.deepEqual(heights, [1504, 2008, 2512, 3016, 3520, 4000, 4000, 4000]);
  assert.equal(agreedAt(follower), 4000);
});

test('header follower: a source that is late is distinguished from one on another chain', async () => {
  const long = mined(3500);
  const late = new ListSource(long.slice(0, 1001), 'late');
  const follower = following(new ListSource(long, 'good'), late);
  await follower.refresh();
  // What lies between is read in parts.
  assert.deepEqual(kinds(follower), [['disagreement', 'late', undefined]]);
  assert.equal(agreedAt(follower), undefined);
  await follower.refresh();
  assert.deepEqual(kinds(follower), [['behind', 'late', undefined]]);
  assert.deepEqual(
    [agreedAt(follower), follower.concerns[0]?.detail],
    [3500, 'late is 2500 blocks behind'],
  );
  const other = following(
    new ListSource(long, 'good'),
    new ListSource(mined(500, 3, long.slice(0, 501)), 'other'),
  );
  for (let i = 0; i < 4; i += 1) await other.refresh();
  assert.deepEqual(kinds(other), [['disagreement', 'other', undefined]]);
});

test('header follower: half of the sources down or lying stop nothing', async () => {
  const down = new ListSource(ALL, 'down');
  down.error = new Fault('timeout', 'down', { expected: 'an answer within 5 ms' });
  const odd = new ListSource(ALL, 'odd');
  odd.error = new RangeError('https://user:password@host');
  const liar = new ListSource([...ALL.slice(0, 95), new Uint8Array(80)], 'liar');
  const good = new ListSource(ALL, 'good');
  const follower = following(down, odd, liar, good);
  await follower.refresh();
  assert.equal(follower.tip?.height, 100);
  assert.deepEqual(kinds(follower), [
    ['failed', 'down', 'timeout'],
    ['failed', 'odd', 'unreachable'],
    ['failed', 'liar', 'bad_header'],
  ]);
  assert.ok(!JSON.stringify(follower.concerns).includes('password'));
  assert.equal((await follower.confirmed(20))?.id, whole.ids[20]);
  // All of them down: what is known stays.
  good.error = down.error;
  await follower.refresh();
  assert.equal(follower.tip?.height, 100);
  assert.equal(follower.concerns.length, 4);
  assert.equal((await follower.confirmed(20))?.id, whole.ids[20]);
  liar.error = down.error;
  assert.equal(await follower.confirmed(10), undefined);
  good.error = undefined;
  assert.equal((await follower.confirmed(10))?.id, whole.ids[10]);
});

test('header follower: older headers that do not lead to those held are passed over', async () => {
  const liar = new ListSource(ALL, 'liar');
  const follower = following(liar, new ListSource(ALL, 'good'));
  await follower.refresh();
  liar.all = mined(30, 7, ALL.slice(0, 71));
  assert.equal((await follower.confirmed(75))?.id, whole.ids[75]);
  assert.deepEqual(kinds(follower), [['failed', 'liar', 'bad_header']]);
});

test('header follower: a block far back is taken where all that answer agree', async () => {
  const long = mined(2300);
  const ids = checkBranch(DEVELOPMENT, long, 0).ids;
  const one = new ListSource(long, 'one');
  const two = new ListSource(long, 'two');
  const follower = following(one, two);
  await follower.refresh();
  one.asked.length = 0;
  assert.equal((await follower.confirmed(5))?.id, ids[5]);
  assert.deepEqual(one.asked, [[5, 7]]);
  two.error = new Fault('unreachable', 'two');
  assert.equal((await follower.confirmed(5))?.id, ids[5]);
  two.error = undefined;
  two.all = mined(2300, 8);
  assert.equal(await follower.confirmed(5), undefined);
  assert.equal(follower.concerns.at(-1)?.kind, 'disagreement');
});

test('header follower: another network is refused', async () => {
  for (const depth of [13, 200]) {
    const sources = [new ListSource(ALL, 'other')];
    const follower = new HeaderFollower({ network: BITCOIN, sources, depth });
    await follower.refresh();
    assert.equal(follower.tip, undefined);
    assert.deepEqual(kinds(follower), [['failed', 'other', 'bad_header']]);
  }
  for (const depth of [12, 2017, 20.5]) {
    const make = () => new HeaderFollower({ network: BITCOIN, sources: [], depth });
    assert.throws(make, TypeError);
  }
});

test('header follower: calls that overlap take their turns', async () => {
  const follower = following(new ListSource(ALL));
  const [, block, , early] = await Promise.all([
    follower.refresh(),
    follower.confirmed(10),
    follower.refresh(),
    follower.confirmed(2),
  ]);
  assert.deepEqual([block?.id, early?.id], [whole.ids[10], whole.ids[2]]);
});

const REAL = sharedPath('data/bitcoin/headers-822527-830592.bin.gz');
test(
  'header follower: the main chain',
  { skip: REAL === undefined && 'the recorded headers are not here' },
  async () => {
    const bytes = gunzipSync(readFileSync(REAL as string));
    const first = 822_527;
    const last = first + bytes.length / 80 - 1;
    const real: HeaderSource = {
      name: 'real',
      tip: async () => last,
      headers: async (from, count) =>
        Array.from({ length: Math.max(0, Math.min(count, last - from + 1)) }, (_, i) =>
          Uint8Array.from(bytes.subarray(80 * (from - first + i), 80 * (from - first + i + 1))),
        ),
    };
    const follower = new HeaderFollower({ network: BITCOIN, sources: [real] });
    assert.deepEqual((await follower.refresh()).concerns, []);
    assert.equal(follower.tip?.height, last);
    for (const height of [last - 6, last - 150, last - 2000, last - 5000]) {
      assert.equal((await follower.confirmed(height))?.headers.length, 560, String(height));
    }
  },
);

test(
  'header follower: true headers under moved heights stop nothing for good',
  { skip: REAL === undefined && 'the recorded headers are not here' },
  async () => {
    const bytes = gunzipSync(readFileSync(REAL as string));
    const first = 822_527;
    const last = first + bytes.length / 80 - 1;
    // 496 epochs: the bits of the table say nothing there.
    let moved = 2016 * 496;
    const source = (name: string, shift: () => number): HeaderSource => ({
      name,
      explorer: true,
      tip: async () => last + shift(),
      headers: async (from, count) =>
        Array.from({ length: Math.max(0, Math.min(count, last + shift() - from + 1)) }, (_, i) => {
          const at = 80 * (from - shift() - first + i);
          return Uint8Array.from(bytes.subarray(at, at + 80));
        }),
    });
    const sources = [source('liar', () => moved), source('honest', () => 0)];
    const follower = new HeaderFollower({ network: BITCOIN, sources });
    await follower.refresh();
    assert.notDeepEqual(follower.concerns, []);
    assert.equal(agreedAt(follower), undefined);
    moved = 0;
    await follower.refresh();
    assert.deepEqual([agreedAt(follower), follower.concerns], [last, []]);
  },
);

test('header follower: closed, it waits for no source', async () => {
  const hanging: HeaderSource = {
    name: 'hangs',
    tip: () => new Promise(() => undefined),
    headers: async () => [],
  };
  const follower = following(hanging);
  const refreshed = follower.refresh();
  await Promise.resolve();
  follower.close();
  assert.equal((await refreshed).answered, 0);
  assert.equal((await follower.refresh()).answered, 0);
  assert.equal(follower.tip, undefined);
});
