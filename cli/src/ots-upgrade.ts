import { realpath, stat } from 'node:fs/promises';
import { messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import { calendarsOf } from '@assay/core/ots/calendars';
import { graft } from '@assay/core/ots/graft';
import { otsHashes } from '@assay/core/ots/hashes';
import { formatProof, type Proof } from '@assay/core/ots/proof';
import { PUBLIC_ATTESTORS } from '@assay/node/anchor/public-network';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { writeDurable } from '@assay/node/durable-file';
import { nodeSha256 } from '@assay/node/node-sha256';
import { printable } from '@assay/verifier/printable';
import { EXIT, type ExitCode } from './exit.ts';
import { type OtsFile, readOts } from './ots-file.ts';
import { paint, type Terminal } from './terminal.ts';
import { textRows } from './text-rows.ts';

/** Promises that are asked about in one call: a stamp has some four. */
const MAX_ASKED = 32;

/** What a calendar said of its promise. */
export interface Asked {
  readonly uri: string;
  readonly kind: 'attested' | 'pending' | 'failed' | 'refused';
  /** In words; empty where it is attested. */
  readonly reason: string;
}

export interface Upgraded {
  readonly proof: Proof;
  readonly asked: readonly Asked[];
  /** Whether the proof holds anything that it did not. */
  readonly changed: boolean;
}

/**
 * Asks the calendar of each promise without a block, all at once, and merges what they answer; nothing
 * that was there is lost. A calendar that another one was faster than is asked all the same.
 */
export async function upgradeOts(
  { proof, attested }: OtsFile,
  client: CalendarClient,
): Promise<Upgraded> {
  const done = new Set(
    calendarsOf(proof.timestamp).flatMap((each) => (each.attested ? [each.uri] : [])),
  );
  const open = new Map<string, { readonly uri: string; readonly message: Uint8Array }>();
  for (const { attestation, message } of attested) {
    if (attestation.kind !== 'pending' || done.has(attestation.uri)) continue;
    open.set(`${attestation.uri} ${formatHex(message)}`, { uri: attestation.uri, message });
  }
  const promises = [...open.values()];
  const answers = await Promise.all(
    promises.slice(0, MAX_ASKED).map(async ({ uri, message }) => {
      return { uri, message, answer: await client.upgrade(uri, message) };
    }),
  );
  const hashes = otsHashes(nodeSha256);
  let { timestamp } = proof;
  const asked: Asked[] = [];
  for (const { uri, message, answer } of answers) {
    if (answer.kind === 'attested') {
      timestamp = graft(timestamp, proof.digest, message, answer.timestamp, hashes);
    }
    asked.push(
      client.isAttestor(uri)
        ? { uri, kind: answer.kind, reason: answer.kind === 'attested' ? '' : answer.reason }
        : { uri, kind: 'refused', reason: 'not asked: it is none of the public calendars' },
    );
  }
  for (const { uri } of promises.slice(MAX_ASKED)) {
    asked.push({ uri, kind: 'refused', reason: `not asked: more than ${MAX_ASKED} promises` });
  }
  const changed = asked.some(({ kind }) => kind === 'attested');
  return { proof: { ...proof, timestamp }, asked, changed };
}

export interface UpgradeOptions {
  /** Calendars that may be asked beside the public ones. */
  readonly attestors: readonly string[];
  /** Milliseconds that each may take. */
  readonly timeoutMs: number;
}

/** Upgrades each file by itself, and says what came of it; one that cannot be read holds up no other. */
export async function upgradeFiles(
  paths: readonly string[],
  { attestors, timeoutMs }: UpgradeOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: [],
    attestors: [...PUBLIC_ATTESTORS, ...attestors],
    timeoutMs,
    sha256: nodeSha256,
  });
  let complete = true;
  for (const path of paths) {
    try {
      complete = (await upgradeFile(path, client, terminal)) && complete;
    } catch (error) {
      complete = false;
      terminal.error(`assay ots: ${printable(`${path}: ${messageOf(error)}`)}`);
    }
  }
  return complete ? EXIT.ok : EXIT.incomplete;
}

/** Whether the file holds a block now. */
async function upgradeFile(
  path: string,
  client: CalendarClient,
  terminal: Terminal,
): Promise<boolean> {
  const ots = await readOts(path);
  const { proof, asked, changed } = await upgradeOts(ots, client);
  if (changed) {
    // The file that a link leads to, with the permissions that it has.
    const target = await realpath(path);
    const { mode } = await stat(target);
    await writeDurable(target, formatProof(proof), { mode: mode & 0o777 });
  }
  const { attested } = changed ? await readOts(path) : ots;
  const heights = attested.flatMap(({ attestation }) =>
    attestation.kind === 'bitcoin' ? [attestation.height] : [],
  );
  const done = heights.length > 0;
  const head = done
    ? paint(terminal, 'green', changed ? 'UPGRADED' : 'HAS A BLOCK')
    : paint(terminal, 'yellow', 'NO BLOCK YET');
  terminal.out(`${head} ${printable(path)}`);
  const blocks = [...new Set(heights)].sort((a, b) => a - b).join(', ');
  const next = done
    ? `assay ots verify ${path}: no block has been looked at yet`
    : nextWords(asked);
  const rows = [
    ...(done ? textRows('blocks', blocks, terminal) : []),
    ...asked.flatMap(({ uri, kind, reason }) => {
      if (kind === 'attested') return textRows('answered', `${uri}: in a block`, terminal);
      return textRows(kind, `${uri}: ${reason}`, terminal, 'yellow');
    }),
    ...textRows('next', next, terminal),
  ];
  for (const line of rows) terminal.out(line);
  return done;
}

function nextWords(asked: readonly Asked[]): string {
  if (asked.length === 0) return 'nothing: no calendar has promised a Bitcoin block';
  if (asked.every(({ kind }) => kind === 'refused')) {
    return 'the same with --attestor, if you know that calendar';
  }
  return 'the same again in some hours';
}
