import { rowDigest } from '@assay/core/view/row-digest';
import { formatBase64 } from '@assay/core/base64';
import type { Bundle } from '@assay/core/bundle';
import { formatEntry, parseEntry } from '@assay/core/entry';
import { hashHex, leafHash, type Hash, toHashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { formatNote, formatNoteKey, NOTE_ED25519, noteKeyId, parseNote } from '@assay/core/note';
import { formatEntryBundle, parseEntryBundle } from '@assay/core/tile';
import { ruleHash } from '@assay/core/rule/rule';
import { formatTime, parseTime } from '@assay/core/time';
import { formatUtf8, parseUtf8 } from '@assay/core/utf8';
import { formatWire, type WireObject } from '@assay/core/wire';
import { makeBundle } from '@assay/cli/bundle-maker';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { FindingCode } from '@assay/verifier/finding';
import type { Pin } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import { ANCHORED_MISDEEDS } from './anchored-misdeeds.ts';
import { CHAIN } from './chained-log.ts';
import { CHAINED_MISDEEDS } from './chained-misdeeds.ts';
import { CLOSED_MISDEEDS } from './closed-misdeeds.ts';
import { INDEXED_MISDEEDS } from './indexed-misdeeds.ts';
import { ROTATED_MISDEEDS } from './rotated-misdeeds.ts';
import { Forge, type Loose, type LooseDraft, wireBytes } from './forge.ts';
import {
  type Folder,
  folderOf,
  genesisLog,
  judge,
  judgeFolder,
  judgeSite,
  type Published,
  proven,
  publish,
  relink,
  type Site,
  siteOf,
  siteReader,
} from './published.ts';
import { makeSampleLog, sampleLog, type SampleLog, signerFrom } from './sample-log.ts';
import { TERMINAL_MISDEEDS } from './terminal-misdeeds.ts';
import { WITNESSED_MISDEEDS } from './witnessed-misdeeds.ts';

/** What every misdeed starts from. */
export interface Ground {
  readonly log: SampleLog;
  readonly published: Published;
  /** A log of the same kind with other keys. */
  readonly other: SampleLog;
  /** A proof of the newest final. */
  readonly bundle: Bundle;
  /** What a visit to the first 300 entries left behind. */
  readonly pin: Pin;
}

/** Something that must never be verified, and the code of the finding that it must have. */
export interface Misdeed {
  readonly name: string;
  readonly code: FindingCode;
  /** Part of the place of that finding. */
  readonly place?: string;
  readonly verdict: (ground: Ground) => Promise<Verdict>;
}

const PINNED = 300;
/** When the log of `genesisLog` says that it began. */
const GENESIS_TIME = parseTime('2026-01-01T00:00:00Z' as never);

export async function makeGround(): Promise<Ground> {
  const log = await sampleLog();
  const other = await makeSampleLog('development/other');
  const published = publish(log.entries, log.blobs, log.checkpoints);
  const early = publish(log.entries.slice(0, PINNED), log.blobs, log.checkpoints);
  const first = await judgeSite(siteOf(early));
  if (first.outcome !== 'verified' || first.pin === null) throw new TypeError('no pin');
  return { log, other, published, bundle: await bundleOf(published), pin: first.pin };
}

/** The bundle of a period, of the newest printed where none is named. */
export async function bundleOf(published: Published, period?: string): Promise<Bundle> {
  const reader = siteReader(siteOf(published));
  const bytes = await makeBundle(reader, { index: 'LAYOFFS', period }, nodeSha256);
  return JSON.parse(parseUtf8(bytes)) as Bundle;
}

export function judgeBundle(bundle: Loose): Promise<Verdict> {
  return judge({ kind: 'bundle', bytes: wireBytes(bundle) });
}

/** A misdeed of somebody who holds every key: re-linked, folded and signed as an honest log is. */
function forged(
  name: string,
  code: FindingCode,
  change: (forge: Forge, ground: Ground) => void,
  place?: string,
): Misdeed {
  return {
    name,
    code,
    ...(place === undefined ? {} : { place }),
    async verdict(ground) {
      const forge = new Forge(ground.log);
      change(forge, ground);
      return judgeSite(siteOf(forge.publish()));
    },
  };
}

/** A change of the newest report of a status, signed again by the report key. */
function reported(
  name: string,
  code: FindingCode,
  status: string,
  change: (report: Loose, forge: Forge, ground: Ground, draft: LooseDraft) => void,
  place?: string,
): Misdeed {
  return forged(
    name,
    code,
    (forge, ground) => {
      const { draft } = forge.report(status);
      change(draft.body['report'] as Loose, forge, ground, draft);
      forge.sign(draft);
    },
    place,
  );
}

/** A change of what the server answers. */
function served(
  name: string,
  code: FindingCode,
  change: (site: Site, ground: Ground) => void,
  place?: string,
): Misdeed {
  return {
    name,
    code,
    ...(place === undefined ? {} : { place }),
    async verdict(ground) {
      const site = siteOf(ground.published);
      change(site, ground);
      return judgeSite(site);
    },
  };
}

/** A change of a data folder. */
function stored(
  name: string,
  code: FindingCode,
  change: (folder: Folder, ground: Ground) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict(ground) {
      const folder = folderOf(ground.published);
      change(folder, ground);
      return judgeFolder(folder);
    },
  };
}

/** A change of a bundle. */
function bundled(
  name: string,
  code: FindingCode,
  change: (bundle: Loose, ground: Ground) => void | Promise<void>,
): Misdeed {
  return {
    name,
    code,
    async verdict(ground) {
      const bundle = structuredClone(ground.bundle) as Loose;
      await change(bundle, ground);
      return judgeBundle(bundle);
    },
  };
}

/** A bundle of a report that a forger has put into a log of its own making. */
function bundledForgery(
  name: string,
  code: FindingCode,
  change: (report: Loose, forge: Forge, draft: LooseDraft) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict({ log }) {
      const forge = new Forge(log);
      const { draft } = forge.report('final');
      change(draft.body['report'] as Loose, forge, draft);
      forge.sign(draft);
      return judgeBundle(await bundleOf(forge.publish(), draft.body['report'].period));
    },
  };
}

function edit(site: Site, path: string, change: (body: Uint8Array) => Uint8Array): void {
  const answer = site.get(path);
  if (answer === undefined) throw new TypeError(`no ${path}`);
  site.set(path, { ...answer, body: change(answer.body) });
}

function editBundle(
  site: Site,
  path: string,
  change: (entries: Uint8Array[]) => readonly Uint8Array[],
): void {
  edit(site, path, (body) => {
    let width = 0;
    for (let at = 0; at < body.length; width += 1) {
      at += 2 + (body[at] as number) * 256 + (body[at + 1] as number);
    }
    return formatEntryBundle(change([...parseEntryBundle(body, width)]));
  });
}

