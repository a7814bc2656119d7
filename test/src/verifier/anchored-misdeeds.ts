import { formatBase64, parseBase64 } from '@assay/core/base64';
import type { Bundle } from '@assay/core/bundle';
import { blockId, headerHash } from '@assay/core/bitcoin/header';
import { concatBytes } from '@assay/core/bytes';
import { parseEntry } from '@assay/core/entry';
import type { HashHex } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import { mergeTimestamps } from '@assay/core/ots/merge';
import { formatProof, parseProof } from '@assay/core/ots/proof';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { proofUrl } from '@assay/core/payload/proof';
import { parseUtf8 } from '@assay/core/utf8';
import { makeBundle } from '@assay/cli/bundle-maker';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { FindingCode } from '@assay/verifier/finding';
import type { HeaderLookup } from '@assay/verifier/header-lookup';
import type { Verdict } from '@assay/verifier/verdict';
import { anchoredLog, type AnchoredLog, lookupOf, PROMPT, SILENT } from './anchored-log.ts';
import { Forge, type Loose, type LooseDraft, wireBytes } from './forge.ts';
import { MINED, mine, minedRun } from './mined-run.ts';
import type { Misdeed } from './misdeeds.ts';
import {
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  type Published,
  proven,
  publish,
  type Site,
  siteOf,
  siteReader,
} from './published.ts';

type Picked = { readonly draft: LooseDraft; readonly seq: number };

const isAnchor = ({ kind }: LooseDraft): boolean => kind === 'anchor/1';

/** The newest batch as it was first recorded, or the newest issue that names a block. */
export const pending = (forge: Forge): Picked =>
  forge.newest((draft) => isAnchor(draft) && draft.body['issue'] === 0);
export const attested = (forge: Forge): Picked =>
  forge.newest((draft) => isAnchor(draft) && draft.body['bitcoin'].length > 0);
/** The newest issue of the batch that covers the held week. */
export const holding = (forge: Forge): Picked =>
  forge.newest(({ kind, body }) => kind === 'anchor/1' && body['batch'] === 2);
const beacon = (forge: Forge): Picked => forge.newest(({ kind }) => kind === 'beacon/1');
const report = (forge: Forge): Picked =>
  forge.newest(({ kind, body }) => kind === 'report/1' && body['report'].ticker !== 'HIDDEN');

/** A change of one entry, the last of its log, by somebody who holds every key; from a server and at rest. */
function forged(
  name: string,
  code: FindingCode,
  pick: (forge: Forge) => Picked,
  change: (body: Loose, forge: Forge, log: AnchoredLog, draft: LooseDraft) => void,
  headers?: (log: AnchoredLog) => HeaderLookup,
): readonly Misdeed[] {
  const make = async (): Promise<[Published, { headers?: HeaderLookup }]> => {
    const log = await anchoredLog();
    const forge = new Forge(log);
    const { draft, seq } = pick(forge);
    forge.drafts.splice(seq + 1);
    change(draft.body, forge, log, draft);
    return [forge.publish(), headers === undefined ? {} : { headers: headers(log) }];
  };
  return [
    {
      name,
      code,
      async verdict() {
        const [published, options] = await make();
        return judgeSite(siteOf(published), {}, options);
      },
    },
    {
      name: `${name}, in a folder`,
      code,
      async verdict() {
        const [published, options] = await make();
        return judgeFolder(folderOf(published), {}, options);
      },
    },
  ];
}

/** Keeps the anchor's timestamp after a change. */
function changeProof(body: Loose, forge: Forge, change: (timestamp: Timestamp) => Timestamp): void {
  const bytes = forge.blobs.get(body['proof'] as string) as Uint8Array;
  body['proof'] = forge.keep(formatTimestamp(change(parseTimestamp(bytes, 32))));
}

function block(forge: Forge, log: AnchoredLog, height: number): Loose {
  const headers = Array.from({ length: 7 }, (_, i) => log.chain.block(height + i)?.header);
  const [first, ...rest] = headers as Uint8Array[];
  const following = forge.keep(concatBytes(...rest));
  return { height, header: formatHex(first as Uint8Array), following };
}

