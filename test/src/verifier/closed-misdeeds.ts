import { closeHash, closeMessage, type CloseContent } from '@assay/core/close';
import { hashHex, leafHash, type HashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { formatUtf8 } from '@assay/core/utf8';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { FindingCode } from '@assay/verifier/finding';
import type { Answer } from '@assay/verifier/log-reader';
import { closedLog } from './closed-log.ts';
import { Forge, type Loose, type LooseDraft, noteDraft } from './forge.ts';
import type { Misdeed } from './misdeeds.ts';
import { folderOf, judgeFolder, judgeSite, publish, type Site, siteOf } from './published.ts';

/** Signs a draft's Close as it stands now. */
function signClose(forge: Forge, draft: LooseDraft, signer: Signer = forge.log.keys.report): void {
  const content = draft.body['content'] as CloseContent;
  const log = hashHex(leafHash(nodeSha256, forge.log.entries[0] as Uint8Array));
  const message = closeMessage(log, content.day, closeHash(nodeSha256, content));
  draft.body['signature'] = formatHex(signer.sign(message));
}

const isClose = ({ kind }: LooseDraft): boolean => kind === 'close/1';

/** The newest first version of a Close, or its replacement. */
function closeOf(
  forge: Forge,
  version: number,
): { readonly draft: LooseDraft; readonly seq: number } {
  return forge.newest((draft) => isClose(draft) && draft.body['version'] === version);
}

function reportOf(
  forge: Forge,
  ticker: string,
  wanted: (report: Loose) => boolean,
): { readonly draft: LooseDraft; readonly report: Loose; readonly seq: number } {
  const { draft, seq } = forge.newest(
    ({ body }) => body['report']?.ticker === ticker && wanted(body['report'] as Loose),
  );
  return { draft, report: draft.body['report'] as Loose, seq };
}

/** A misdeed of somebody who holds every key, on the log with Closes; in a folder where that is said. */
function forged(
  name: string,
  code: FindingCode,
  change: (forge: Forge) => void,
  place?: string,
): readonly Misdeed[] {
  const make = async () => {
    const forge = new Forge(await closedLog());
    change(forge);
    return forge.publish();
  };
  const common = { code, ...(place === undefined ? {} : { place }) };
  return [
    { ...common, name, verdict: async () => judgeSite(siteOf(await make())) },
    {
      ...common,
      name: `${name}, in a folder`,
      verdict: async () => judgeFolder(folderOf(await make())),
    },
  ];
}

function served(
  name: string,
  code: FindingCode,
  change: (site: Site) => void,
  place?: string,
): readonly Misdeed[] {
  return [
    {
      name,
      code,
      ...(place === undefined ? {} : { place }),
      async verdict() {
        const { entries, blobs, checkpoints } = await closedLog();
        const site = siteOf(publish(entries, blobs, checkpoints));
        change(site);
        return judgeSite(site);
      },
    },
  ];
}

function edit(site: Site, path: string, change: (body: Loose) => void): void {
  const answer = site.get(path);
  if (answer === undefined) throw new TypeError(`no ${path}`);
  const body = JSON.parse(new TextDecoder().decode(answer.body)) as Loose;
  change(body);
  site.set(path, { ...answer, body: formatUtf8(JSON.stringify(body)) });
}

/** A change of the newest Close's content, signed again. */
function closed(
  name: string,
  code: FindingCode,
  change: (content: Loose, body: Loose, forge: Forge) => void,
  place?: string,
): readonly Misdeed[] {
  return forged(
    name,
    code,
    (forge) => {
      const { draft } = closeOf(forge, 1);
      change(draft.body['content'] as Loose, draft.body, forge);
      signClose(forge, draft);
    },
    place,
  );
}

const CLOSES: readonly Misdeed[] = [
  ...closed('a Close of another day than the one it replaces', 'close_not_due', (content) => {
    content['day'] = '2026-07-29';
  }),
  ...forged('a Close of the day that is not over', 'close_not_due', (forge) => {
    const { draft } = closeOf(forge, 0);
    draft.body['content'].day = '2026-07-31';
    signClose(forge, draft);
  }),
  ...forged('a Close of a day that was missed', 'close_not_due', (forge) => {
    const { draft } = closeOf(forge, 0);
    draft.body['content'].day = '2026-07-28';
    signClose(forge, draft);
  }),
  ...forged('a Close of a log without a print', 'close_not_due', (forge) => {
    const { draft } = closeOf(forge, 0);
    const early = structuredClone(draft);
    early.at = '2026-07-01T00:00:00Z';
    early.body['content'].day = '2026-06-30';
    signClose(forge, early);
    const at = forge.drafts.findIndex(({ kind }) => kind === 'report/1');
    forge.drafts.splice(at, 0, early);
  }),
  ...forged('a second Close of a day that nothing changed', 'close_not_due', (forge) => {
    const { draft } = closeOf(forge, 1);
    const again = structuredClone(draft);
    again.body['supersedes'] = closeHash(nodeSha256, draft.body['content'] as CloseContent);
    again.body['version'] = 2;
    signClose(forge, again);
    forge.drafts.push(again);
  }),
  ...forged('the same Close twice', 'close_not_due', (forge) => {
    forge.drafts.push(structuredClone(closeOf(forge, 1).draft));
  }),
  ...forged('a replacement of an older day', 'close_not_due', (forge) => {
    const draft = structuredClone(forge.newest((each) => isClose(each)).draft);
    const old = forge.drafts.find(isClose) as LooseDraft;
    draft.body['content'].day = old.body['content'].day;
    draft.body['supersedes'] = closeHash(nodeSha256, old.body['content'] as CloseContent);
    signClose(forge, draft);
    forge.drafts.push(draft);
  }),
  ...closed('a Close with an index left out', 'close_not_reproduced', (content) => {
    content['items'].shift();
  }),
  ...closed(
    'a Close with an index more',
    'close_not_reproduced',
    (content) => {
      content['items'].unshift({ ...content['items'][0], ticker: 'AAA' });
    },
    '/items/0',
  ),
  ...closed(
    'a Close with another value',
    'close_not_reproduced',
    (content) => {
      content['items'][1].value = '197000';
    },
    '/items/1/value',
  ),
  ...closed(
    'a Close with a value for a withheld level',
    'close_not_reproduced',
    (content) => {
      content['items'][0].value = '5';
    },
    '/items/0/value',
  ),
  ...closed(
    'a Close of an older period',
    'close_not_reproduced',
    (content) => {
      content['items'][1].period = '2026-07-18';
    },
    '/items/1/period',
  ),
  ...closed(
    'a Close that names the report that was corrected',
    'close_not_reproduced',
    (content, _body, forge) => {
      content['items'][1].report = closeOf(forge, 0).draft.body['content'].items[1].report;
    },
    '/items/1/report',
  ),
  ...closed(
    'a Close with another hash of a file',
    'close_not_reproduced',
    (content) => {
      content['files'][1].sha256 = 'ab'.repeat(32);
    },
    '/files/1/sha256',
  ),
  ...closed(
    'a Close with a file left out',
    'close_not_reproduced',
    (content) => {
      content['files'].pop();
    },
    '/files/3',
  ),
  ...closed(
    'a Close with a file under another name',
    'close_not_reproduced',
    (content) => {
      content['files'][3].path = '2026-07-30/v1/zzz.json';
    },
    '/files/3/path',
  ),
  ...closed(
    'a Close that names another than the one it replaces',
    'close_not_reproduced',
    (_content, body) => {
      body['supersedes'] = 'ab'.repeat(32);
    },
    '/supersedes',
  ),
  ...closed(
    'a Close with a version left out',
    'close_not_reproduced',
    (_content, body) => {
      body['version'] = 2;
    },
    '/version',
  ),
  ...forged('a print of the next day in a Close', 'close_not_reproduced', (forge) => {
    // Whoever waits may choose: the Close of a day is what the day ended with.
    const { draft, seq } = closeOf(forge, 0);
    const late = forge.drafts.slice(0, seq).findLastIndex(({ kind }) => kind === 'report/1');
    draft.body['content'].day = '2026-07-29';
    draft.at = (forge.drafts[late] as LooseDraft).at;
    for (const file of draft.body['content'].files as Loose[]) {
      file['path'] = String(file['path']).replace('2026-07-30', '2026-07-29');
    }
    signClose(forge, draft);
    forge.drafts.splice(seq + 1);
  }),
  ...forged('a Close signed with the checkpoint key', 'close_bad_signature', (forge) => {
    signClose(forge, closeOf(forge, 1).draft, forge.log.keys.checkpoint);
  }),
  ...forged('a Close whose signature is another’s', 'close_bad_signature', (forge) => {
    const { draft } = closeOf(forge, 1);
    draft.body['signature'] = closeOf(forge, 0).draft.body['signature'];
  }),
  ...forged('a Close changed under its signature', 'close_bad_signature', (forge) => {
    closeOf(forge, 1).draft.body['content'].items[1].value = '197000';
  }),
  ...forged('a Close between a report and its revisions', 'revision_missing', (forge) => {
    const at = forge.drafts.findIndex(
      ({ kind }, i) => kind === 'revision/1' && forge.drafts[i - 1]?.kind === 'report/1',
    );
    const before = forge.drafts[at - 1] as LooseDraft;
    const close = structuredClone(closeOf(forge, 0).draft);
    forge.drafts.splice(at, 0, { ...close, at: before.at });
  }),
];

/** A change of the one correction, signed again. */
function corrected(
  name: string,
  code: FindingCode,
  change: (report: Loose, forge: Forge) => void,
  place?: string,
): readonly Misdeed[] {
  return forged(
    name,
    code,
    (forge) => {
      const { draft, report } = reportOf(forge, 'LAYOFFS', ({ status }) => status === 'corrected');
      change(report, forge);
      forge.sign(draft);
    },
    place,
  );
}

const CORRECTIONS: readonly Misdeed[] = [
  ...corrected(
    'a correction of another number',
    'report_not_reproduced',
    (report) => {
      report['issue'] = 2;
    },
    '/issue',
  ),
  ...corrected('a correction without a quorum', 'report_not_due', (report) => {
    Object.assign(report['reads'][1], { outcome: 'timeout', value: null, snapshot: null });
  }),
  ...corrected('a correction that may be settled on', 'entry_malformed', (report) => {
    report['settleable'] = true;
  }),
  ...corrected(
    'a correction with a z of its own',
    'report_not_reproduced',
    (report) => {
      Object.assign(report, { z: '1.0', band: 'normal' });
    },
    '/z',
  ),
  ...corrected('a correction that says the same number', 'report_not_due', (report, forge) => {
    const final = reportOf(
      forge,
      'LAYOFFS',
      ({ status, period }) => status === 'final' && period === report['period'],
    ).report;
    report['value'] = final['value'];
    for (const [i, read] of (report['reads'] as Loose[]).entries()) {
      read['value'] = final['reads'][i].value;
      read['snapshot'] = final['reads'][i].snapshot;
    }
  }),
  ...corrected(
    'a correction of a report that is not the newest',
    'report_not_reproduced',
    (report) => {
      report['supersedes'] = 'ab'.repeat(32);
    },
    '/supersedes',
  ),
  ...corrected(
    'a correction from reads older than the final',
    'report_not_due',
    (report, forge) => {
      const [final] = [reportOf(forge, 'LAYOFFS', ({ status }) => status === 'final').report];
      for (const read of report['reads'] as Loose[]) read['read_at'] = final['reads'][0].read_at;
    },
  ),
  ...corrected(
    'a correction with another value than its reads',
    'report_not_reproduced',
    (report) => {
      report['value'] = '196000';
    },
  ),
  ...corrected('a correction with another value in its reads too', 'read_differs', (report) => {
    report['value'] = '196000';
    for (const read of report['reads'] as Loose[]) read['value'] = '196000';
  }),
  ...forged('a correction of a period that is not final', 'report_not_due', (forge) => {
    const { draft, report, seq } = reportOf(
      forge,
      'LAYOFFS',
      ({ status }) => status === 'corrected',
    );
    const first = forge.drafts.findIndex(
      ({ body }) =>
        body['report']?.ticker === 'LAYOFFS' &&
        body['report'].status === 'final' &&
        body['report'].period === report['period'],
    );
    forge.drafts.splice(first, seq - first);
    forge.sign(draft);
  }),
  ...forged('a correction of a withheld level', 'report_not_due', (forge) => {
    const { draft, report } = reportOf(forge, 'HIDDEN', ({ status }) => status === 'final');
    const at = (forge.drafts.at(-1) as LooseDraft).at;
    const again = structuredClone(draft);
    Object.assign(again.body['report'], {
      status: 'corrected',
      issue: 1,
      supersedes: 'ab'.repeat(32),
      published_at: at,
    });
    for (const read of again.body['report'].reads as Loose[]) read['read_at'] = at;
    again.at = at;
    forge.sign(again);
    forge.drafts.push(again, noteDraft(at, `after ${report['period']}`));
  }),
];

/** A change of a report of the withheld index, signed again. */
function withheld(
  name: string,
  code: FindingCode,
  wanted: (report: Loose) => boolean,
  change: (report: Loose, forge: Forge) => void,
  place?: string,
): readonly Misdeed[] {
  return forged(
    name,
    code,
    (forge) => {
      const { draft, report } = reportOf(forge, 'HIDDEN', wanted);
      change(report, forge);
      forge.sign(draft);
    },
    place,
  );
}

const final = ({ status }: Loose): boolean => status === 'final';
const withZ = ({ z }: Loose): boolean => z !== null;
const withoutZ = ({ z, status }: Loose): boolean => z === null && status === 'final';
const provisional = ({ status }: Loose): boolean => status === 'provisional';

const WITHHELD: readonly Misdeed[] = [
  ...withheld('a withheld report with its value', 'entry_malformed', final, (report) => {
    report['value'] = '987654321098';
  }),
  ...withheld('a withheld report with the value of a read', 'entry_malformed', final, (report) => {
    report['reads'][0].value = '987654321098';
  }),
  ...withheld('a withheld report with its dispersion', 'entry_malformed', final, (report) => {
    report['dispersion'] = '0';
  }),
  ...withheld('a withheld report without a commitment', 'entry_malformed', final, (report) => {
    report['commitment'] = null;
  }),
  ...withheld('a withheld report that settles', 'entry_malformed', final, (report) => {
    report['settleable'] = true;
  }),
  ...withheld(
    'a level shown that the terms withhold',
    'report_not_reproduced',
    final,
    (report) => {
      Object.assign(report, { withheld: false, commitment: null, value: '1', dispersion: '0' });
      for (const read of report['reads'] as Loose[]) read['value'] = '1';
    },
    '/value',
  ),
  ...withheld(
    'a band that does not hold its z',
    'report_not_reproduced',
    withZ,
    (report) => {
      report['band'] = report['band'] === 'normal' ? 'high' : 'normal';
    },
    '/band',
  ),
  ...withheld(
    'a withheld z of another band',
    'report_not_reproduced',
    withZ,
    (report) => {
      report['z'] = '-50.0';
    },
    '/band',
  ),
  ...withheld(
    'a withheld z against too few finals',
    'report_not_reproduced',
    withoutZ,
    (report) => {
      Object.assign(report, { z: '0.1', band: 'normal' });
    },
    '/z',
  ),
  ...withheld(
    'a withheld final without its quorum',
    'report_not_reproduced',
    final,
    (report) => {
      Object.assign(report['reads'][1], { outcome: 'timeout', snapshot: null });
    },
    '/status',
  ),
  ...withheld(
    'a withheld provisional whose one read differs from itself',
    'report_not_reproduced',
    provisional,
    (report) => {
      report['reason'] = 'dispersion';
    },
    '/reason',
  ),
  ...withheld(
    'a withheld provisional in a window that there is not',
    'report_not_reproduced',
    provisional,
    (report) => {
      report['reason'] = 'freeze_window';
    },
    '/reason',
  ),
  ...withheld(
    'a withheld sum out of range, of one group',
    'report_not_reproduced',
    final,
    (report) => {
      const empty = { commitment: null, z: null, band: null, settleable: false };
      Object.assign(report, { status: 'void', reason: 'out_of_range', ...empty });
    },
    '/status',
  ),
  ...withheld('a withheld void before its time', 'report_not_reproduced', final, (report) => {
    Object.assign(report, {
      status: 'void',
      reason: 'late',
      commitment: null,
      z: null,
      band: null,
    });
  }),
  ...withheld('a withheld provisional that was final', 'report_not_reproduced', final, (report) => {
    Object.assign(report, { status: 'provisional', reason: 'no_quorum' });
  }),
  ...forged('a commitment changed under its signature', 'report_bad_signature', (forge) => {
    reportOf(forge, 'HIDDEN', final).report['commitment'] = 'ab'.repeat(32);
  }),
  ...forged('a withheld z changed under its signature', 'report_bad_signature', (forge) => {
    const { report } = reportOf(forge, 'HIDDEN', withZ);
    report['z'] = report['z'] === '0.1' ? '0.2' : '0.1';
  }),
  ...forged('a revision of a withheld level', 'rule_mismatch', (forge) => {
    const { draft, report } = reportOf(forge, 'HIDDEN', final);
    const [read] = report['reads'] as Loose[];
    forge.drafts.push({
      at: (forge.drafts.at(-1) as LooseDraft).at,
      kind: 'revision/1',
      body: {
        ticker: 'HIDDEN',
        rule: draft.body['report'].rule.hash as HashHex,
        provider: read?.['provider'],
        snapshot: read?.['snapshot'],
        retain: 'none',
        read_at: read?.['read_at'],
        read_for: report['period'],
        rows: [{ period: '2026-06-27', value: '987654321098' }],
      },
    });
  }),
  ...withheld(
    'a withheld read whose bytes were kept',
    'request_differs',
    final,
    (report, forge) => {
      const [read] = report['reads'] as Loose[];
      const bytes = formatUtf8('week_ending,claims\n2026-07-25,987654350098\n');
      const page = { status: 200, sha256: forge.keep(bytes), length: bytes.length };
      const snapshot = forge.keepManifest(read?.['snapshot'] as string, {
        retain: 'bytes',
        pages: [{ ...page, content_type: 'text/plain' }],
      });
      Object.assign(read ?? {}, { snapshot });
    },
  ),
];

const HIDDEN_KIT = '/indices/hidden/listing.json';
const KIT = '/indices/LAYOFFS/listing.json';

const KITS: readonly Misdeed[] = [
  ...served(
    'a kit with other strikes',
    'api_differs',
    (site) => {
      edit(site, KIT, (kit) => {
        kit['strikes'][0] = '1';
      });
    },
    '/strikes/0',
  ),
  ...served(
    'a kit that resolves a tie the other way',
    'api_differs',
    (site) => {
      edit(site, KIT, (kit) => {
        kit['tie'].op = 'gt';
      });
    },
    '/tie/op',
  ),
  ...served('a kit with a member more', 'api_differs', (site) => {
    edit(site, KIT, (kit) => {
      kit['more'] = true;
    });
  }),
  ...served(
    'a kit whose places are none',
    'api_differs',
    (site) => {
      edit(site, KIT, (kit) => {
        kit['where'].mirror = 5;
      });
    },
    '/where',
  ),
  ...served('a kit refused for another print', 'api_missing', (site) => {
    const detail =
      'The print of LAYOFFS 2020-01-04 was due at 2020-01-09T13:30:00Z and is not there yet.';
    const body = formatUtf8(JSON.stringify({ error: 'no_kit', detail }));
    site.set(KIT, { ...(site.get(KIT) as Answer), status: 404, body });
  }),
  ...served('a kit with a place more', 'api_differs', (site) => {
    edit(site, KIT, (kit) => {
      kit['where'].more = 'https://assay.example';
    });
  }),
  ...served('a kit without places', 'api_differs', (site) => {
    edit(site, KIT, (kit) => {
      delete kit['where'];
    });
  }),
  ...served('a kit that is not served', 'api_missing', (site) => {
    site.delete(KIT);
    site.set(KIT, { status: 404, body: new Uint8Array(0), logSize: site.get('/indices')?.logSize });
  }),
  ...served('a kit without the size that it stands for', 'api_no_size', (site) => {
    site.delete(KIT);
  }),
  ...served('a kit that is no JSON', 'api_differs', (site) => {
    site.set(KIT, { ...(site.get(KIT) as Answer), body: formatUtf8('<!doctype html>') });
  }),
  ...served('a kit that is null', 'api_differs', (site) => {
    site.set(KIT, { ...(site.get(KIT) as Answer), body: formatUtf8('null') });
  }),
  ...served('a kit for a withheld level', 'api_differs', (site) => {
    site.set(HIDDEN_KIT, site.get(KIT) as Answer);
  }),
  ...served('another reason for offering none', 'api_differs', (site) => {
    edit(site, HIDDEN_KIT, (problem) => {
      problem['detail'] = 'It is not offered.';
    });
  }),
  ...served('an index denied that offers no kit', 'api_differs', (site) => {
    edit(site, HIDDEN_KIT, (problem) => {
      problem['error'] = 'not_found';
    });
  }),
  ...served(
    'a settlement file of other bytes',
    'blob_differs',
    (site) => {
      edit(site, '/settlement/2026-07-30/v1/LAYOFFS.json', (file) => {
        file['index'].periods[0].settlement_value = 1;
      });
    },
    '/settlement/2026-07-30/v1/LAYOFFS.json',
  ),
];

export const CLOSED_MISDEEDS: readonly Misdeed[] = [
  ...CLOSES,
  ...CORRECTIONS,
  ...WITHHELD,
  ...KITS,
];
