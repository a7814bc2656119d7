import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatTimestamp, type Item } from '@assay/core/ots/timestamp';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { BitcoinFacts, Verdict } from '@assay/verifier/verdict/verdict';
import { anchoredLog, lookupOf, PROMPT, SILENT } from '../fixture/anchored-log.ts';
import { attested } from '../fixture/anchored-misdeeds.ts';
import { Forge, type Loose } from '../fixture/forge.ts';
import { minedRun } from '../fixture/mined-run.ts';
import {
  chain,
  codesOf,
  folderOf,
  genesisLog,
  judgeFolder,
  judgeSite,
  type Published,
  publish,
  siteOf,
  draftsOf,
} from '../fixture/published.ts';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { signerFrom } from '../fixture/sample-log.ts';

const log = await anchoredLog();
const whole = publish(log.entries, log.blobs, log.checkpoints);

function verified(verdict: Verdict): BitcoinFacts {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const facts = verdict.outcome === 'verified' ? verdict.bitcoin : null;
  assert.notEqual(facts, null);
  return facts as BitcoinFacts;
}

async function factsOf(
  headers?: HeaderLookup,
  entries: readonly number[] = [],
): Promise<BitcoinFacts> {
  const options = headers === undefined ? { entries } : { headers, entries };
  return verified(await judgeSite(siteOf(whole), {}, options));
}

function words({ not_checked: items }: Verdict): string {
  return items.map(({ what, why }) => `${what}: ${why}`).join('\n');
}

test('a stamped log is verified from a server and at rest, with the same facts', async () => {
  const facts = await factsOf();
  assert.deepEqual(verified(await judgeFolder(folderOf(whole))), facts);
  assert.equal(facts.network, 'development');
  assert.equal(facts.trust, 'work');
  assert.equal(facts.source, null);
  assert.deepEqual([facts.anchored?.size, facts.anchored?.work], [26, '14']);
  assert.equal(facts.pending_count, 1);
  assert.deepEqual(facts.pending, [
    { batch: 3, from: 26, to: 34, since: '2026-07-24T00:20:00Z', calendars: [PROMPT, SILENT] },
  ]);
  assert.equal(facts.newest_beacon?.height, log.chain.tip.height);
});

test('with headers each block is among them; what a reorganisation took back is named, and no finding', async () => {
  const verdict = await judgeSite(siteOf(whole), {}, { headers: lookupOf(log) });
  const facts = verified(verdict);
  assert.deepEqual([facts.trust, facts.anchored?.trust], ['headers', 'headers']);
  assert.equal(facts.source?.height, log.chain.tip.height);
  assert.match(words(verdict), /whether entry 13 named the newest block.*a stale block/);
  assert.match(words(verdict), /which entry 14 names.*a later issue of the batch replaces it/);
});

test("an explorer's word is called that", async () => {
  assert.equal((await factsOf(lookupOf(log, { kind: 'explorer' }))).trust, 'explorer');
});

test('headers that end early vouch for what they have, and the rest is named', async () => {
  const tip = { height: 1200, time: 1_785_000_000 };
  const verdict = await judgeSite(siteOf(whole), {}, { headers: lookupOf(log, { tip }) });
  const facts = verified(verdict);
  assert.deepEqual([facts.trust, facts.anchored?.size], ['headers', 11]);
  assert.match(words(verdict), /those headers end at height 1200/);
});

test('headers of another network are not used, and that is reported', async () => {
  const given = lookupOf(log, { network: 'bitcoin' });
  const verdict = await judgeSite(siteOf(whole), {}, { headers: given });
  assert.equal(verified(verdict).trust, 'work');
  assert.match(words(verdict), /headers given, which are of bitcoin: the log is of development/);
});

test('headers that cannot be had leave it open', async () => {
  const header = (): Promise<never> => Promise.reject(new Error('no answer'));
  const verdict = await judgeSite(siteOf(whole), {}, { headers: lookupOf(log, { header }) });
  assert.equal(verdict.outcome, 'incomplete');
});

test('without headers nothing is reported of blocks that an issue took back', async () => {
  const said = words(await judgeSite(siteOf(whole)));
  assert.doesNotMatch(said, /stands instead|stale|reorganisation|headers given/);
});

test('pending is reported as text: who, since when, and what would finish it', async () => {
  const verdict = await judgeSite(siteOf(whole));
  const line =
    /that a development block holds the stamps of entries 26 to 33: pending since 2026-07-24T00:20:00Z: the publisher says that http:\/\/prompt\S+ and http:\/\/silent\S+ have promised/;
  assert.match(words(verdict), line);
});