const FIRST: readonly Misdeed[] = [
  ...forged('a batch with another root', 'anchor_not_reproduced', pending, (body) => {
    body['root'] = 'ab'.repeat(32);
  }),
  ...forged('a batch with another tip', 'anchor_not_reproduced', pending, (body) => {
    body['tip'] = 'ab'.repeat(32);
  }),
  ...forged('a batch with another salt', 'anchor_not_reproduced', pending, (body) => {
    body['salt'] = 'ab'.repeat(32);
  }),
  ...forged('a batch that begins too late', 'anchor_not_reproduced', pending, (body) => {
    body['from'] += 1;
  }),
  ...forged('a batch that begins too early', 'anchor_not_reproduced', pending, (body) => {
    body['from'] -= 1;
  }),
  ...forged('a batch out of its order', 'anchor_not_reproduced', pending, (body) => {
    body['batch'] += 1;
  }),
  ...forged(
    'a batch of entries that are not there yet',
    'anchor_not_reproduced',
    pending,
    (body) => {
      body['to'] += 1000;
    },
  ),
  ...forged(
    'a batch that was stamped before its entries',
    'anchor_not_reproduced',
    pending,
    (body) => {
      body['stamped_at'] = '2026-07-01T00:00:00Z';
    },
  ),
  ...forged(
    'a batch that was stamped after its entry',
    'anchor_not_reproduced',
    pending,
    (body) => {
      body['stamped_at'] = '2027-07-01T00:00:00Z';
    },
  ),
  ...forged('a new batch whose calendar has expired', 'anchor_not_reproduced', pending, (body) => {
    body['calendars'][0].state = 'expired';
  }),
];

const LATER: readonly Misdeed[] = [
  ...forged('an issue with another tip', 'anchor_not_reproduced', attested, (body) => {
    body['tip'] = 'ab'.repeat(32);
  }),
  ...forged('an issue with another stamp', 'anchor_not_reproduced', attested, (body) => {
    body['stamped_at'] = '2026-07-02T00:00:00Z';
  }),
  ...forged('an issue out of its order', 'anchor_not_reproduced', attested, (body) => {
    body['issue'] += 1;
  }),
  ...forged('an issue of a batch that is not there', 'anchor_not_reproduced', attested, (body) => {
    body['batch'] = 77;
  }),
];

const PROOFS: readonly Misdeed[] = [
  ...forged('a calendar that the proof does not have', 'anchor_proof_invalid', attested, (body) => {
    body['calendars'].push({ uri: 'http://third.calendar.invalid', state: 'pending' });
  }),
  ...forged('a calendar that the anchor leaves out', 'anchor_proof_invalid', attested, (body) => {
    body['calendars'] = body['calendars'].filter(({ uri }: Loose) => uri !== SILENT);
  }),
  ...forged(
    'a calendar that is said to have attested',
    'anchor_proof_invalid',
    attested,
    (body) => {
      for (const each of body['calendars']) each.state = 'attested';
    },
  ),
  ...forged(
    'an attestation that is not listed',
    'anchor_proof_invalid',
    attested,
    (body, forge) => {
      const height = body['bitcoin'][0].height + 1;
      const more: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height } }] };
      changeProof(body, forge, (timestamp) => mergeTimestamps(timestamp, more));
    },
  ),
  ...forged(
    'a block without an attestation',
    'anchor_proof_invalid',
    attested,
    (body, forge, log) => {
      body['bitcoin'].push(block(forge, log, body['bitcoin'][0].height + 1));
    },
  ),
  ...forged(
    'another block at that height',
    'anchor_proof_invalid',
    attested,
    (body, forge, log) => {
      const { height } = body['bitcoin'][0];
      body['bitcoin'] = [{ ...block(forge, log, height + 1), height }];
    },
  ),
  ...forged('an attestation of another chain', 'anchor_proof_invalid', attested, (body, forge) => {
    const more: Timestamp = { items: [{ attestation: { kind: 'litecoin', height: 5 } }] };
    changeProof(body, forge, (timestamp) => mergeTimestamps(timestamp, more));
  }),
  ...forged('a proof that is none', 'anchor_proof_invalid', pending, (body, forge) => {
    body['proof'] = forge.keep(new Uint8Array([1, 2, 3]));
  }),
  ...forged('a proof cut short', 'anchor_proof_invalid', attested, (body, forge) => {
    const bytes = forge.blobs.get(body['proof'] as string) as Uint8Array;
    body['proof'] = forge.keep(bytes.slice(0, -1));
  }),
  ...forged(
    'a proof too deep for the paths before it',
    'anchor_proof_invalid',
    pending,
    (body, forge) => {
      let deep: Timestamp = { items: [{ attestation: { kind: 'pending', uri: PROMPT } }] };
      for (let i = 0; i < 253; i += 1)
        deep = { items: [{ operation: { op: 'sha256' }, next: deep }] };
      const own: Timestamp = { items: [{ attestation: { kind: 'pending', uri: SILENT } }] };
      body['proof'] = forge.keep(formatTimestamp(mergeTimestamps(deep, own)));
    },
  ),
  ...forged('a proof that is not kept', 'blob_missing', attested, (body, forge) => {
    forge.blobs.delete(body['proof'] as string);
  }),
];

