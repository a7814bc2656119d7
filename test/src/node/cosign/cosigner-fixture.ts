import { reportClocks } from '@assay/core/round/period-clocks';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { CosignerSet } from '@assay/core/report/cosigner-set';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { parseNoteKey } from '@assay/core/log/note';
import { formatPrint, printOf } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import type { Rule } from '@assay/core/rule/rule';
import type { Status } from '@assay/core/report/report';
import { parseDate, parseTime, toDate } from '@assay/core/time/time';
import { inclusionRanges, rootOf } from '@assay/core/log/tree';
import { newestBlock } from '@assay/core/view/beacons';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { ruleVersions } from '@assay/core/view/rules';
import { inclusionProof } from '@assay/node/cosign/inclusion-proof';
import { wire } from '@assay/core/wire/wire';
import type { Ledger, LedgerOptions } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { MemoryOpenings } from '@assay/node/data/openings';
import type { Asked, Cosigner, CosignerStatement } from '@assay/node/cosign/cosigner';
import type { Received } from '@assay/node/cosign/received';
import { Reception, type ReceptionParts } from '@assay/node/cosign/reception';
import { RECEPTION_LIMITS, type ReceptionLimits } from '@assay/node/cosign/reception-limits';
import { entryOf } from '@assay/node/cosign/statement-entry';
import { enactCosigners } from '@assay/node/cosign/enact-cosigners';
import { LocalRecounter, type LocalRecounterParts } from '@assay/node/cosign/local-recounter';
import { MemorySignedPrints } from '@assay/node/cosign/signed-prints';
import { type RoundParts, runCorrection, runRound } from '@assay/node/round/round';
import { enactRule } from '@assay/node/rule/rule-file';
import {
  CHECKPOINTS,
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
  testSigner,
} from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE, ScriptedSource } from '../fixture/round-fixture.ts';

/** The key of the log's checkpoints. */
const CHECKPOINT_KEY = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);

export const WEEK = '2026-07-25';
export const RELEASE = '2026-07-30T12:30:00Z';
export const WINDOW = '2026-07-30T14:29:59Z';
export const FROZEN = '2026-07-30T14:30:00Z';
/** The end of the time for first prints. */
export const LATE = '2026-08-13T12:30:00Z';
export const SHOWN = { '2026-07-11': 209_000, '2026-07-18': 188_000, '2026-07-25': 197_000 };
export const OTHER = { ...SHOWN, '2026-07-25': 198_000 };

/** The co-signers of a test, by the seeds of their keys. */
export const SEEDS = [21, 22] as const;