/** Changes one entry of the second bundle in place, without a new link. */
function editEntry(site: Site, seq: number, change: (entry: Loose) => Loose): void {
  editBundle(site, '/tile/entries/001', (entries) =>
    entries.map((bytes, i) =>
      i + 256 === seq ? formatEntry(change(parseEntry(bytes) as unknown as Loose) as never) : bytes,
    ),
  );
}

interface LooseNote {
  text: string;
  signatures: Loose[];
}

function editNote(site: Site, change: (note: LooseNote) => void): void {
  edit(site, '/checkpoint', (body) => {
    const note = structuredClone(parseNote(body)) as unknown as LooseNote;
    change(note);
    return formatNote(note as never);
  });
}

function strangerLine(text: string): Loose {
  const signer = signerFrom('a stranger');
  return {
    name: 'stranger.example',
    keyId: noteKeyId(nodeSha256, 'stranger.example', NOTE_ED25519, signer.publicKey),
    signature: signer.sign(formatUtf8(text)),
  };
}

/** The genesis alone, changed, signed and served. */
function genesisOnly(
  name: string,
  code: FindingCode,
  change: (body: Loose, ground: Ground) => void,
): Misdeed {
  return {
    name,
    code,
    async verdict(ground) {
      const forge = new Forge(ground.log, 1);
      change((forge.drafts[0] as LooseDraft).body, ground);
      return judgeSite(siteOf(forge.publish()));
    },
  };
}

const ENTRY_BODIES: readonly Misdeed[] = [
  forged('an entry of a kind that this version does not know', 'not_understood', (forge) => {
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'question/1', body: {} });
  }),
  forged('an entry of a kind outside the closed list', 'not_understood', (forge) => {
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rumour/1', body: {} });
  }),
  forged('an entry of a newer version of a known kind', 'not_understood', (forge) => {
    const { draft } = forge.report('final');
    forge.drafts.push({ ...draft, kind: 'report/2' });
  }),
  forged('a body with a member that its kind does not have', 'entry_malformed', (forge) => {
    forge.newest(({ kind }) => kind === 'note/1').draft.body['more'] = true;
  }),
  forged('an entry that is older than the one before', 'time_decreases', (forge) => {
    forge.newest(({ kind }) => kind === 'note/1').draft.at = '2025-01-01T00:00:00Z';
  }),
  forged('a second genesis', 'genesis_misplaced', (forge) => {
    const [genesis] = forge.drafts;
    forge.drafts.push({ ...(genesis as LooseDraft), at: forge.report('final').draft.at });
  }),
  forged('no genesis at the start', 'genesis_misplaced', (forge) => {
    forge.drafts.shift();
  }),
  genesisOnly('one key for reports and checkpoints', 'genesis_differs', (body, { log }) => {
    body['report_key'] = formatHex(log.keys.checkpoint.publicKey);
  }),
  genesisOnly('a chain without a program', 'genesis_differs', (body) => {
    body['chain'] = CHAIN;
  }),
  genesisOnly('a program that is no address', 'genesis_differs', (body) => {
    body['chain'] = CHAIN;
    body['program'] = '1'.repeat(44);
  }),
  genesisOnly('a checkpoint key of another origin', 'genesis_differs', (body, { log }) => {
    body['checkpoint_vkey'] = formatNoteKey(
      nodeSha256,
      'development/another',
      log.keys.checkpoint.publicKey,
    );
  }),
];

const RULES: readonly Misdeed[] = [
  forged('a rule that reaches back over what is printed', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    body['rule'].version = 3;
    body['rule'].applies_from = '2026-12-26';
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a rule version left out', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    body['rule'].version = 4;
    body['rule'].applies_from = '2030-01-05';
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a production rule on a development log', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    body['rule'].version = 3;
    body['rule'].network = 'production';
    body['rule'].applies_from = '2030-01-05';
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a rule that withholds a level and settles on it', 'entry_malformed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    body['rule'].version = 3;
    body['rule'].rights.level = 'withhold';
    body['rule'].applies_from = '2030-01-05';
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a version that withholds a level that was published', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    withhold(body['rule'] as Loose);
    Object.assign(body['rule'], { version: 3, applies_from: '2030-01-05' });
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a rule under the slug of another index', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    Object.assign(body['rule'], { version: 1, ticker: 'OTHER', display: 'OTHER' });
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  forged('a rule that keeps no bytes of a read that counts', 'rule_not_allowed', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
    const body = structuredClone(draft.body);
    Object.assign(body['rule'], { version: 3, applies_from: '2030-01-05' });
    body['rule'].providers[1].retain = 'hash';
    forge.drafts.push({ at: forge.report('final').draft.at, kind: 'rule/1', body });
  }),
  {
    name: 'a rule that was made when the number was out',
    code: 'rule_mismatch',
    async verdict({ log }) {
      const forge = new Forge(log);
      const { draft, seq } = forge.newest(({ kind }) => kind === 'rule/1');
      const next = forge.drafts.slice(seq).find(({ kind }) => kind === 'report/1') as LooseDraft;
      draft.at = next.at.replace(/:\d\d:00Z/, ':31:00Z');
      for (const each of forge.drafts.slice(seq)) if (each.at < draft.at) each.at = draft.at;
      return judgeSite(siteOf(forge.publish()));
    },
  },
  reported(
    'a report under an older version of the rule',
    'rule_mismatch',
    'final',
    (report, forge) => {
      const before = forge.newest(({ body }) => body['report']?.rule.version === 1).draft;
      report['rule'] = structuredClone(before.body['report'].rule);
    },
  ),
  reported(
    'a report that names another version of its rule',
    'rule_mismatch',
    'final',
    (report) => {
      report['rule'].version = 1;
    },
  ),
];