/** Puts a run over the tip itself at a height, with both calendars' promises kept by it. */
export function ownBlock(body: Loose, forge: Forge, height: number, run: Uint8Array): void {
  body['proof'] = forge.keep(
    formatTimestamp(
      mergeTimestamps(
        { items: [{ attestation: { kind: 'pending', uri: PROMPT } }] },
        {
          items: [
            { attestation: { kind: 'pending', uri: SILENT } },
            { attestation: { kind: 'bitcoin', height } },
          ],
        },
      ),
    ),
  );
  body['calendars'] = [PROMPT, SILENT].map((uri) => ({ uri, state: 'attested' }));
  const following = forge.keep(run.slice(80));
  body['bitcoin'] = [{ height, header: formatHex(run.subarray(0, 80)), following }];
}

const HEADERS: readonly Misdeed[] = [
  ...forged('headers that do not link', 'header_invalid', attested, (body, forge, log) => {
    const [first] = body['bitcoin'];
    first.following = block(forge, log, first.height + 1)['following'];
  }),
  ...forged('a block with five on top of it', 'header_invalid', attested, (body, forge) => {
    const [first] = body['bitcoin'];
    first.following = forge.keep((forge.blobs.get(first.following) as Uint8Array).slice(0, -80));
  }),
  ...forged('six headers less one', 'header_invalid', attested, (body, forge) => {
    const [first] = body['bitcoin'];
    first.following = forge.keep((forge.blobs.get(first.following) as Uint8Array).slice(80));
  }),
  ...forged('headers that are not kept', 'blob_missing', attested, (body, forge) => {
    forge.blobs.delete(body['bitcoin'][0].following as string);
  }),
  ...forged('a block without work', 'header_invalid', attested, (body, forge) => {
    const tip = parseHex(body['tip'] as string, 32);
    const run = minedRun(tip);
    const lazy = mine(run.slice(4, 36), tip, false);
    ownBlock(body, forge, body['bitcoin'][0].height as number, concatBytes(lazy, run.slice(80)));
  }),
  ...forged(
    'a block from before what it holds',
    'anchor_not_reproduced',
    attested,
    (body, forge) => {
      ownBlock(body, forge, 1, minedRun(parseHex(body['tip'] as string, 32)));
    },
  ),
  ...forged(
    'a block that the chain does not have',
    'header_differs',
    attested,
    (body, forge) => {
      const { height } = body['bitcoin'][0];
      ownBlock(body, forge, height as number, minedRun(parseHex(body['tip'] as string, 32)));
    },
    lookupOf,
  ),
  ...forged('a beacon of a later month than its entry', 'time_refuted', beacon, (body) => {
    const time = Date.UTC(2026, 11, 24) / 1000;
    const header = mine(new Uint8Array(32).fill(7), new Uint8Array(32), true, time);
    body['header'] = formatHex(header);
  }),
  ...forged(
    'a report from days before the block that it names',
    'time_refuted',
    report,
    (body, forge, _, draft) => {
      body['report'].published_at = '2026-07-02T00:00:00Z';
      forge.sign(draft);
    },
  ),
  ...forged(
    'a batch from a year after the block that holds it',
    'time_refuted',
    attested,
    (body, forge) => {
      const run = minedRun(parseHex(body['tip'] as string, 32), MINED - 365 * 86_400);
      ownBlock(body, forge, body['bitcoin'][0].height as number, run);
    },
  ),
  ...forged('an old beacon in place of the newest', 'beacon_invalid', beacon, (body, _, log) => {
    body['height'] = 1;
    body['header'] = formatHex(log.chain.block(1)?.header as Uint8Array);
  }),
  ...forged(
    'a beacon that stands on no block of the chain',
    'header_differs',
    beacon,
    (body) => {
      body['header'] = formatHex(mine(new Uint8Array(32).fill(7), new Uint8Array(32)));
    },
    lookupOf,
  ),
  ...forged('a beacon without work', 'beacon_invalid', beacon, (body) => {
    body['header'] = formatHex(mine(new Uint8Array(32), new Uint8Array(32), false));
  }),
  ...forged(
    'a report after another block',
    'report_not_reproduced',
    report,
    (body, forge, _, draft) => {
      body['report'].after = { ...body['report'].after, hash: 'ab'.repeat(32) };
      forge.sign(draft);
    },
  ),
  ...forged(
    'a report after an older block',
    'report_not_reproduced',
    report,
    (body, forge, log, draft) => {
      const { id } = log.chain.block(1) as { readonly id: string };
      body['report'].after = { height: 1, hash: id };
      forge.sign(draft);
    },
  ),
  ...forged('a report after no block', 'report_not_reproduced', report, (body, forge, _, draft) => {
    body['report'].after = null;
    forge.sign(draft);
  }),
];

