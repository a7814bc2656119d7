import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHex } from '@assay/core/bytes/hex';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { positive, serverUrl } from '../command/options.ts';
import type { LookupOptions } from './lookups.ts';
import { readOts } from './ots-file.ts';
import { otsTree } from './tree.ts';
import { verifyOts } from './verify.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { count, textRows } from '../text/text-rows.ts';

/** How many seconds a calendar may take to answer. */
const TIMEOUT_S = 10;

const STAMP = { value: 'FILE.ots', about: 'The stamp.' } as const;

const LOOKUP_OPTIONS = {
  headers: option('FILE')`
    Block headers of Bitcoin, as assay headers sync writes them. All of them are checked.`,
  bitcoinRpc: option('URL', { parse: serverUrl })`
    Take the block headers from your own Bitcoin node.`,
  explorer: option('URL', { parse: serverUrl })`
    Believe an explorer about the block headers (Esplora, such as https://host/api). It proves
    nothing.`,
  development: flag`
    Count the blocks of the development network. It proves nothing elsewhere.`,
} as const;
const RPC_AUTH = { ASSAY_BITCOIN_RPC_AUTH: 'The user:password for --bitcoin-rpc.' };

const infoCommand = command({
  name: 'ots info',
  summary: 'Show what a stamp contains.',
  about:
    'Shows what is stamped, the steps that lead from it to blocks, and what calendars have promised.',
  operands: { stamp: STAMP },
  options: { full: { about: 'Show every argument of a step in full.' } },
  examples: {
    'assay ots info thesis.pdf.ots': 'Look at a stamp.',
  },
  run: ({ stamp, full }, terminal) => info(stamp, full, terminal),
});

const verifyCommand = command({
  name: 'ots verify',
  summary: 'Prove when a file existed, with block headers of Bitcoin.',
  about:
    'Hashes the file, and compares each block of the stamp with block headers of Bitcoin that you bring. Without any, nothing is proven. It asks no calendar.',
  operands: { stamp: STAMP },
  options: {
    file: option('FILE')`
      What was stamped. The default is the name of the stamp without .ots.`,
    digest: option('HEX')`
      The digest of what was stamped, instead of the file, such as one from a log.`,
    ...LOOKUP_OPTIONS,
    json: flag`
      Print the result as JSON.`,
  },
  atMostOne: [['file', 'digest']],
  variables: RPC_AUTH,
  exits: {
    0: 'The time is proven.',
    1: 'The stamp is wrong.',
    3: 'Nothing is proven, or it could not be completed.',
  },
  examples: {
    'assay ots verify thesis.pdf.ots --headers headers.bin': 'Prove when thesis.pdf existed.',
  },
  run: ({ stamp, ...given }, terminal, environment) =>
    verifyOts({ ...given, ...lookupsOf(given), path: stamp }, terminal, environment),
});

const upgradeCommand = command({
  name: 'ots upgrade',
  summary: 'Complete a stamp with the blocks that calendars promised.',
  about:
    'Asks the calendars for the blocks that they promised, and adds those to the file. With block headers, it adds only blocks that are among them. Without any, no block is checked.',
  operands: { stamps: { ...STAMP, many: true } },
  options: {
    attestor: option('URI', { many: true })`
      Ask this calendar too. The public ones are asked in any case.`,
    timeout: option('S', { parse: positive, fallback: TIMEOUT_S })`
      How many seconds each calendar may take.`,
    ...LOOKUP_OPTIONS,
  },
  variables: RPC_AUTH,
  exits: { 0: 'Every stamp holds a block.', 3: 'A stamp is not complete.' },
  examples: {
    'assay ots upgrade thesis.pdf.ots': 'Complete a stamp, a day later.',
  },
  run: async ({ stamps, timeout, ...given }, terminal, environment) => {
    const { upgradeFiles } = await import('./upgrade-files.ts');
    const timeoutMs = 1000 * Math.min(timeout, 3600);
    const options = { ...lookupsOf(given), attestors: given.attestor, timeoutMs };
    return upgradeFiles(stamps, options, terminal, environment);
  },
});

export const otsCommand: Group = group({
  name: 'ots',
  summary: 'Read, verify and upgrade stamps (OpenTimestamps).',
  about:
    'Works on stamps in the format of OpenTimestamps, which assay stamp writes. docs/ots.md explains them.',
  commands: [infoCommand, verifyCommand, upgradeCommand],
});

function lookupsOf(given: Given<typeof LOOKUP_OPTIONS>): LookupOptions {
  const { headers, bitcoinRpc: rpc, explorer, development } = given;
  return { headers, rpc, explorer, network: development ? DEVELOPMENT : BITCOIN };
}

async function info(path: string, full: boolean, terminal: Terminal): Promise<ExitCode> {
  const { bytes, proof, attested } = await readOts(path);
  const head = [
    paint(terminal, 'bold', `${printable(path)}, ${count(bytes.length, 'byte')}`),
    ...textRows('stamped', `${proof.hash} ${formatHex(proof.digest)}`, terminal),
    ...textRows('holds', summary(attested.map(({ attestation }) => attestation.kind)), terminal),
    '',
  ];
  for (const line of head) terminal.out(line);
  for (const line of otsTree(proof.timestamp, attested, full)) terminal.out(`  ${line}`);
  return EXIT.ok;
}

/** How many attestations of each kind there are. */
function summary(kinds: readonly string[]): string {
  const words: readonly (readonly [string, string, string])[] = [
    ['bitcoin', 'Bitcoin block', 'Bitcoin blocks'],
    ['pending', "calendar's promise", "calendars' promises"],
    ['litecoin', 'Litecoin block', 'Litecoin blocks'],
    ['ethereum', 'Ethereum block', 'Ethereum blocks'],
    ['unknown', 'attestation of unknown kind', 'attestations of unknown kind'],
  ];
  return words
    .flatMap(([kind, one, many]) => {
      const n = kinds.filter((each) => each === kind).length;
      return n === 0 ? [] : [count(n, one, many)];
    })
    .join(', ');
}
