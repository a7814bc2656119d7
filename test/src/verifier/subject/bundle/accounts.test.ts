import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Cosign } from '@assay/core/kind/cosign';
import { statementMessage } from '@assay/core/report/statement';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import {
  accountsOf,
  type Chained,
  chained,
  COSIGNERS,
  keyOf,
  READ_SLOT,
  SETS,
} from '../../fixture/chained-log.ts';
import { assertFound, flip, runs } from '../../fixture/flip.ts';
import type { Loose, LooseDraft } from '../../fixture/forge.ts';
import { judgeBundle } from '../../fixture/misdeeds.ts';
import { codesOf } from '../../fixture/published.ts';
import { bundleFor, numberOf } from '../../fixture/recounted-bundle.ts';

const honest = chained();
const disputed = await bundleFor(honest, '2026-07-04');

test('accounts that are not what the log says: found', async () => {
  const cases: readonly (readonly [string, (log: Chained) => void, string])[] = [
    ['another value', (log) => (settledOf(log).value = 1n), 'print_differs'],
    ['another issue', (log) => (settledOf(log).issue = 1), 'print_differs'],
    ['another report', (log) => (settledOf(log).report = '5e'.repeat(32)), 'feed_print_missing'],
    [
      'another rule',
      (log) => ((log.accounts.feed.rules[0] as Loose)['hash'] = '5e'.repeat(32)),
      'print_differs',
    ],
    ['a slot to come', (log) => (settledOf(log).slot = BigInt(READ_SLOT + 1)), 'feed_differs'],
    ['another slot', (log) => (settledOf(log).slot += 1n), 'feed_differs'],
    ['a co-signer more', (log) => (settledOf(log).cosigners = 7), 'feed_signature_unlogged'],
    ['a dissent more', (log) => (settledOf(log).dissents = 7), 'feed_signature_unlogged'],
    [
      'a co-signer less',
      (log) => (settledOf(log).cosigners &= settledOf(log).cosigners - 1),
      'feed_differs',
    ],
    ['bits of nobody', (log) => (settledOf(log).cosigners |= 0x80), 'feed_differs'],
    [
      'another period in the slot',
      (log) => ((log.accounts.slots.get(20_638) as Loose)['period'] = 20_645),
      'feed_print_missing',
    ],
    ['no print', (log) => log.accounts.slots.delete(20_638), 'feed_print_missing'],
    ['another log', (log) => (log.accounts.feed.log = '5e'.repeat(32) as never), 'feed_differs'],
    [
      'another series',
      (log) => (log.accounts.feed.series = '5e'.repeat(32) as never),
      'feed_differs',
    ],
    [
      'another publisher',
      (log) => (log.accounts.feed.publisher = '5e'.repeat(32) as never),
      'feed_differs',
    ],
    ['another cadence', (log) => (log.accounts.feed.cadence = 'month'), 'feed_differs'],
  ];
  const bundle = await bundleFor(honest, '2026-07-04', null);
  for (const [name, change, code] of cases) {
    const log = chained();
    change(log);
    const { account } = await bundleFor(log, '2026-07-04');
    const found = codesOf(await judgeBundle({ ...bundle, account } as Loose));
    assert.ok(found.includes(code as never), `${name}: ${found.join()}`);
  }
});

function settledOf({ accounts }: Chained): Loose {
  return accounts.slots.get(20_638)?.settled as unknown as Loose;
}

const PERIOD = 20_652; // 2026-07-18

/** What is found in accounts of a final whose print/1 entry its bundle leaves out. */
async function foundAlone(change: (log: Chained) => void): Promise<readonly string[]> {
  const log = chained({ skip: (name) => name === '2026-07-18 final 0 print' });
  const bundle = await bundleFor(log, '2026-07-18', null);
  const other = chained();
  change(other);
  const { account } = await bundleFor(other, '2026-07-18');
  const verdict = await judgeBundle({ ...bundle, account } as Loose);
  return verdict.outcome === 'findings'
    ? verdict.findings.map(({ code, place }) => `${code} ${place}`)
    : [];
}