const REPORTS: readonly Misdeed[] = [
  reported('another value', 'report_not_reproduced', 'final', (report) => {
    report['value'] = String(Number(report['value']) + 1000);
  }),
  reported('another value, in its reads too', 'read_differs', 'final', (report) => {
    const value = String(Number(report['value']) + 1000);
    report['value'] = value;
    for (const read of report['reads']) read.value = value;
  }),
  reported(
    'another z',
    'report_not_reproduced',
    'final',
    (report) => {
      report['z'] = report['z'] === '2.2' ? '2.1' : '2.2';
    },
    '/z',
  ),
  reported(
    'another band',
    'report_not_reproduced',
    'final',
    (report) => {
      report['band'] = 'very_high';
    },
    '/band',
  ),
  reported(
    'settleable, turned off',
    'report_not_reproduced',
    'final',
    (report) => {
      report['settleable'] = false;
    },
    '/settleable',
  ),
  reported(
    'a better grade',
    'report_not_reproduced',
    'final',
    (report) => {
      report['grade'] = 'A';
    },
    '/grade',
  ),
  reported(
    'other decimals',
    'report_not_reproduced',
    'final',
    (report) => {
      report['decimals'] = 3;
    },
    '/decimals',
  ),
  reported(
    'another dispersion',
    'report_not_reproduced',
    'final',
    (report) => {
      report['dispersion'] = '1000';
    },
    '/dispersion',
  ),
  reported(
    'another report superseded',
    'report_not_reproduced',
    'final',
    (report) => {
      report['supersedes'] = 'ab'.repeat(32);
    },
    '/supersedes',
  ),
  reported(
    'a provisional with a number left out',
    'report_not_reproduced',
    'provisional',
    (report) => {
      report['issue'] = 1;
    },
    '/issue',
  ),
  reported(
    'fewer co-signers than the log promised',
    'report_not_reproduced',
    'final',
    (report) => {
      report['cosigners'].required = 5;
    },
    '/cosigners/required',
  ),
  reported(
    'a co-signer set that nobody registered',
    'report_not_reproduced',
    'final',
    (report) => {
      report['cosigners'].set = 'ab'.repeat(32);
    },
    '/cosigners/set',
  ),
  reported(
    'final inside its freeze window',
    'report_not_reproduced',
    'final',
    (report) => {
      const early = String(report['published_at']).replace(/T\d\d/, 'T13');
      report['published_at'] = early;
      for (const read of report['reads']) read.read_at = early;
    },
    '/status',
  ),
  reported(
    'final without its quorum',
    'report_not_reproduced',
    'final',
    (report) => {
      Object.assign(report['reads'][1], { outcome: 'timeout', value: null, snapshot: null });
    },
    '/reads/1/outcome',
  ),
  {
    name: 'final without its quorum, and no provisional before it',
    code: 'report_not_reproduced',
    place: '/status',
    async verdict({ log }) {
      const forge = new Forge(log);
      const { seq } = forge.report('provisional');
      const { draft } = forge.report('final');
      const { report } = draft.body as { readonly report: Loose };
      forge.drafts.splice(seq, forge.drafts.indexOf(draft) - seq);
      Object.assign(report['reads'][1], { outcome: 'timeout', value: null, snapshot: null });
      report['supersedes'] = null;
      forge.sign(draft);
      return judgeSite(siteOf(forge.publish()));
    },
  },
  reported('a read from before the release', 'report_not_due', 'provisional', (report) => {
    const early = String(report['published_at']).replace(/T\d\d/, 'T00');
    for (const read of report['reads']) read.read_at = early;
  }),
  reported('a value in place of a void', 'report_not_reproduced', 'void', (report) => {
    Object.assign(report, { status: 'final', reason: null, value: '200000', settleable: true });
    report['dispersion'] = '0';
  }),
  forged('a second final', 'report_not_due', (forge) => {
    const { draft } = forge.report('final');
    const again = structuredClone(draft);
    again.body['report'].supersedes = null;
    forge.sign(again);
    forge.drafts.push(again);
  }),
  forged('a provisional after the final', 'report_not_due', (forge) => {
    const again = structuredClone(forge.report('provisional').draft);
    again.at = forge.report('final').draft.at;
    forge.drafts.push(again);
  }),
  forged('a report before the release', 'report_not_due', (forge) => {
    const again = structuredClone(forge.report('provisional').draft);
    again.body['report'].period = '2027-04-17';
    again.body['report'].supersedes = null;
    again.at = forge.report('final').draft.at;
    forge.sign(again);
    forge.drafts.push(again);
  }),
  reported('a report for a day that is no period', 'report_period', 'final', (report) => {
    report['period'] = '2027-04-02';
  }),
  reported('a report made for another log', 'report_log', 'final', (report, _forge, { other }) => {
    report['log'] = hashHex(leafHash(nodeSha256, other.entries[0] as Uint8Array));
  }),
  forged('a report copied from another log as it stands', 'report_log', (forge, { other }) => {
    const theirs = new Forge(other).report('final').draft;
    forge.report('final').draft.body = structuredClone(theirs.body);
  }),
  forged(
    "a report copied from another log, with that log's signature",
    'report_bad_signature',
    (forge, { other }) => {
      const theirs = new Forge(other).report('final').draft;
      forge.report('final').draft.body = structuredClone(theirs.body);
    },
  ),
  forged('a report signed with the checkpoint key', 'report_bad_signature', (forge, { log }) => {
    forge.sign(forge.report('final').draft, log.keys.checkpoint);
  }),
  reported('a read after publication', 'report_times', 'final', (report) => {
    report['reads'][0].read_at = '2030-01-01T00:00:00Z';
  }),
  forged('a report published after it was recorded', 'report_times', (forge) => {
    const { draft } = forge.report('final');
    const { report } = draft.body as { readonly report: Loose };
    report['published_at'] = String(report['published_at']).replace(':00Z', ':01Z');
    forge.sign(draft);
  }),
  forged(
    'a report recorded an hour and a second after its publication',
    'report_times',
    (forge) => {
      const { draft } = forge.report('final');
      for (const later of forge.drafts.slice(forge.drafts.indexOf(draft))) {
        later.at = formatTime(parseTime(later.at as never) + 3601);
      }
    },
  ),
  {
    name: 'a production log whose entries lie ahead of the clock',
    code: 'time_ahead',
    place: 'entry 0',
    verdict: () =>
      judgeSite(siteOf(genesisLog('assay.example/log')), {}, { now: GENESIS_TIME - 7201 }),
  },
  reported('a correction of what is not final', 'report_not_due', 'final', (report) => {
    Object.assign(report, { status: 'corrected', issue: 1, settleable: false });
  }),
  reported(
    'a level withheld that the rule publishes',
    'report_not_reproduced',
    'final',
    (report) => {
      Object.assign(report, {
        withheld: true,
        settleable: false,
        value: null,
        dispersion: null,
        z: null,
        band: null,
        commitment: 'ab'.repeat(32),
      });
      for (const read of report['reads']) read.value = null;
    },
  ),
];