export function setOf(seeds: readonly number[] = SEEDS, number = 0): CosignerSet {
  const cosigners = seeds
    .map((seed) => ({ name: `seed ${seed}`, key: formatHex(testSigner(seed).publicKey) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return { number, threshold: cosigners.length, cosigners };
}

/** A co-signer with a source that a test scripts. */
export interface TestRecounter {
  readonly source: ScriptedSource;
  readonly cosigner: LocalRecounter;
  readonly memory: MemorySignedPrints;
}

/** A log with a set of co-signers, on a clock that a test moves. */
export class CosignedWorld {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly source = new ScriptedSource();
  readonly clock: { now: number };
  readonly heard: string[] = [];
  readonly failed: string[] = [];
  reception: Reception | undefined;

  private constructor(
    place: Place,
    ledger: Ledger,
    blobs: MemoryBlobStore,
    clock: { now: number },
  ) {
    this.place = place;
    this.ledger = ledger;
    this.blobs = blobs;
    this.clock = clock;
  }

  static async open(
    given?: Place,
    blobs = new MemoryBlobStore(),
    rule: Rule = CLAIMS_RULE,
    set: CosignerSet = setOf(),
    options: Partial<LedgerOptions> = {},
  ): Promise<CosignedWorld> {
    const place = given ?? (await memoryPlace());
    const clock = { now: parseTime('2026-07-29T00:00:00Z') };
    let world: CosignedWorld | undefined;
    const ledger = await openAt(place, {
      ...options,
      now: () => clock.now,
      onPublish: ({ size }, tables) => {
        world?.reception?.changed(size, tables);
      },
    });
    if (ledger.nextSeq === 0) {
      await ledger.write(() => [GENESIS_DRAFT]);
      await enactRule(ledger, nodeSha256, rule);
      await enactCosigners(ledger, nodeSha256, set);
    }
    world = new CosignedWorld(place, ledger, blobs, clock);
    world.source.show(SHOWN);
    return world;
  }

  at(time: string): void {
    this.clock.now = parseTime(time);
  }

  /** The publisher's round. */
  async round(week: string = WEEK): Promise<ReportRow | undefined> {
    const { report } = await runRound(CLAIMS_RULE.ticker, parseDate(week), this.#roundParts());
    return report === undefined ? undefined : this.rows(week).at(-1);
  }

  /** The publisher's correction of its own error. */
  async correct(week: string = WEEK): Promise<void> {
    const parts = this.#roundParts();
    await runCorrection(CLAIMS_RULE.ticker, parseDate(week), 'a page was read wrongly', parts);
  }

  #roundParts(): RoundParts {
    const { ledger, blobs, source, clock } = this;
    return {
      ledger,
      blobs,
      source,
      signer: REPORT_SIGNER,
      openings: new MemoryOpenings(),
      random: randomBytes,
      sha256: nodeSha256,
      now: () => clock.now,
    };
  }

  rows(week: string = WEEK): readonly ReportRow[] {
    return reportsOf(this.ledger.tip, CLAIMS_RULE.ticker, toDate(week));
  }

  recounter(seed: number = SEEDS[0], change: Partial<LocalRecounterParts> = {}): TestRecounter {
    const source = new ScriptedSource();
    source.show(SHOWN);
    const memory = new MemorySignedPrints();
    const cosigner = new LocalRecounter({
      signer: testSigner(seed),
      source,
      memory,
      now: () => this.clock.now,
      kept: this.blobs.get,
      publisher: formatHex(REPORT_SIGNER.publicKey),
      checkpointKey: () => CHECKPOINT_KEY,
      sha256: nodeSha256,
      random: randomBytes,
      ...change,
    });
    return { source, cosigner, memory };
  }

  /** What the publisher asks about a report of its log. */
  async asked(row: ReportRow): Promise<Asked> {
    const { ledger } = this;
    const bytes = await ledger.entry(row.seq);
    const { published } = ledger;
    assert.ok(bytes !== undefined && published !== undefined);
    const proof = await inclusionProof(nodeSha256, ledger, row.seq, published.size);
    const { report } = row;
    const rule = ruleVersions(ledger.tip, report.ticker).find(
      ({ hash }) => hash === report.rule.hash,
    );
    const set =
      report.cosigners.set === null ? undefined : setByHash(ledger.tip, report.cosigners.set);
    assert.ok(rule !== undefined && set !== undefined);
    return {
      log: report.log,
      report: row,
      entry: { seq: row.seq, leaf: hashHex(leafHash(nodeSha256, bytes)) },
      bytes,
      head: { size: published.size, root: hashHex(published.root) },
      checkpoint: published.note,
      inclusion: proof.map(hashHex),
      rule,
      clocks: reportClocks(ledger.tip, rule, row),
      set,
      before: this.rows(report.period).filter(({ seq }) => seq < row.seq),
      after: newestBlock(ledger.tip),
    };
  }

  /** What takes words from now on. */
  receive(
    limits: Partial<ReceptionLimits> = {},
    ledger: ReceptionParts['ledger'] = this.ledger,
  ): Reception {
    const { clock } = this;
    this.reception = new Reception(
      {
        ledger,
        sha256: nodeSha256,
        verify: nodeVerifySignature,
        now: () => clock.now,
        elapsed: () => clock.now,
        limits: { ...RECEPTION_LIMITS, ...limits },
      },
      {
        onStatement: (name, _, { kind }) => this.heard.push(`${name} ${kind}`),
        onRefused: (name, about, reason) => this.failed.push(`${name} ${about}: ${reason}`),
      },
    );
    return this.reception;
  }

  /** A co-signer's word on a report, as it would bring it. */
  async word(cosigner: Cosigner, row = this.rows().at(-1)): Promise<StatementEntry> {
    assert.ok(row !== undefined, 'a report');
    const word = await cosigner.recount(await this.asked(row));
    assert.ok(word !== undefined, 'a word');
    return entryOf(word);
  }

  /** Has co-signers bring what they have to say of a report, one after the other. */
  async bring(cosigners: readonly Cosigner[], row = this.rows().at(-1)): Promise<Received[]> {
    const reception = this.reception ?? this.receive();
    const answers: Received[] = [];
    for (const cosigner of cosigners) {
      answers.push(await reception.receive(await this.word(cosigner, row)));
    }
    return answers;
  }
}

/** An entry in the place of an asked one, in a tree of which the publisher has signed the checkpoint. */
export function republished(asked: Asked, bytes: Uint8Array, checkpoints = CHECKPOINTS): Asked {
  const { seq } = asked.entry;
  const leaf = leafHash(nodeSha256, bytes);
  // Of the leaves before it nobody asks: their one subtree is all that a proof shows.
  const others = Array.from({ length: seq }, (_, i) => leafHash(nodeSha256, Uint8Array.of(i)));
  const leaves = [...others, leaf];
  const root = rootOf(nodeSha256, leaves);
  const inclusion = inclusionRanges(seq, leaves.length).map(({ start, end }) =>
    hashHex(rootOf(nodeSha256, leaves.slice(start, end))),
  );
  return {
    ...asked,
    entry: { seq, leaf: hashHex(leaf) },
    bytes,
    head: { size: leaves.length, root: hashHex(root) },
    checkpoint: checkpoints.sign(leaves.length, root),
    inclusion,
  };
}

/** Another report in the place of an asked one, with its hash, the publisher's signature, and its entry. */
export function withReport(asked: Asked, change: Partial<Report>, signer = REPORT_SIGNER): Asked {
  const report: Report = { ...asked.report.report, ...change };
  const hash = reportHash(nodeSha256, report);
  const signature = formatHex(signer.sign(formatPrint(printOf(nodeSha256, report))));
  const body = wire({ report, signature });
  const { prev, at } = parseEntry(asked.bytes);
  const { seq } = asked.entry;
  const bytes = formatEntry({ v: 1, seq, prev, at, kind: 'report/1', body });
  return republished({ ...asked, report: { ...asked.report, report, hash, signature } }, bytes);
}

/** A word in few words: its kind, reason, and what each side came to. */
export function said(word: CosignerStatement | undefined): string {
  if (word === undefined) return 'nothing yet';
  const { statement } = word.kind === 'abstain' ? word : word.body;
  const words = (found: { status: Status; value: string | null } | null): string =>
    found === null ? 'nothing' : `${found.status} ${found.value}`;
  const { reason, basis, own, kept } = statement;
  return [word.kind, ...(reason === null ? [] : [reason]), basis, words(own), words(kept)].join(
    ', ',
  );
}