test('accounts of a final: under a set of the bundle, with its threshold, in a feed that knows of it', async () => {
  const settled = ({ accounts }: Chained): Loose =>
    accounts.slots.get(PERIOD)?.settled as unknown as Loose;
  const stranger = ['5e'.repeat(32)] as never[];
  assert.deepEqual(await foundAlone(() => undefined), []);
  const set = 'feed_differs bundle account, page, set';
  const few = 'feed_differs bundle account, page, co-signers';
  const cases: readonly (readonly [string, (log: Chained) => void, string])[] = [
    ['nobody signed', (log) => (settled(log)['cosigners'] = 0), few],
    ['one of two', (log) => (settled(log)['cosigners'] &= -settled(log)['cosigners']), few],
    ['a set that is none', (log) => Object.assign(settled(log), { set: 200, cosigners: 0 }), set],
    [
      'a set of a stranger',
      (log) => {
        log.accounts.feed.sets.push({ effective: 4_000_000_000n, threshold: 1, keys: stranger });
        Object.assign(settled(log), { set: 2, cosigners: 0 });
      },
      set,
    ],
    [
      'a stranger for the first set',
      (log) => {
        const [first] = log.accounts.feed.sets;
        log.accounts.feed.sets = [{ ...(first as Loose), threshold: 1, keys: stranger } as never];
        Object.assign(settled(log), { set: 0, cosigners: 0 });
      },
      set,
    ],
    [
      'another threshold',
      (log) => {
        const [first, ...rest] = log.accounts.feed.sets;
        log.accounts.feed.sets = [{ ...(first as Loose), threshold: 3 } as never, ...rest];
      },
      set,
    ],
    [
      'a feed in which nothing settled',
      (log) => (log.accounts.feed.latest = null),
      'feed_differs bundle account, feed, latest',
    ],
    [
      'a feed in which this did not settle',
      (log) => (log.accounts.feed.latest = PERIOD - 7),
      'feed_differs bundle account, feed, latest',
    ],
  ];
  for (const [name, change, expected] of cases) {
    const found = await foundAlone(change);
    assert.ok(found.includes(expected), `${name}: ${found.join()}`);
  }
});

test('accounts of a period with a dissent: its flag is shown, and missing where the print has one', async () => {
  const log = chained();
  const slot = log.accounts.slots.get(PERIOD) as Loose;
  slot['dissent'] = true;
  const shown = numberOf(await judgeBundle((await bundleFor(log, '2026-07-18')) as Loose));
  assert.deepEqual([shown.account?.dissent, shown.account?.dissents], [true, 0]);
  const silent = chained();
  (silent.accounts.slots.get(20_638) as Loose)['dissent'] = false;
  const { account } = await bundleFor(silent, '2026-07-04');
  const verdict = await judgeBundle({ ...disputed, account } as Loose);
  assert.deepEqual(codesOf(verdict), ['feed_differs']);
});

test('accounts of another place, owner or kind: found', async () => {
  const { account } = disputed;
  assert.ok(account !== null);
  const { feed, page } = account;
  const cases: readonly (readonly [string, Loose])[] = [
    ['each in the place of the other', { feed: page, page: feed }],
    ["the feed's address", { page, feed: { ...feed, address: page.address } }],
    ["the page's address", { feed, page: { ...page, address: feed.address } }],
    ["the feed's owner", { page, feed: { ...feed, owner: page.address } }],
    ["the page's owner", { feed, page: { ...page, owner: page.address } }],
    ['no bytes', { feed, page: { ...page, data: '' } }],
    ['read before it was written', { feed, page: { ...page, slot: 1 } }],
  ];
  for (const [name, changed] of cases) {
    assertFound(await judgeBundle({ ...disputed, account: changed } as Loose), name);
  }
});

test('a page that says of itself what it is not, and a rule of another period: found', async () => {
  const { account } = disputed;
  assert.ok(account !== null);
  const bytes = parseBase64(account.page.data);
  for (const [name, at] of Object.entries({ bump: 8, index: 12, feed: 16 })) {
    const page = { ...account.page, data: formatBase64(flip(bytes, at, 0)) };
    const verdict = await judgeBundle({ ...disputed, account: { ...account, page } } as Loose);
    assertFound(verdict, name);
    const found = verdict.outcome === 'findings' ? verdict.findings.map(({ place }) => place) : [];
    assert.ok(
      found.some((place) => place.startsWith(`bundle account, page, ${name}`)),
      found.join(),
    );
  }
  const log = chained();
  const { rules } = log.accounts.feed;
  const [first] = rules;
  assert.ok(first !== undefined);
  rules.push({ ...first, first: 20_645 });
  settledOf(log)['rule'] = 1;
  const changed = await bundleFor(log, '2026-07-04');
  const verdict = await judgeBundle({ ...disputed, account: changed.account } as Loose);
  assert.ok(
    verdict.outcome === 'findings' &&
      verdict.findings.some(({ place }) => place === 'bundle account, page, rule'),
  );
});