const READS: readonly Misdeed[] = [
  reported('a read that says it failed', 'read_differs', 'provisional', (report) => {
    Object.assign(report['reads'][1], { outcome: 'not_published', value: null });
  }),
  forged('a first print taken from a source that has gone on', 'read_differs', (forge) => {
    const late = forge.report('final').draft.body['report'];
    const { draft } = forge.newest(
      ({ body }) => body['report']?.status === 'final' && body['report'].period !== late.period,
    );
    const { report } = draft.body as { readonly report: Loose };
    for (const [i, read] of (report['reads'] as Loose[]).entries()) {
      read['snapshot'] = late.reads[i].snapshot;
    }
    forge.sign(draft);
  }),
  reported('reads in another order', 'read_unlisted', 'final', (report) => {
    report['reads'].reverse();
  }),
  reported(
    'a read of a provider that the rule does not have',
    'read_unlisted',
    'final',
    (report) => {
      report['reads'].push({ ...report['reads'][0], provider: 'rumours', role: 'check' });
    },
  ),
  reported('a value out of nowhere', 'read_unfounded', 'final', (report) => {
    report['reads'][0].snapshot = null;
  }),
  reported('a read of another address', 'request_differs', 'final', (report, forge) => {
    const [read] = report['reads'];
    const manifest = JSON.parse(new TextDecoder().decode(forge.blobs.get(read.snapshot))) as Loose;
    manifest['request'].url = 'https://elsewhere.invalid/initial-claims.csv';
    read.snapshot = forge.keepManifest(read.snapshot, { request: manifest['request'] });
  }),
  reported('a read of the other provider', 'request_differs', 'final', (report) => {
    report['reads'][0].snapshot = report['reads'][1].snapshot;
  }),
  reported('a read whose bytes were not kept', 'request_differs', 'final', (report, forge) => {
    const [read] = report['reads'];
    read.snapshot = forge.keepManifest(read.snapshot, { retain: 'hash' });
  }),
  reported(
    'a text that some program took from a page',
    'request_differs',
    'final',
    (report, forge) => {
      const [read] = report['reads'];
      const text = forge.keep(formatUtf8('another text'));
      const extractor = { name: 'pdf', version: '1', text_sha256: text };
      read.snapshot = forge.keepManifest(read.snapshot, { extractor });
    },
  ),
  reported('a manifest that is none', 'snapshot_malformed', 'final', (report, forge) => {
    report['reads'][0].snapshot = forge.keep(formatUtf8('{"type": "assay-snapshot/1"}'));
  }),
  reported(
    'a manifest of more bytes than anyone reads',
    'snapshot_malformed',
    'final',
    (report, forge) => {
      const [read] = report['reads'];
      const page = { status: 200, sha256: 'ab'.repeat(32), length: 33_554_432, content_type: null };
      read.snapshot = forge.keepManifest(read.snapshot, { pages: [page, page, page] });
    },
  ),
  reported(
    'a manifest with another length of its page',
    'blob_differs',
    'final',
    (report, forge) => {
      const [read] = report['reads'];
      const manifest = JSON.parse(
        new TextDecoder().decode(forge.blobs.get(read.snapshot)),
      ) as Loose;
      manifest['pages'][0].length += 1;
      read.snapshot = forge.keepManifest(read.snapshot, { pages: manifest['pages'] });
    },
  ),
  served('a page that is not there', 'blob_missing', (site, { published }) => {
    site.delete(`/blob/${someSnapshot(published)}`);
  }),
  served('a page of other bytes', 'blob_differs', (site, { published }) => {
    edit(site, `/blob/${someSnapshot(published)}`, () => formatUtf8('week_ending,claims\n'));
  }),
];

const REVISIONS: readonly Misdeed[] = [
  forged('an invented revision', 'revision_not_reproduced', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'revision/1');
    draft.body['rows'].unshift({ period: '2025-01-04', value: '1' });
  }),
  forged('a revision left out of its entry', 'revision_not_reproduced', (forge) => {
    forge
      .newest(({ kind, body }) => kind === 'revision/1' && body['rows'].length > 1)
      .draft.body['rows'].pop();
  }),
  forged('a revision to another value', 'revision_not_reproduced', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'revision/1');
    draft.body['rows'][0].value = '1';
  }),
  forged('what a report shows and does not record', 'revision_missing', (forge) => {
    const at = forge.drafts.findLastIndex(
      ({ kind }, i) => kind === 'revision/1' && forge.drafts[i - 1]?.kind === 'report/1',
    );
    forge.drafts.splice(at, 1);
  }),
  forged('a revision that comes after the next report', 'revision_missing', (forge) => {
    const at = forge.drafts.findLastIndex(
      ({ kind }, i) => kind === 'revision/1' && forge.drafts[i - 1]?.kind === 'report/1',
    );
    const [late] = forge.drafts.splice(at, 1) as [LooseDraft];
    const next = forge.drafts.findIndex(({ kind }, i) => i >= at && kind === 'report/1');
    const before = forge.drafts[next] as LooseDraft;
    forge.drafts.splice(next + 1, 0, { ...late, at: before.at });
  }),
  forged('a revision read before the one before it', 'report_times', (forge) => {
    const first = forge.drafts.find(({ kind }) => kind === 'revision/1') as LooseDraft;
    const { draft } = forge.newest(({ kind }) => kind === 'revision/1');
    draft.body['read_at'] = String(first.body['read_at']).replace('2025', '2024');
  }),
  forged('a revision twice', 'revision_not_reproduced', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'revision/1');
    forge.drafts.push({ ...structuredClone(draft), at: forge.report('final').draft.at });
  }),
  forged('a revision under a rule that the log does not have', 'rule_mismatch', (forge) => {
    forge.newest(({ kind }) => kind === 'revision/1').draft.body['rule'] = 'ab'.repeat(32);
  }),
  forged('a revision from a provider that shows none', 'rule_mismatch', (forge) => {
    forge.newest(({ kind }) => kind === 'revision/1').draft.body['provider'] =
      'synthetic-claims-json';
  }),
  forged('a revision read after it was recorded', 'report_times', (forge) => {
    forge.newest(({ kind }) => kind === 'revision/1').draft.body['read_at'] =
      '2030-01-01T00:00:00Z';
  }),
  forged('a revision read for a day that is no period', 'report_period', (forge) => {
    forge.newest(({ kind }) => kind === 'revision/1').draft.body['read_for'] = '2027-03-26';
  }),
  forged('a revision from another address', 'request_differs', (forge) => {
    const { draft } = forge.newest(({ kind }) => kind === 'revision/1');
    const final = forge.report('final').draft.body['report'];
    draft.body['snapshot'] = final.reads[1].snapshot;
  }),
];

