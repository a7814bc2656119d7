import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { type CosignerSet, parseCosignerSet, setHash } from '@assay/core/cosigner-set';
import type { HashHex } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import { type Cosign, parseCosign } from '@assay/core/kind/cosign';
import { type Dissent, parseDissent } from '@assay/core/kind/dissent';
import { dissentMessage, formatPrint, printOf } from '@assay/core/print';
import { type Report, reportHash } from '@assay/core/report';
import { parseStatement, type Statement, statementMessage } from '@assay/core/statement';
import type { WireObject } from '@assay/core/wire';
import { GENESIS, SampleLog, sampleReport, sha256, SOME_HASH } from './fixture.ts';

/** One who signs, by an Ed25519 seed. */
export interface Hand {
  readonly key: string;
  readonly sign: (message: Uint8Array) => string;
}

/** Private keys of Ed25519 in PKCS #8 (RFC 8410) begin so. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export function handOf(seed: string): Hand {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, parseHex(seed, 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return {
    key: Buffer.from(x ?? '', 'base64url').toString('hex'),
    sign: (message) => sign(null, message, key).toString('hex'),
  };
}

/** Seeds of RFC 8032, section 7.1: tests 2, 3 and SHA(abc). Ascending by key. */
export const HANDS: readonly [Hand, Hand, Hand] = [
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
]
  .map(handOf)
  .sort((a, b) => (a.key < b.key ? -1 : 1)) as unknown as readonly [Hand, Hand, Hand];

/** Two of the three. */
export const SET: CosignerSet = cosignerSet();
export const SET_HASH: HashHex = setHash(sha256, SET);

export function cosignerSet(change: Partial<CosignerSet> = {}): CosignerSet {
  const cosigners = HANDS.map(({ key }, i) => ({ name: `recounter-${i + 1}`, key }));
  const set = { number: 0, threshold: 2, cosigners, ...change };
  return parseCosignerSet(set as unknown as WireObject, 'set');
}

/** Promises of keys that no test has: those of the sample genesis are of keys that co-signers have here. */
export const OTHER_PROMISES: WireObject = {
  next_report_key_sha256: 'a1'.repeat(32),
  recovery_key_sha256: 'b2'.repeat(32),
};

/** Co-signers whose keys the sample genesis does not promise as its own, and sets of them. */
export const STRANGERS: readonly [Hand, Hand, Hand] = ['c1', 'c2', 'c3']
  .map((byte) => handOf(byte.repeat(32)))
  .sort((a, b) => (a.key < b.key ? -1 : 1)) as unknown as readonly [Hand, Hand, Hand];

export function setOfStrangers(change: Partial<CosignerSet> = {}): CosignerSet {
  const cosigners = STRANGERS.map(({ key }, i) => ({ name: `stranger-${i + 1}`, key }));
  return cosignerSet({ cosigners, ...change });
}

/** The genesis of a log whose prints stand on chain. */
export const CHAIN_GENESIS: WireObject = {
  ...GENESIS,
  chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  program: '6jBSQZ8V4cNqfXy6Sg1M5kP3mV9k7m9uM2d3rQ1cT4wE',
};

/** A committed report that names the set. */
export function recountedReport(name: string, change: object = {}): Report {
  return sampleReport(name, { cosigners: { set: SET_HASH, required: 2 }, ...change });
}

/** What a co-signer that agrees says of a report, with members replaced. */
export function statementOf(report: Report, { key }: Hand, change: object = {}): Statement {
  const found = { value: report.value, status: report.status };
  const statement = {
    type: 'assay-statement/1',
    log: report.log,
    report: reportHash(sha256, report),
    print: formatHex(formatPrint(printOf(sha256, report))),
    entry: { seq: 1, leaf: SOME_HASH },
    head: { size: 2, root: SOME_HASH },
    cosigner: key,
    set: SET_HASH,
    verdict: 'agree',
    basis: 'own_read',
    kept: found,
    own: { ...found, reads: report.reads },
    reason: null,
    after: null,
    signed_at: '2026-08-06T12:41:05Z',
    ...change,
  };
  return parseStatement(statement as unknown as WireObject, 'statement');
}

export function cosignOf(report: Report, hand: Hand, change: object = {}): Cosign {
  const statement = statementOf(report, hand, change);
  const body = {
    statement,
    signature: hand.sign(statementMessage(statement)),
    print_signature: hand.sign(formatPrint(printOf(sha256, report))),
  };
  return parseCosign(body as unknown as WireObject, 'body');
}

export function dissentOf(report: Report, hand: Hand, change: object = {}): Dissent {
  const statement = statementOf(report, hand, {
    verdict: 'dissent',
    own: { value: '1', status: 'final', reads: [] },
    reason: 'value_differs',
    ...change,
  });
  const body = {
    statement,
    signature: hand.sign(statementMessage(statement)),
    dissent_signature: hand.sign(dissentMessage(printOf(sha256, report))),
  };
  return parseDissent(body as unknown as WireObject, 'body');
}

/** A log that begins with its genesis and the set. */
export function recountedLog(genesis: WireObject = CHAIN_GENESIS): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', { ...genesis, ...OTHER_PROMISES });
  log.append('cosigners/1', SET);
  return log;
}
