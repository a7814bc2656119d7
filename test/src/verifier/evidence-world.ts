import { formatBase64 } from '@assay/core/base64';
import { formatCheckpoint } from '@assay/core/checkpoint';
import { cosignatureMessage, formatCosignature } from '@assay/core/cosignature';
import { formatEntry } from '@assay/core/entry';
import {
  type Evidence,
  forkEvidence,
  type ForkParts,
  omissionEvidence,
  printsEvidence,
  provenGenesis,
  type ProvenGenesis,
  type SignedStatement,
  statementsEvidence,
} from '@assay/core/evidence';
import { type Hash, hashHex, type HashHex, leafHash, ZERO_HASH_HEX } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  NOTE_ED25519,
  noteKeyId,
  type NoteSignature,
} from '@assay/core/note';
import { prefixRanges } from '@assay/core/prefix-proof';
import { formatPrint, printOf } from '@assay/core/print';
import type { Report } from '@assay/core/report';
import { statementMessage } from '@assay/core/statement';
import type { Ticker } from '@assay/core/ticker';
import { toTime } from '@assay/core/time';
import { formatTlogProof } from '@assay/core/tlog-proof';
import { inclusionRanges, type LeafRange, rootOf } from '@assay/core/tree';
import { formatUtf8 } from '@assay/core/utf8';
import type { WireObject } from '@assay/core/wire';
import { type Hand, handOf, statementOf } from '../core/cosigner-fixture.ts';
import { GENESIS, sampleReport, sha256 } from '../core/fixture.ts';

/** A publisher, its log's key, two witnesses and a co-signer. */
export const PUBLISHER: Hand = handOf('a1'.repeat(32));
export const LOG_HAND: Hand = handOf('a2'.repeat(32));
export const WITNESS_HANDS: readonly [Hand, Hand] = [
  handOf('a3'.repeat(32)),
  handOf('a4'.repeat(32)),
];
export const COSIGNER: Hand = handOf('a5'.repeat(32));

export const ORIGIN = 'development/evidence';

/** A verifier key text and what signs under it. */
export interface Signer {
  readonly name: string;
  readonly vkey: string;
  readonly line: (text: string) => NoteSignature;
}

export function logSigner(hand: Hand = LOG_HAND, name: string = ORIGIN): Signer {
  const raw = parseHex(hand.key, 32);
  const keyId = noteKeyId(sha256, name, NOTE_ED25519, raw);
  return {
    name,
    vkey: formatNoteKey(sha256, name, raw),
    line: (text) => ({ name, keyId, signature: parseHex(hand.sign(formatUtf8(text)), 64) }),
  };
}

export function witnessSigner(hand: Hand, name: string, time = 1_785_000_000): Signer {
  const raw = parseHex(hand.key, 32);
  const keyId = noteKeyId(sha256, name, NOTE_COSIGNATURE, raw);
  return {
    name,
    vkey: formatNoteKey(sha256, name, raw, NOTE_COSIGNATURE),
    line: (text) => {
      const signature = parseHex(hand.sign(cosignatureMessage(text, time)), 64);
      return formatCosignature({ name, keyId }, { time, signature });
    },
  };
}

export const LOG_SIGNER: Signer = logSigner();
export const WITNESSES: readonly [Signer, Signer] = [
  witnessSigner(WITNESS_HANDS[0], 'witness.example/one'),
  witnessSigner(WITNESS_HANDS[1], 'witness.example/two'),
];

const genesisEntry = formatEntry({
  v: 1,
  seq: 0,
  prev: ZERO_HASH_HEX,
  at: toTime('2026-07-01T00:00:00Z'),
  kind: 'genesis/1',
  body: {
    ...GENESIS,
    origin: ORIGIN,
    network: 'development',
    report_key: PUBLISHER.key,
    checkpoint_vkey: LOG_SIGNER.vkey,
  } as WireObject,
});

export const GENESIS_ENTRY: Uint8Array = Uint8Array.from(genesisEntry);
export const LOG_ID: HashHex = hashHex(leafHash(sha256, GENESIS_ENTRY));

/** A history: its entries, any prefix of which somebody may sign. */
export class History {
  readonly entries: readonly Uint8Array[];
  readonly #leaves: readonly Hash[];

  constructor(entries: readonly Uint8Array[]) {
    this.entries = entries;
    this.#leaves = entries.map((entry) => leafHash(sha256, entry));
  }