const SERVERS: readonly Misdeed[] = [
  served('no checkpoint', 'checkpoint_missing', (site) => {
    site.delete('/checkpoint');
  }),
  served('a page of HTML for a checkpoint', 'checkpoint_malformed', (site) => {
    edit(site, '/checkpoint', () => formatUtf8('<!doctype html>\n<title>Sign in</title>\n'));
  }),
  served('a checkpoint with a line more', 'checkpoint_malformed', (site, { log }) => {
    editNote(site, (note) => {
      note.text += 'extension\n';
      resign(note, log);
    });
  }),
  served('a checkpoint of size 0', 'genesis_misplaced', (site, { log }) => {
    edit(site, '/checkpoint', () => log.checkpoints.sign(0, new Uint8Array(32) as Hash));
  }),
  served('a checkpoint without a signature of the log', 'checkpoint_unsigned', (site) => {
    editNote(site, (note) => {
      note.signatures = [strangerLine(note.text)];
    });
  }),
  served('a bad signature beside the good one', 'checkpoint_bad_signature', (site) => {
    editNote(site, (note) => {
      const [own] = note.signatures as [Loose];
      note.signatures.push({ ...own, signature: new Uint8Array(64) });
    });
  }),
  served(
    'a checkpoint of another log, signed by this one',
    'checkpoint_origin',
    (site, { log }) => {
      editNote(site, (note) => {
        note.text = note.text.replace(log.origin, 'development/elsewhere');
        resign(note, log);
      });
    },
  ),
  {
    name: 'strict: a signature line of a stranger',
    code: 'checkpoint_unlisted_signature',
    async verdict({ published }) {
      const site = siteOf(published);
      editNote(site, (note) => note.signatures.push(strangerLine(note.text)));
      return judgeSite(site, { strict: true });
    },
  },
  {
    name: 'strict: the same signature twice',
    code: 'checkpoint_unlisted_signature',
    async verdict({ published }) {
      const site = siteOf(published);
      editNote(site, (note) => note.signatures.push(note.signatures[0] as Loose));
      return judgeSite(site, { strict: true });
    },
  },
  {
    name: 'a key that the policy does not name',
    code: 'key_not_trusted',
    verdict: ({ published, other }) =>
      judgeSite(siteOf(published), { checkpoint_keys: [other.checkpoints.vkey] }),
  },
  {
    name: 'a key that is not the pinned one',
    code: 'key_not_trusted',
    verdict: ({ published, pin, other }) =>
      judgeSite(siteOf(published), {}, pinned({ ...pin, checkpoint_vkey: other.checkpoints.vkey })),
  },
  {
    name: 'a log that the policy does not name',
    code: 'log_id_differs',
    verdict: ({ published }) =>
      judgeSite(siteOf(published), { log_id: toHashHex('ab'.repeat(32)) }),
  },
  {
    name: 'a log that is not the pinned one',
    code: 'log_id_differs',
    verdict: ({ published, pin }) =>
      judgeSite(siteOf(published), {}, pinned({ ...pin, log_id: toHashHex('ab'.repeat(32)) })),
  },
  {
    name: 'another history, signed again',
    code: 'history_changed',
    verdict({ log, pin }) {
      const forge = new Forge(log);
      const { draft } = forge.newest(
        ({ kind, body }) => kind === 'note/1' && body['text'].startsWith('Week 2025'),
      );
      draft.body['text'] = 'This was never said.';
      return judgeSite(siteOf(forge.publish()), {}, pinned(pin));
    },
  },
  {
    name: 'a log that is smaller than it was',
    code: 'log_shrunk',
    verdict({ log, pin }) {
      const shorter = publish(log.entries.slice(0, PINNED - 1), log.blobs, log.checkpoints);
      return judgeSite(siteOf(shorter), {}, pinned(pin));
    },
  },
  {
    name: 'entries that were never appended',
    code: 'root_differs',
    async verdict({ published, log }) {
      const last = published.entries.at(-1) as Uint8Array;
      const entries = relink([...log.entries.toSpliced(400, 1), last]);
      const site = siteOf(publish(entries, log.blobs, log.checkpoints));
      edit(site, '/checkpoint', () => published.checkpoint);
      return judgeSite(site);
    },
  },
  served('a bundle of entries that is not there', 'entry_missing', (site) => {
    site.delete('/tile/entries/001');
  }),
  served('a bundle with an entry less', 'bundle_differs', (site) => {
    editBundle(site, '/tile/entries/001', (entries) => entries.slice(1));
  }),
  served('a bundle that ends in the middle', 'bundle_differs', (site) => {
    edit(site, '/tile/entries/001', (body) => body.subarray(0, body.length - 1));
  }),
  served('an entry with another number', 'entry_out_of_order', (site) => {
    editEntry(site, 300, (entry) => ({ ...entry, seq: 301 }));
  }),
  served('an entry with another link', 'chain_broken', (site) => {
    editEntry(site, 300, (entry) => ({ ...entry, prev: 'ab'.repeat(32) }));
  }),
  served('an entry that is not canonical', 'entry_malformed', (site) => {
    editBundle(site, '/tile/entries/001', (entries) =>
      entries.map((bytes, i) =>
        i === 44 ? formatUtf8(parseUtf8(bytes).replace('"v":1}', '"v": 1}')) : bytes,
      ),
    );
  }),
  served('a tile that is not there', 'tile_missing', (site) => {
    site.delete('/tile/0/001');
  }),
  served('a tile with two hashes exchanged', 'tile_differs', (site) => {
    edit(site, '/tile/0/001', (body) => {
      const out = new Uint8Array(body);
      out.set(body.subarray(32, 64), 0);
      out.set(body.subarray(0, 32), 32);
      return out;
    });
  }),
  served(
    'an answer with another value',
    'api_differs',
    (site) => {
      edit(site, '/indices/LAYOFFS', (body) =>
        formatUtf8(
          parseUtf8(body).replace(/"value":(\d)/, (_, digit) => `"value":${9 - Number(digit)}`),
        ),
      );
    },
    '/indices/LAYOFFS /',
  ),
  served(
    'a history with a line changed',
    'api_differs',
    (site) => {
      edit(site, '/indices/LAYOFFS/history.csv', (body) =>
        formatUtf8(parseUtf8(body).replace('2026-12-26', '2026-12-27')),
      );
    },
    'history.csv line ',
  ),
  served('an answer with a member more', 'api_differs', (site) => {
    edit(site, '/indices/LAYOFFS/rule', (body) =>
      formatUtf8(parseUtf8(body).replace('{', '{"approved":true,')),
    );
  }),
  served('the same answer in other words', 'api_differs', (site) => {
    edit(site, '/indices/LAYOFFS/rule', (body) => formatUtf8(`${parseUtf8(body)} `));
  }),
  {
    name: 'a void that is answered as found',
    code: 'api_differs',
    async verdict({ published }) {
      const site = siteOf(published);
      const path = '/indices/LAYOFFS/report?period=2026-09-05';
      site.set(path, { ...(site.get(path) as never as Loose), status: 200 } as never);
      // It is an older week: those are asked for where the answers are files.
      return judge({ kind: 'log', reader: siteReader(site, false) });
    },
  },
  served(
    'an answer for a log that nobody has seen',
    'api_differs',
    (site) => {
      const path = '/indices';
      site.set(path, { ...(site.get(path) as never as Loose), logSize: 100_000 } as never);
    },
    'Assay-Log-Size',
  ),
  served('an answer that is not there', 'api_missing', (site) => {
    site.delete('/indices/LAYOFFS/history.csv');
    site.set('/indices/LAYOFFS/history.csv', {
      status: 404,
      body: new Uint8Array(0),
      logSize: (site.get('/indices') as Loose)['logSize'],
    });
  }),
  served('an answer without its size', 'api_no_size', (site) => {
    site.set('/indices', {
      ...(site.get('/indices') as never as Loose),
      logSize: undefined,
    } as never);
  }),
  served('an answer for an older log', 'api_behind', (site) => {
    site.set('/indices', { ...(site.get('/indices') as never as Loose), logSize: 3 } as never);
  }),
];