export async function anchoredSite(): Promise<Site> {
  const { entries, blobs, checkpoints } = await anchoredLog();
  return siteOf(publish(entries, blobs, checkpoints));
}

function served(
  name: string,
  code: FindingCode,
  change: (site: Site, files: readonly string[]) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict() {
      const site = await anchoredSite();
      const files = [...site.keys()].filter((path) => path.endsWith('?format=ots'));
      change(site, files);
      return judge({ kind: 'log', reader: siteReader(site, false) });
    },
  };
}

function bodyOf(site: Site, path: string): Uint8Array {
  const answer = site.get(path);
  if (answer === undefined) throw new TypeError(`no ${path}`);
  return answer.body;
}

function put(site: Site, path: string, body: Uint8Array): void {
  site.set(path, { status: 200, body, logSize: undefined });
}

const SERVED: readonly Misdeed[] = [
  served(
    'a proof file with the path of another record',
    'proof_differs',
    (site, [a = '', b = '']) => {
      put(site, a, bodyOf(site, b));
    },
  ),
  served('a proof file that is cut short', 'proof_differs', (site, [a = '']) => {
    put(site, a, bodyOf(site, a).slice(0, -1));
  }),
  served(
    'a proof file with another timestamp behind the path',
    'proof_differs',
    (site, [a = '']) => {
      const bytes = bodyOf(site, a);
      const proof = parseProof(bytes);
      const more: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height: 9 } }] };
      put(site, a, formatProof({ ...proof, timestamp: mergeTimestamps(proof.timestamp, more) }));
    },
  ),
  served('a proof file that is not served', 'api_missing', (site, [a = '']) => {
    site.delete(a);
  }),
  served('a list of batches that hides one', 'api_differs', (site) => {
    const text = parseUtf8(bodyOf(site, '/anchors'));
    const list = JSON.parse(text) as Loose;
    list['batches'].shift();
    put(site, '/anchors', new TextEncoder().encode(JSON.stringify(list)));
  }),
];

/** The bundle of a period of the log. */
export async function anchoredBundle(period: string): Promise<Bundle> {
  const reader = siteReader(await anchoredSite());
  const index = (await anchoredLog()).rules.sample.display;
  return JSON.parse(parseUtf8(await makeBundle(reader, { index, period }, nodeSha256))) as Bundle;
}

/** A week whose report a block holds. */
export const HELD = '2026-07-11';

function bundled(
  name: string,
  code: FindingCode,
  change: (bundle: Loose, published: Published, log: AnchoredLog) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict(): Promise<Verdict> {
      const log = await anchoredLog();
      const bundle = structuredClone(await anchoredBundle(HELD)) as unknown as Loose;
      change(bundle, publish(log.entries, log.blobs, log.checkpoints), log);
      return judge({ kind: 'bundle', bytes: wireBytes(bundle) });
    },
  };
}

const isOf =
  (kind: string) =>
  ({ bytes }: Loose): boolean =>
    parseUtf8(parseBase64(bytes as string)).includes(`"kind":"${kind}"`);
const isBeacon = isOf('beacon/1');
const isBatch = isOf('anchor/1');

/** The bundle with another entry in place of its batch. */
function changeBatch(bundle: Loose, published: Published, seq: number): void {
  const rest = bundle['entries'].filter((each: Loose) => !isBatch(each));
  bundle['entries'] = [...rest, proven(published, seq)].sort((a, b) => a.seq - b.seq);
}