  /** `words` after the genesis, an entry each. */
  static of(words: readonly string[]): History {
    return new History([GENESIS_ENTRY, ...words.map((word) => formatUtf8(`entry ${word}`))]);
  }

  leaf(index: number): Hash {
    return this.#leaves[index] as Hash;
  }

  root(size: number): Hash {
    return rootOf(sha256, this.#leaves.slice(0, size));
  }

  note(
    size: number,
    signers: readonly Signer[] = [LOG_SIGNER],
    origin: string = ORIGIN,
  ): Uint8Array {
    const text = formatCheckpoint({ origin, size, root: this.root(size) });
    return formatNote({ text, signatures: signers.map(({ line }) => line(text)) });
  }

  prefix(oldSize: number, newSize: number): Hash[] {
    return this.#hashes(prefixRanges(oldSize, newSize));
  }

  inclusion(index: number, size: number): Hash[] {
    return this.#hashes(inclusionRanges(index, size));
  }

  genesis(size: number): ProvenGenesis {
    return provenGenesis(GENESIS_ENTRY, this.inclusion(0, size));
  }

  receipt(index: number, size: number, signers?: readonly Signer[]): string {
    const checkpoint = this.note(size, signers);
    return formatTlogProof({ index, hashes: this.inclusion(index, size), checkpoint });
  }

  #hashes(ranges: readonly LeafRange[]): Hash[] {
    return ranges.map(({ start, end }) => rootOf(sha256, this.#leaves.slice(start, end)));
  }
}

/** Two histories that part after their third entry. */
export const HONEST: History = History.of(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
export const FORGED: History = History.of(['a', 'b', 'x', 'y', 'z', 'u', 'v', 'w']);

export const FORK_PARTS: Pick<ForkParts, 'genesis' | 'vkey'> = {
  genesis: null,
  vkey: LOG_SIGNER.vkey,
};

/** What two notes of two histories come to; the second is of the larger size. */
export function forkOf(
  sizes: readonly [number, number],
  change: Partial<ForkParts> = {},
  signers: readonly Signer[] = [LOG_SIGNER],
): Evidence {
  const [m, n] = sizes;
  return made(
    forkEvidence(sha256, {
      ...FORK_PARTS,
      first: HONEST.note(m, signers),
      second: FORGED.note(n, signers),
      consistency: m === n ? null : FORGED.prefix(m, n),
      ...change,
    }),
  );
}

export function omissionOf(signers: readonly Signer[] = [LOG_SIGNER]): Evidence {
  return made(
    omissionEvidence(sha256, {
      genesis: FORGED.genesis(8),
      vkey: LOG_SIGNER.vkey,
      receipt: HONEST.receipt(4, 6, signers),
      receipted: HONEST.leaf(4),
      checkpoint: FORGED.note(8, signers),
      leaf: FORGED.leaf(4),
      proof: FORGED.inclusion(4, 8),
    }),
  );
}

/** A report of this log, with members replaced. */
export function reportOf(name: string, change: object = {}): Report {
  return sampleReport(name, { log: LOG_ID, ...change });
}

export function signedPrint(
  report: Report,
  { sign }: Hand = PUBLISHER,
): {
  readonly message: string;
  readonly signature: string;
} {
  const message = formatPrint(printOf(sha256, report));
  return { message: formatHex(message), signature: sign(message) };
}

export function printsOf(
  a: Report,
  b: Report,
  hand: Hand = PUBLISHER,
  bound = true,
): Evidence | undefined {
  const log = { genesis: formatBase64(GENESIS_ENTRY), ticker: a.ticker as Ticker };
  return printsEvidence({
    key: hand.key,
    log: bound ? log : null,
    first: signedPrint(a, hand),
    second: signedPrint(b, hand),
  });
}

export function saidOf(
  report: Report,
  change: object = {},
  hand: Hand = COSIGNER,
): SignedStatement {
  const statement = statementOf(report, hand, change);
  return { statement, signature: hand.sign(statementMessage(statement)) };
}

export const DISSENT = {
  verdict: 'dissent',
  own: { value: '1', status: 'final', reads: [] },
  reason: 'value',
} as const;

export const ABSTENTION = { verdict: 'abstain', own: null, kept: null, reason: 'unread' } as const;

export function statementsOf(a: SignedStatement, b: SignedStatement): Evidence | undefined {
  return statementsEvidence(a, b);
}

/** Evidence that a maker must give. */
export function made(evidence: Evidence | undefined): Evidence {
  if (evidence === undefined) throw new TypeError('the maker gave nothing');
  return evidence;
}