const FOLDERS: readonly Misdeed[] = [
  stored('a row of no part', 'row_unknown', (folder) => {
    folder.rows.push({ part: 'unknown', key: formatUtf8('x') });
  }),
  stored('a view row that is not there', 'view_missing', (folder) => {
    folder.rows.splice(
      folder.rows.findIndex(({ part }) => part === 'view'),
      1,
    );
  }),
  stored('a view row too many', 'view_unknown', (folder) => {
    folder.rows.push({
      part: 'view',
      table: 'periods/LAYOFFS',
      key: '2031-01-04',
      value: wireBytes({}),
      digest: rowDigest(nodeSha256, 'periods/LAYOFFS', '2031-01-04', wireBytes({})),
    });
  }),
  stored('a view row changed', 'view_differs', (folder) => {
    const at = folder.rows.findIndex(
      (row) => row.part === 'view' && row.table === 'periods/LAYOFFS',
    );
    folder.rows[at] = { ...(folder.rows[at] as Loose), value: wireBytes({}) } as never;
  }),
  stored('no head', 'head_differs', (folder) => {
    folder.rows.splice(
      folder.rows.findIndex(({ part }) => part === 'head'),
      1,
    );
  }),
  stored('a head of another size', 'head_differs', (folder) => {
    const at = folder.rows.findIndex(({ part }) => part === 'head');
    folder.rows[at] = { part: 'head', bytes: wireBytes({ root: 'ab'.repeat(32), size: 3 }) };
  }),
  stored('a tile row that is not there', 'tile_missing', (folder) => {
    folder.rows.splice(
      folder.rows.findIndex(({ part }) => part === 'tile'),
      1,
    );
  }),
  stored('a tile row too many', 'tile_differs', (folder) => {
    folder.rows.push({ part: 'tile', level: 0, index: 2, bytes: new Uint8Array(8192) });
  }),
  stored('an entry row that is not there', 'entry_missing', (folder) => {
    folder.rows.splice(100, 1);
  }),
  stored('an entry behind the head', 'guard_differs', (folder, { log }) => {
    const longer = publish(
      relink([...log.entries, log.entries[3] as Uint8Array]),
      log.blobs,
      log.checkpoints,
    );
    const size = log.entries.length;
    folder.rows.splice(size, 0, {
      part: 'entry',
      seq: size,
      bytes: longer.entries[size] as Uint8Array,
    });
  }),
  stored('no guard', 'guard_missing', (folder) => {
    folder.guard = undefined;
  }),
  stored('a guard of another history', 'guard_differs', (folder, { log }) => {
    const entries = relink(log.entries.toSpliced(400, 1));
    folder.guard = publish(entries, log.blobs, log.checkpoints).checkpoint;
  }),
  {
    ...stored('a guard of as many entries and another root', 'guard_differs', (folder, { log }) => {
      const last = log.entries.at(-1) as Uint8Array;
      const entries = relink([...log.entries.toSpliced(400, 1), last]);
      folder.guard = publish(entries, log.blobs, log.checkpoints).checkpoint;
    }),
    place: 'size ',
  },
  stored('a tile row of other bytes', 'tile_differs', (folder) => {
    const at = folder.rows.findIndex(({ part }) => part === 'tile');
    folder.rows[at] = { ...(folder.rows[at] as Loose), bytes: new Uint8Array(8192) } as never;
  }),
  {
    name: 'a folder of another history, guard and all',
    code: 'history_changed',
    verdict({ log, pin }) {
      const forge = new Forge(log);
      const { draft } = forge.newest(
        ({ kind, body }) => kind === 'note/1' && body['text'].startsWith('Week 2025'),
      );
      draft.body['text'] = 'This was never said.';
      return judgeFolder(folderOf(forge.publish()), {}, pinned(pin));
    },
  },
  stored('a guard signed by a stranger', 'checkpoint_unsigned', (folder, { published, log }) => {
    const stranger = checkpointSigner(nodeSha256, log.origin, signerFrom('a stranger'));
    folder.guard = publish(published.entries, log.blobs, stranger).checkpoint;
  }),
  {
    name: 'a folder of nothing',
    code: 'genesis_misplaced',
    verdict: ({ published }) =>
      judgeFolder({ rows: [], guard: published.checkpoint, blobs: new Map() }),
  },
  {
    name: 'a folder that went back, guard and all',
    code: 'log_shrunk',
    verdict({ log, pin }) {
      const entries = log.entries.slice(0, PINNED - 20);
      return judgeFolder(folderOf(publish(entries, log.blobs, log.checkpoints)), {}, pinned(pin));
    },
  },
];

