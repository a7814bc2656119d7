import { contentHash, hashHex, type HashHex } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import type { Report } from '@assay/core/report';
import { canonicalize } from '@assay/core/canonical';
import { formatUtf8 } from '@assay/core/utf8';
import { formatWire, type WireObject } from '@assay/core/wire';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { chain, draftsOf, publish, type Published } from './published.ts';
import type { SampleLog } from './sample-log.ts';

/** JSON that a test changes without asking. */
// oxlint-disable-next-line typescript/no-explicit-any -- a forger keeps to no type
export type Loose = Record<string, any>;

/** An entry to be, as a dishonest publisher makes it. */
export interface LooseDraft {
  at: string;
  kind: string;
  body: Loose;
}

/** What of a log its publisher forges with. */
export type Forgeable = Pick<SampleLog, 'entries' | 'blobs' | 'checkpoints' | 'keys'>;

/** A log under change by somebody who holds its keys. */
export class Forge {
  readonly log: Forgeable;
  readonly drafts: LooseDraft[];
  readonly blobs: Map<string, Uint8Array>;

  constructor(log: Forgeable, size: number = log.entries.length) {
    this.log = log;
    this.drafts = draftsOf(log.entries.slice(0, size)).map((draft) => structuredClone(draft));
    this.blobs = new Map(log.blobs);
  }

  /** The draft that `wanted` picks, the newest of them; and where it stands. */
  newest(wanted: (draft: LooseDraft) => boolean): {
    readonly draft: LooseDraft;
    readonly seq: number;
  } {
    const seq = this.drafts.findLastIndex(wanted);
    const draft = this.drafts[seq];
    if (draft === undefined) throw new TypeError('Forge: no such entry');
    return { draft, seq };
  }

  /** The newest report of a status. */
  report(status: string): { readonly draft: LooseDraft; readonly seq: number } {
    return this.newest(({ kind, body }) => kind === 'report/1' && body['report'].status === status);
  }

  /** Keeps bytes, and gives the hash that they are kept under. */
  keep(bytes: Uint8Array): HashHex {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    this.blobs.set(hash, bytes);
    return hash;
  }

  /** Keeps a copy of a manifest with changes; its hash. */
  keepManifest(hash: string, change: Loose): HashHex {
    const bytes = this.blobs.get(hash);
    if (bytes === undefined) throw new TypeError('Forge: no such manifest');
    const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Loose;
    return this.keep(formatWire({ ...manifest, ...change } as WireObject));
  }

  /** Signs a draft's report as it stands now with the log's own report key. */
  sign(draft: LooseDraft, signer: Signer = this.log.keys.report): void {
    const print = formatPrint(printOf(nodeSha256, draft.body['report'] as Report));
    draft.body['signature'] = formatHex(signer.sign(print));
  }

  /** All of it chained, folded and signed again. */
  publish(): Published {
    const entries = chain(this.drafts as never);
    return publish(entries, this.blobs, this.log.checkpoints);
  }
}

/** A note entry at the time of its neighbour. */
export function noteDraft(at: string, text = 'inserted'): LooseDraft {
  return { at, kind: 'note/1', body: { text } };
}

export function wireBytes(value: unknown): Uint8Array {
  return formatUtf8(canonicalize(value));
}