test('bits of the accounts: found, or the number and its facts are as they were', async () => {
  const { account } = disputed;
  assert.ok(account !== null);
  const before = numberOf(await judgeBundle(disputed as Loose));
  let found = 0;
  const names = ['feed', 'page'] as const;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.nat(), fc.nat(7), async (name, place, bit) => {
      const bytes = parseBase64(account[name].data);
      const data = formatBase64(flip(bytes, place % bytes.length, bit));
      const changed = { ...account, [name]: { ...account[name], data } };
      const verdict = await judgeBundle({ ...disputed, account: changed } as Loose);
      if (verdict.outcome === 'findings') found += 1;
      else assert.deepEqual(numberOf(verdict), before, `${name}, byte ${place % bytes.length}`);
    }),
    runs(300, 20_000),
  );
  assert.ok(found > 30, `${found}`);
});

test('co-signers who came on chain after the entry of the print: no difference', async () => {
  const name = '2026-07-18 final 0 print';
  let left = 0;
  const log = chained({
    entry: (of, { body }) => {
      if (of !== name) return;
      const named = body as unknown as { cosigners: string[] };
      named.cosigners = named.cosigners.slice(1);
      left = named.cosigners.length;
    },
  });
  numberOf(await judgeBundle((await bundleFor(log, '2026-07-18')) as Loose));
  assert.ok(left >= 2, `${left}`);
});

test('an account that was written under a set of before: found, as in the whole log', async () => {
  const log = chained({ skip: (of) => of === '2026-07-25 corrected 1 print' });
  const corrected = log.accounts.slots.get(20_659)?.corrected as unknown as Loose;
  Object.assign(corrected, { set: 0, cosigners: 3 });
  const plain = await bundleFor(log, '2026-07-25', null);
  const { account } = await bundleFor(chained(), '2026-07-25', accountsOf(log));
  const verdict = await judgeBundle({ ...plain, account } as Loose);
  assert.ok(verdict.outcome === 'findings');
  assert.ok(verdict.findings.some(({ expected }) => expected.includes('set 1 or a later one')));
});

test('an account under a set of after the report: not checked, where its signers are of the own set', async () => {
  const final = '2026-07-11 final 0';
  const log = chained({
    skip: (of) => of === `${final} print`,
    behind: (of, draft) => (of === `${final} cosign cleo` ? [agreementOf(draft, 'ada')] : []),
  });
  const settled = log.accounts.slots.get(20_645)?.settled as unknown as Loose;
  const members = SETS[1]?.cosigners ?? [];
  const bitsOf = (...names: readonly string[]): number =>
    names.reduce((bits, name) => bits | (1 << members.findIndex((each) => each.name === name)), 0);
  const plain = await bundleFor(log, '2026-07-11', null);
  const judged = async (...names: readonly string[]): Promise<Verdict> => {
    Object.assign(settled, { set: 1, cosigners: bitsOf(...names) });
    const { account } = await bundleFor(chained(), '2026-07-11', accountsOf(log));
    return judgeBundle({ ...plain, account } as Loose);
  };
  const good = await judged('ada', 'ben', 'cleo');
  numberOf(good);
  assert.ok(good.not_checked.some(({ what }) => what.includes('the account was written under')));
  const stranger = await judged('ada', 'ben', 'dora');
  assert.ok(codesOf(stranger).includes('feed_differs'));
});

/** The same agreement by another co-signer. */
function agreementOf(draft: LooseDraft, name: string): LooseDraft {
  const body = structuredClone(draft.body) as unknown as Mutable<Cosign>;
  body.statement = { ...body.statement, cosigner: keyOf(name), signed_at: draft.at as never };
  const { sign } = COSIGNERS[name] as Signer;
  body.signature = formatHex(sign(statementMessage(body.statement)));
  body.print_signature = formatHex(sign(parseHex(body.statement.print, 128)));
  return { at: draft.at, kind: 'cosign/1', body: body as unknown as Loose };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