const BUNDLES: readonly Misdeed[] = [
  {
    name: 'a file that is no bundle',
    code: 'bundle_malformed',
    verdict: () => judge({ kind: 'bundle', bytes: formatUtf8('{"type":"assay-bundle/1"}') }),
  },
  bundled('a section that this version does not check', 'bundle_malformed', (bundle) => {
    bundle['account'] = {};
  }),
  bundled('headers without a proof', 'bundle_malformed', (bundle) => {
    bundle['headers'] = [{ height: 1, headers: '00'.repeat(560) }];
  }),
  bundled('a proof that is none', 'bundle_incomplete', (bundle) => {
    bundle['ots'] = { checkpoint: 'AA==', inclusion: [] };
  }),
  bundled('statements, which this version does not check', 'bundle_malformed', (bundle) => {
    bundle['statements'] = [{}];
  }),
  bundled('a member that no bundle has', 'bundle_malformed', (bundle) => {
    bundle['approved'] = true;
  }),
  bundled('a blob that nothing needs', 'bundle_malformed', (bundle, { published }) => {
    const used = new Set((bundle['blobs'] as Loose[]).map(({ sha256 }) => sha256 as string));
    const [hash, bytes] = [...published.blobs].find(([each]) => !used.has(each)) as [
      string,
      Uint8Array,
    ];
    bundle['blobs'].push({ sha256: hash, bytes: formatBase64(bytes) });
    bundle['blobs'].sort((a: Loose, b: Loose) => (a['sha256'] < b['sha256'] ? -1 : 1));
  }),
  bundled('blobs in another order', 'bundle_malformed', (bundle) => {
    bundle['blobs'].reverse();
  }),
  bundled('a blob twice', 'bundle_malformed', (bundle) => {
    bundle['blobs'].push(bundle['blobs'].at(-1));
  }),
  bundled('entries in another order', 'bundle_malformed', (bundle) => {
    bundle['entries'].reverse();
  }),
  bundled(
    'another report beside the one that it is about',
    'bundle_malformed',
    (bundle, { published }) => {
      bundle['entries'].push(proven(published, nextReport(published, bundle)));
      bundle['entries'].sort((a: Loose, b: Loose) => a['seq'] - b['seq']);
    },
  ),
  bundled(
    'an entry that has nothing to do with it',
    'bundle_malformed',
    (bundle, { published }) => {
      bundle['entries'].push(proven(published, published.entries.length - 1));
    },
  ),
  bundled('no report', 'bundle_incomplete', (bundle) => {
    bundle['entries'].pop();
  }),
  bundled('no rule', 'bundle_incomplete', (bundle) => {
    bundle['entries'].shift();
  }),
  bundled('another rule than the report names', 'bundle_incomplete', (bundle, { published }) => {
    bundle['entries'][0] = proven(published, 1);
  }),
  bundled('another report than the one named', 'bundle_incomplete', (bundle) => {
    bundle['report'] = 'ab'.repeat(32);
  }),
  bundled('a blob that is not there', 'blob_missing', (bundle) => {
    bundle['blobs'].pop();
  }),
  bundled('a blob of other bytes', 'blob_differs', (bundle) => {
    bundle['blobs'][0].bytes = formatBase64(formatUtf8('other'));
  }),
  {
    name: 'a true bundle of another period than was asked for',
    code: 'bundle_other',
    verdict({ bundle }) {
      const number = { index: 'LAYOFFS', period: '2025-04-26' };
      return judge({ kind: 'bundle', bytes: wireBytes(bundle) }, {}, { number });
    },
  },
  bundled('another print', 'print_differs', (bundle) => {
    bundle['print'] = bundle['print'].replace(
      /^.{208}../,
      (all: string) => `${all.slice(0, -2)}ff`,
    );
  }),
  bundled('another signature', 'report_bad_signature', (bundle) => {
    bundle['signatures'][0].signature = 'ab'.repeat(64);
  }),
  bundled('a signature of another key', 'report_bad_signature', (bundle) => {
    bundle['signatures'][0].key = 'ab'.repeat(32);
  }),
  bundled('a signature too many', 'report_bad_signature', (bundle) => {
    bundle['signatures'].push(bundle['signatures'][0]);
  }),
  bundled('a proof for another entry', 'proof_invalid', (bundle, { published }) => {
    bundle['entries'][1].proof = proven(published, bundle['entries'][1].seq - 1).proof;
  }),
  bundled('a proof cut short', 'proof_invalid', (bundle) => {
    bundle['entries'][1].proof.pop();
  }),
  bundled('a report at another place of the log', 'proof_invalid', (bundle) => {
    bundle['entries'][1].seq += 1;
  }),
  bundled('another genesis', 'proof_invalid', (bundle, { other }) => {
    bundle['genesis'].bytes = formatBase64(other.entries[0] as Uint8Array);
  }),
  bundled('a genesis that is none', 'genesis_misplaced', (bundle) => {
    bundle['genesis'].bytes = bundle['entries'][0].bytes;
  }),
  bundled('an entry that is none', 'proof_invalid', (bundle) => {
    bundle['entries'][1].bytes = formatBase64(formatUtf8('{}'));
  }),
  {
    name: 'a leaf that is no entry',
    code: 'entry_malformed',
    async verdict({ published, log, bundle }) {
      const seq = (bundle.entries[1] as Loose)['seq'] as number;
      const entries = published.entries.with(seq, formatUtf8('{}'));
      return judgeBundle(rebundled(bundle, publish(entries, log.blobs, log.checkpoints)));
    },
  },
  {
    name: 'an entry with the number of another',
    code: 'entry_out_of_order',
    async verdict({ published, log, bundle }) {
      const seq = (bundle.entries[1] as Loose)['seq'] as number;
      const entry = parseEntry(published.entries[seq] as Uint8Array);
      const entries = published.entries.with(seq, formatEntry({ ...entry, seq: seq + 1 }));
      return judgeBundle(rebundled(bundle, publish(entries, log.blobs, log.checkpoints)));
    },
  },
  {
    name: 'a report that is older than its rule',
    code: 'time_decreases',
    async verdict({ published, log, bundle }) {
      const seq = (bundle.entries[1] as Loose)['seq'] as number;
      const entry = parseEntry(published.entries[seq] as Uint8Array);
      const at = '2025-05-01T00:00:00Z' as never;
      const entries = published.entries.with(seq, formatEntry({ ...entry, at }));
      return judgeBundle(rebundled(bundle, publish(entries, log.blobs, log.checkpoints)));
    },
  },
  {
    name: 'an entry of a kind that this version does not know',
    code: 'not_understood',
    async verdict({ published, log, bundle }) {
      const seq = (bundle.entries[1] as Loose)['seq'] as number;
      const entry = parseEntry(published.entries[seq] as Uint8Array);
      const entries = published.entries.with(seq, formatEntry({ ...entry, kind: 'report/2' }));
      return judgeBundle(rebundled(bundle, publish(entries, log.blobs, log.checkpoints)));
    },
  },
  rebanded('a band that its z does not have', '/band', (report) => {
    report['band'] = report['band'] === 'very_high' ? 'very_low' : 'very_high';
  }),
  rebanded('a band that its rule does not name', '/band', (report) => {
    report['band'] = 'unheard_of';
  }),
  rebanded(
    'a z in the first period of an index',
    '/z',
    (report, forge) => {
      const { rule } = forge.newest(({ kind }) => kind === 'rule/1').draft.body;
      rule.applies_from = report['period'];
      report['rule'].hash = ruleHash(nodeSha256, rule);
      Object.assign(report, { z: '0.4', band: 'normal' });
    },
    8,
  ),
  {
    name: 'a checkpoint that is none',
    code: 'checkpoint_malformed',
    verdict: ({ bundle }) => judgeBundle({ ...bundle, checkpoint: 'hello\n' }),
  },
  {
    name: 'a checkpoint of the same size as the pinned one and another root',
    code: 'history_changed',
    verdict: ({ bundle, published, pin }) =>
      judge(
        { kind: 'bundle', bytes: wireBytes(bundle) },
        {},
        pinned({ ...pin, size: published.entries.length }),
      ),
  },
  bundledForgery('a final with another value', 'report_not_reproduced', (report) => {
    report['value'] = String(Number(report['value']) + 1000);
  }),
  bundledForgery('a final with another value in its reads too', 'read_differs', (report) => {
    report['value'] = String(Number(report['value']) + 1000);
    for (const read of report['reads']) read.value = report['value'];
  }),
  bundledForgery(
    'a final that does not settle and says it does not',
    'report_not_reproduced',
    (report) => {
      report['settleable'] = false;
    },
  ),
  bundledForgery('a final of other co-signers', 'report_not_reproduced', (report) => {
    report['cosigners'].required = 3;
  }),
  bundledForgery('a final for another log', 'report_log', (report) => {
    report['log'] = 'ab'.repeat(32);
  }),
  bundledForgery('a final read after it was published', 'report_times', (report) => {
    report['reads'][0].read_at = '2030-01-01T00:00:00Z';
  }),
  bundledForgery('a final from before the rule applies', 'rule_mismatch', (report) => {
    report['period'] = '2026-07-04';
  }),
  bundledForgery('a correction without a quorum', 'report_not_due', (report) => {
    Object.assign(report, { status: 'corrected', issue: 1, settleable: false });
    Object.assign(report['reads'][1], { outcome: 'timeout', value: null, snapshot: null });
  }),
  bundledForgery(
    'a final under a rule that keeps no bytes',
    'rule_not_allowed',
    (report, forge) => {
      const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
      draft.body['rule'].providers[1].retain = 'hash';
      report['rule'].hash = hashHex(
        nodeSha256(formatWire(draft.body['rule'] as WireObject)) as Hash,
      );
    },
  ),
  bundledForgery('a final that names another version of its rule', 'rule_mismatch', (report) => {
    report['rule'].version = 1;
  }),
  bundledForgery('a void before its time', 'report_not_due', (report) => {
    const empty = { value: null, dispersion: null, z: null, band: null, settleable: false };
    Object.assign(report, { status: 'void', reason: 'late', ...empty });
    for (const read of report['reads']) {
      Object.assign(read, { outcome: 'unreachable', value: null, snapshot: null });
    }
  }),
  bundledForgery('a report from before the release', 'report_not_due', (report) => {
    Object.assign(report, { published_at: '2027-04-08T12:00:00Z' });
    for (const read of report['reads']) read.read_at = '2027-04-08T12:00:00Z';
  }),
  bundledForgery('a final read before the release', 'report_not_due', (report) => {
    for (const read of report['reads']) read.read_at = '2027-04-08T12:29:59Z';
  }),
  bundledForgery('a final under a rule made afterwards', 'rule_mismatch', (report, forge) => {
    const { draft, seq } = forge.newest(({ kind }) => kind === 'rule/1');
    draft.at = String(report['published_at']);
    for (const each of forge.drafts.slice(seq)) if (each.at < draft.at) each.at = draft.at;
  }),
  bundledForgery(
    'a final under a rule of the other network',
    'rule_not_allowed',
    (report, forge) => {
      const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
      draft.body['rule'].network = 'production';
      report['rule'].hash = hashHex(
        nodeSha256(formatWire(draft.body['rule'] as WireObject)) as Hash,
      );
    },
  ),
  bundledForgery(
    'a level shown under a rule that withholds it',
    'report_not_reproduced',
    (report, forge) => {
      const { draft } = forge.newest(({ kind }) => kind === 'rule/1');
      withhold(draft.body['rule'] as Loose);
      report['rule'].hash = hashHex(
        nodeSha256(formatWire(draft.body['rule'] as WireObject)) as Hash,
      );
    },
  ),
];