test('a node that stamps nothing has no block, and no text about one', async () => {
  const verdict = await judgeSite(siteOf(genesisLog('development/none')));
  const facts = verified(verdict);
  assert.deepEqual([facts.trust, facts.anchored, facts.newest_beacon], ['none', null, null]);
  assert.doesNotMatch(words(verdict), /block/);
});

/** The stamped log with the block of its last issue put below the beacon that it holds. */
function reorganised(depth: number): Published {
  const forge = new Forge(log);
  const { draft, seq } = attested(forge);
  forge.drafts.splice(seq + 1);
  const beacon = forge.drafts
    .slice(0, draft.body['to'] as number)
    .findLast(({ kind }) => kind === 'beacon/1');
  const height = (beacon?.body['height'] as number) - depth;
  const run = minedRun(parseHex(draft.body['tip'] as string, 32));
  const uris = [PROMPT, SILENT];
  draft.body['proof'] = forge.keep(ownTimestamp(uris, height));
  draft.body['calendars'] = uris.map((uri) => ({ uri, state: 'attested' }));
  const following = forge.keep(run.slice(80));
  draft.body['bitcoin'] = [{ height, header: formatHex(run.subarray(0, 80)), following }];
  return forge.publish();
}

function ownTimestamp(uris: readonly string[], height: number): Uint8Array {
  return formatTimestamp({
    items: [
      { attestation: { kind: 'bitcoin', height } },
      ...uris.map((uri): Item => ({ attestation: { kind: 'pending', uri } })),
    ],
  });
}

test('of two blocks that cannot be in one chain, one was taken back: a few blocks deep, no deeper', async () => {
  for (const depth of [0, 5]) {
    const verdict = await judgeSite(siteOf(reorganised(depth)), {}, { entries: [20] });
    const [window] = verified(verdict).windows;
    assert.match(words(verdict), /a reorganisation took one of them back/);
    assert.equal((window?.after?.height ?? 0) < (window?.before?.height ?? 0), true);
  }
  const deep = await judgeSite(siteOf(reorganised(6)));
  assert.deepEqual(codesOf(deep), ['anchor_not_reproduced']);
});

test('where the headers given have both, the log has put them in a wrong order', async () => {
  const published = reorganised(0);
  const own = lookupOf(log);
  // The chain of somebody who has the block that the log names, at the height of the beacon.
  const forged = new Map<number, Uint8Array>();
  const { bitcoin } = parseEntry(published.entries.at(-1) as Uint8Array).body as Loose;
  forged.set(bitcoin[0].height as number, parseHex(bitcoin[0].header as string));
  let first = true;
  const headers = lookupOf(log, {
    header: (height) => {
      const there = forged.get(height);
      if (there === undefined || first) {
        // The beacon is asked for first: it is in the chain.
        if (there !== undefined) first = false;
        return own.header(height);
      }
      return Promise.resolve(there);
    },
  });
  const verdict = await judgeSite(siteOf(published), {}, { headers });
  assert.deepEqual(codesOf(verdict), ['anchor_not_reproduced']);
});

/** A log of a production origin with a beacon and a batch over development headers. */
function pretender(): Published {
  const origin = 'assay.example/log';
  const genesis = genesisLog(origin);
  const [first] = draftsOf(genesis.entries);
  const run = minedRun(new Uint8Array(32));
  const at = '2026-01-02T00:00:00Z';
  const drafts = [
    first as NonNullable<typeof first>,
    {
      at,
      kind: 'beacon/1',
      body: { height: 900_000, header: formatHex(run.subarray(0, 80)) },
    },
  ];
  const checkpoints = checkpointSigner(nodeSha256, origin, signerFrom(`${origin} checkpoint`));
  return publish(chain(drafts), new Map(), checkpoints);
}

test('development headers never pass in a production log, whoever vouches for its key', async () => {
  const published = pretender();
  const vkey = checkpointSigner(
    nodeSha256,
    'assay.example/log',
    signerFrom('assay.example/log checkpoint'),
  ).vkey;
  const named = { checkpoint_keys: [vkey], strict: true };
  assert.deepEqual(codesOf(await judgeSite(siteOf(published), named)), ['beacon_invalid']);
  const given = lookupOf(log);
  const verdict = await judgeSite(siteOf(published), named, { headers: given });
  assert.deepEqual(codesOf(verdict), ['beacon_invalid']);
  assert.equal(verdict.outcome === 'findings' && verdict.bitcoin?.network, 'bitcoin');
});
