import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { formatBundle } from '@assay/core/proof/bundle';
import { formatHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import { leafHash, hashHex } from '@assay/core/hash/hash';
import { keyMessage, type KeyEntry } from '@assay/core/kind/key';
import { parseRule, ruleHash } from '@assay/core/rule/rule';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { keyHash } from '@assay/core/view/key/keys';
import { exportFile } from '@assay/core/answer/copy/export-file';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Forge, type Loose } from '../src/verifier/fixture/forge.ts';
import { bundleOf } from '../src/verifier/fixture/misdeeds.ts';
import { type Published, siteOf, youngLog } from '../src/verifier/fixture/published.ts';
import { type SampleLog, signerFrom } from '../src/verifier/fixture/sample-log.ts';

/** What a publisher with all its keys makes its source say, and how its rule reads it. */
export interface HostilePage {
  readonly name: string;
  readonly extract: readonly Loose[];
  readonly page: () => string;
}

const UTF8 = { op: 'utf8' };
const COUNT = { op: 'count' };
const ROWS = [UTF8, { op: 'json' }, { op: 'rows', ptr: '' }];

function repeated(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / piece.length));
}

function numbered(bytes: number, piece: (i: number) => string): string {
  const parts: string[] = [];
  for (let i = 0, length = 0; length < bytes; i += 1) {
    const part = piece(i);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

/** Pages of `megabytes`, each of a kind that costs its stage the most for a byte of it. */
export function hostilePages(megabytes: number): readonly HostilePage[] {
  const bytes = megabytes * 1_000_000;
  return [
    {
      name: 'XML, many attributes of one element',
      extract: [UTF8, { op: 'xml', rows: '/a/b' }, COUNT],
      page: () => `<a ${numbered(bytes, (i) => `a${i}="" `)}/>`,
    },
    {
      name: 'XML, blanks before many children (the attack of the review)',
      extract: [UTF8, { op: 'xml', rows: '/a/b' }, COUNT],
      page: () => `<a><b>${' '.repeat(bytes / 2)}${numbered(bytes / 2, (i) => `<c${i}/>`)}</b></a>`,
    },
    {
      name: 'JSON, as deep as it goes',
      extract: [...ROWS, COUNT],
      page: () => '['.repeat(bytes),
    },
    {
      name: 'JSON, many members of one object',
      extract: [...ROWS, COUNT],
      page: () => `{${numbered(bytes, (i) => `"${i}":1,`)}"x":1}`,
    },
    {
      name: 'CSV, many columns',
      extract: [UTF8, { op: 'csv', delimiter: ',' }, COUNT],
      page: () => numbered(bytes, (i) => `c${i},`).slice(0, -1),
    },
    {
      name: 'CSV, many records',
      extract: [UTF8, { op: 'csv', delimiter: ',' }, COUNT],
      page: () => `a,b,c\n${repeated('1,2,3\n', bytes)}`,
    },
    {
      name: 'text, every other character a blank',
      extract: [
        UTF8,
        { op: 'squash' },
        { op: 'skip_to', text: 'zz' },
        { op: 'num', style: 'plain', take: 'all' },
      ],
      page: () => repeated('a ', bytes),
    },
    {
      name: 'rule, members added to many rows again and again',
      extract: [
        ...ROWS,
        ...Array.from({ length: 4 }, (_, i) => ({
          op: 'choose',
          by: '/a',
          cases: [{ is: '1', ptr: '/a' }],
          into: `c${i}`,
        })),
        COUNT,
      ],
      page: () => `[${repeated('{"a":1},', bytes)}{"a":1}]`,
    },
    {
      name: 'rule, the median of many numbers',
      extract: [...ROWS, { op: 'median', ptr: '/a', style: 'plain' }],
      page: () => `[${numbered(bytes, (i) => `{"a":${(i * 7919) % 99_991}},`)}{"a":1}]`,
    },
    {
      name: 'a number of as many digits as the page has',
      extract: [UTF8, { op: 'num', style: 'plain', take: 'all' }],
      page: () => '7'.repeat(bytes),
    },
  ];
}

/**
 * A young log whose rule reads as `hostile` says, with each read of its reports a page of that kind: another one for each
 * read, so that none is known from before. It is signed and whole; only what the rule makes of the pages is not what it says.
 */
export function hostileLog(log: SampleLog, hostile: HostilePage): Published {
  const forge = new Forge(log, youngLog(log).entries.length);
  const hashes = new Map<string, HashHex>();
  for (const { kind, body } of forge.drafts) {
    if (kind !== 'rule/1') continue;
    const before = ruleHash(nodeSha256, parseRule(nodeSha256, body['rule']));
    for (const provider of body['rule'].providers as Loose[]) {
      Object.assign(provider, { extract: hostile.extract, checks: [] });
    }
    hashes.set(before, ruleHash(nodeSha256, parseRule(nodeSha256, body['rule'])));
  }
  const page = hostile.page();
  let reads = 0;
  for (const draft of forge.drafts) {
    if (draft.kind !== 'report/1') continue;
    const { report } = draft.body;
    report.rule.hash = hashes.get(report.rule.hash as string);
    for (const read of report.reads as Loose[]) {
      if (read['snapshot'] === null) continue;
      reads += 1;
      const bytes = formatUtf8(page + ' '.repeat(reads));
      const kept = {
        status: 200,
        sha256: forge.keep(bytes),
        length: bytes.length,
        content_type: null,
      };
      read['snapshot'] = forge.keepManifest(read['snapshot'] as string, { pages: [kept] });
    }
    forge.sign(draft);
  }
  return forge.publish();
}

/** Writes a log as `assay export` does. */
export async function writeExport(folder: string, published: Published): Promise<void> {
  for (const [path, { status, body }] of siteOf(published)) {
    const file = join(folder, exportFile(path, status as 200));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
}

/** One number of a log with all that it rests on, as a file. */
export async function writeBundle(path: string, published: Published): Promise<void> {
  await writeFile(path, formatBundle(await bundleOf(published)));
}

/** A young log with so many rotations of its report key behind it, each promised and signed as it should be. */
export function rotatedLog(log: SampleLog, rotations: number): Published {
  const forge = new Forge(log, youngLog(log).entries.length);
  const id = hashHex(leafHash(nodeSha256, log.entries[0] as Uint8Array));
  const genesis = (forge.drafts[0] as { body: Loose }).body;
  const name = (number: number): Signer =>
    signerFrom(number === 1 ? `${log.origin} next` : `rotation ${number}`);
  const hexOf = ({ publicKey }: Signer): string => formatHex(publicKey);
  let [old, own] = [log.keys.report, name(1)];
  const at = forge.drafts.at(-1)?.at ?? '';
  for (let number = 1; number <= rotations; number += 1) {
    const next = name(number + 1);
    const said: Omit<KeyEntry, 'signatures'> = {
      number,
      cause: 'rotation',
      replaces: hexOf(old),
      revoked: false,
      key: hexOf(own),
      next_key_sha256: keyHash(nodeSha256, hexOf(next)),
      recovery_key: null,
      next_recovery_key_sha256: genesis['recovery_key_sha256'] as HashHex,
    };
    const message = keyMessage(id, said);
    const signatures = {
      old: formatHex(old.sign(message)),
      new: formatHex(own.sign(message)),
      recovery: null,
    };
    forge.drafts.push({ at, kind: 'key/1', body: { ...said, signatures } });
    [old, own] = [own, next];
  }
  return forge.publish();
}

/** A server that sends one byte of any answer each `ms`, without end. */
export function drippingServer(ms: number): Server {
  return createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('x'), ms);
    response.on('close', () => clearInterval(timer));
  });
}

/** A server that is always busy, and asks for pauses that are longer than anybody has time for. */
export function busyServer(seconds: number): Server {
  return createServer((_, response) => {
    response.writeHead(503, { 'retry-after': String(seconds) });
    response.end();
  });
}