export const MISDEEDS: readonly Misdeed[] = [
  ...ENTRY_BODIES,
  ...RULES,
  ...REPORTS,
  ...READS,
  ...REVISIONS,
  ...SERVERS,
  ...FOLDERS,
  ...BUNDLES,
  ...CLOSED_MISDEEDS,
  ...ROTATED_MISDEEDS,
  ...INDEXED_MISDEEDS,
  ...TERMINAL_MISDEEDS,
  ...ANCHORED_MISDEEDS,
  ...CHAINED_MISDEEDS,
  ...WITNESSED_MISDEEDS,
];

/** Makes a rule one whose terms keep the level out of the log. */
function withhold(rule: Loose): void {
  rule['grade'] = 'C';
  Object.assign(rule['rights'], { level: 'withhold', settlement: 'no' });
  Object.assign(rule['revision'], { provider: null, freeze_after_s: 0 });
  rule['listing'].no_kit = 'The level is withheld.';
  for (const provider of rule['providers'] as Loose[]) provider['retain'] = 'none';
}

/** The bundle of the newest final of a log as long as `size`, after its publisher has changed it and what is before it. */
function rebanded(
  name: string,
  place: string,
  change: (report: Loose, forge: Forge) => void,
  size?: number,
): Misdeed {
  return {
    name,
    code: 'report_not_reproduced',
    place,
    async verdict({ log }) {
      const forge = new Forge(log, size);
      const { draft } = forge.report('final');
      const report = draft.body['report'] as Loose;
      change(report, forge);
      forge.sign(draft);
      return judgeBundle(await bundleOf(forge.publish(), report['period']));
    },
  };
}

/** The same bundle over another log: its proofs and its checkpoint. */
function rebundled(bundle: Bundle, published: Published): Loose {
  return {
    ...bundle,
    genesis: proven(published, 0),
    entries: bundle.entries.map(({ seq }) => proven(published, seq)),
    checkpoint: parseUtf8(published.checkpoint),
  };
}

function pinned(pin: Pin): { readonly pins: () => Promise<Pin> } {
  return { pins: async () => pin };
}

function resign(note: LooseNote, log: SampleLog): void {
  const [own] = note.signatures as [Loose];
  note.signatures = [{ ...own, signature: log.keys.checkpoint.sign(formatUtf8(note.text)) }];
}

/** The manifest of the newest final's first read. */
function someSnapshot(published: Published): string {
  const drafts = published.entries.map((bytes) => parseEntry(bytes).body as Loose);
  const final = drafts.findLast((body) => body['report']?.status === 'final');
  return final?.['report'].reads[0].snapshot as string;
}

/** A report that stands behind the one of a bundle, or before it. */
function nextReport(published: Published, bundle: Loose): number {
  return published.entries.findLastIndex((bytes, seq) => {
    return seq < bundle['entries'][1].seq && parseEntry(bytes).kind === 'report/1';
  });
}