/** The entries of a batch, first to newest issue. */
function issuesOf({ entries }: Published, wanted: number): readonly number[] {
  return entries.flatMap((bytes, seq) => {
    const { kind, body } = parseEntry(bytes);
    return kind === 'anchor/1' && body['batch'] === wanted ? [seq] : [];
  });
}

/** The bundle of the held week from a log whose attested batch has been changed by its publisher. */
export async function forgedBundle(
  pick: (forge: Forge) => Picked,
  change: (body: Loose, forge: Forge) => void,
): Promise<Loose> {
  const log = await anchoredLog();
  const forge = new Forge(log);
  const { draft, seq } = pick(forge);
  forge.drafts.splice(seq + 1);
  change(draft.body, forge);
  const reader = siteReader(siteOf(forge.publish()));
  const choice = { index: log.rules.sample.display, period: HELD };
  return JSON.parse(parseUtf8(await makeBundle(reader, choice, nodeSha256))) as Loose;
}

function bundleForged(
  name: string,
  code: FindingCode,
  pick: (forge: Forge) => Picked,
  change: (body: Loose, forge: Forge) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict(): Promise<Verdict> {
      const bytes = wireBytes(await forgedBundle(pick, change));
      return judge({ kind: 'bundle', bytes });
    },
  };
}

/** The proof of a bundle after a change of its timestamp. */
function changeOts(bundle: Loose, change: (timestamp: Timestamp) => Timestamp): void {
  const proof = parseProof(parseBase64(bundle['ots'].checkpoint as string));
  bundle['ots'].checkpoint = formatBase64(
    formatProof({ ...proof, timestamp: change(proof.timestamp) }),
  );
}

const BUNDLES: readonly Misdeed[] = [
  bundled('a bundle whose proof is cut short', 'anchor_proof_invalid', (bundle) => {
    bundle['ots'].checkpoint = formatBase64(
      parseBase64(bundle['ots'].checkpoint as string).slice(0, -1),
    );
  }),
  bundled('a bundle with the proof of another digest', 'anchor_proof_invalid', (bundle) => {
    const proof = parseProof(parseBase64(bundle['ots'].checkpoint as string));
    const digest = new Uint8Array(32).fill(1);
    bundle['ots'].checkpoint = formatBase64(formatProof({ ...proof, digest }));
  }),
  bundled('a bundle with the headers of another block', 'anchor_proof_invalid', (bundle) => {
    bundle['headers'][0].headers = formatHex(minedRun(new Uint8Array(32)));
  }),
  bundled('a bundle with headers that do not link', 'header_invalid', (bundle) => {
    const [first] = bundle['headers'];
    const other = formatHex(minedRun(new Uint8Array(32))).slice(160);
    first.headers = `${(first.headers as string).slice(0, 160)}${other}`;
  }),
  bundled('a bundle with headers that its proof does not name', 'bundle_malformed', (bundle) => {
    const [first] = bundle['headers'];
    bundle['headers'].push({ ...first, height: first.height + 1 });
  }),
  bundled('a bundle without the headers', 'bundle_incomplete', (bundle) => {
    bundle['headers'] = [];
  }),
  bundled('a bundle whose block comes before the report', 'anchor_proof_invalid', (bundle) => {
    const run = minedRun(parseHex(bundle['report'] as string, 32));
    const more: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height: 1 } }] };
    changeOts(bundle, (timestamp) => mergeTimestamps(timestamp, more));
    bundle['headers'].unshift({ height: 1, headers: formatHex(run) });
  }),
  bundled('a bundle with an attestation of another chain', 'anchor_proof_invalid', (bundle) => {
    const more: Timestamp = { items: [{ attestation: { kind: 'ethereum', height: 1 } }] };
    changeOts(bundle, (timestamp) => mergeTimestamps(timestamp, more));
  }),
  bundled('a bundle without the beacon', 'bundle_incomplete', (bundle) => {
    bundle['entries'] = bundle['entries'].filter((each: Loose) => !isBeacon(each));
  }),
  bundled('a bundle with another beacon', 'report_not_reproduced', (bundle, published) => {
    const seq = published.entries.findIndex((bytes) =>
      parseUtf8(bytes).includes('"kind":"beacon/1"'),
    );
    const rest = bundle['entries'].filter((each: Loose) => !isBeacon(each));
    bundle['entries'] = [...rest, proven(published, seq)].sort((a, b) => a.seq - b.seq);
  }),
  bundled('a bundle with two beacons', 'bundle_malformed', (bundle, published) => {
    const seq = published.entries.findIndex((bytes) =>
      parseUtf8(bytes).includes('"kind":"beacon/1"'),
    );
    bundle['entries'].push(proven(published, seq));
    bundle['entries'].sort((a: Loose, b: Loose) => a['seq'] - b['seq']);
  }),
  bundled("a bundle with a stamp of the report's hash alone", 'anchor_proof_invalid', (bundle) => {
    const digest = parseHex(bundle['report'] as string, 32);
    const height = 2092;
    const timestamp: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height } }] };
    const own = formatProof({ hash: 'sha256', digest, timestamp });
    bundle['ots'].checkpoint = formatBase64(own);
    bundle['headers'] = [{ height, headers: formatHex(minedRun(digest)) }];
  }),
  bundled(
    "a bundle with the report's own path in the batch",
    'anchor_proof_invalid',
    (bundle, published) => {
      const file = siteOf(published).get(proofUrl(bundle['report'] as HashHex))?.body;
      bundle['ots'].checkpoint = formatBase64(file as Uint8Array);
    },
  ),
  bundled('a bundle with another way to the root', 'anchor_proof_invalid', (bundle) => {
    bundle['ots'].inclusion[0] = 'ab'.repeat(32);
  }),
  bundled('a bundle with no way to the root', 'anchor_proof_invalid', (bundle) => {
    bundle['ots'].inclusion = [];
  }),
  bundled('a bundle without its batch', 'bundle_incomplete', (bundle) => {
    bundle['entries'] = bundle['entries'].filter((each: Loose) => !isBatch(each));
  }),
  bundled('a bundle with a batch and no stamp of it', 'bundle_malformed', (bundle) => {
    bundle['ots'] = null;
    bundle['headers'] = [];
  }),
  bundled('a bundle with two batches', 'bundle_malformed', (bundle, published) => {
    bundle['entries'].push(proven(published, issuesOf(published, 0)[0] as number));
    bundle['entries'].sort((a: Loose, b: Loose) => a['seq'] - b['seq']);
  }),
  bundled('a bundle with an earlier batch', 'anchor_not_reproduced', (bundle, published) => {
    changeBatch(bundle, published, issuesOf(published, 0)[0] as number);
  }),
  bundled(
    'a bundle with another issue of its batch',
    'anchor_proof_invalid',
    (bundle, published) => {
      changeBatch(bundle, published, issuesOf(published, 2)[0] as number);
    },
  ),
  bundleForged('a bundle of a batch with another salt', 'anchor_proof_invalid', holding, (body) => {
    body['salt'] = 'ab'.repeat(32);
  }),
  bundleForged('a bundle of a batch with another tip', 'anchor_proof_invalid', holding, (body) => {
    body['tip'] = 'ab'.repeat(32);
  }),
  bundleForged(
    'a bundle of a report from a year after the block that holds it',
    'time_refuted',
    holding,
    (body, forge) => {
      const run = minedRun(parseHex(body['tip'] as string, 32), MINED - 365 * 86_400);
      ownBlock(body, forge, body['bitcoin'][0].height as number, run);
    },
  ),
  bundleForged(
    'a bundle of a report from half a year before the block that it names',
    'time_refuted',
    holding,
    (_, forge) => {
      const { draft, seq } = forge.newest(
        ({ kind, body }) => kind === 'report/1' && body['report'].period === HELD,
      );
      const beacons = forge.drafts.slice(0, seq);
      const known = beacons.findLast(({ kind }) => kind === 'beacon/1') as LooseDraft;
      const time = Date.UTC(2026, 11, 24) / 1000;
      const header = mine(new Uint8Array(32).fill(7), new Uint8Array(32), true, time);
      known.body['header'] = formatHex(header);
      const hash = blockId(headerHash(nodeSha256, header));
      draft.body['report'].after = { ...draft.body['report'].after, hash };
      forge.sign(draft);
    },
  ),
];

/** What must never be verified of a log that is stamped. */
export const ANCHORED_MISDEEDS: readonly Misdeed[] = [
  ...FIRST,
  ...LATER,
  ...PROOFS,
  ...HEADERS,
  ...SERVED,
  ...BUNDLES,
];
