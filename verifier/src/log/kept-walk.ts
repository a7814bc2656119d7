import type { KeptTree } from '@assay/core/log/tile-tree';
import type { Genesis } from '@assay/core/kind/genesis';
import type { HashHex } from '@assay/core/hash/hash';
import type { KeptIndex } from '@assay/core/view/completeness-fold';
import type { Rule } from '@assay/core/rule/rule';
import type { TimeText } from '@assay/core/time/time';
import type { KeptChain } from '../bitcoin/chain-check.ts';
import type { KeptUnstamped } from '../bitcoin/uncovered.ts';
import type { KeptDeclarations } from '../check/declared.ts';
import type { KeptStatements } from '../check/cosigner-log-check.ts';
import type { KeptTimes } from '../check/time-history.ts';
import type { Owed } from '../check/revision-check.ts';
import type { KeptArena } from '../arena/arena-check.ts';
import type { KeptReferee } from '../referee/referee-check.ts';
import type { KeptTerminal } from '../terminal/terminal-check.ts';
import type { KeptClosingHeads } from './closing-heads.ts';
import type { KeptRecords } from './known-records.ts';

/**
 * Everything that a `LogWalk` without given headers and without asked entries has learned from the entries so far, beside
 * the rows of its views: what later entries, or the end of the log, may depend on. It is plain data, which a structured
 * clone copies without loss, and whose parts belong to the walk until then. It is only for a walk without findings.
 */
export interface KeptWalk {
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  readonly genesis: Genesis;
  readonly tree: KeptTree;
  readonly tiles: readonly ReadonlyMap<number, Uint8Array>[];
  /** Leaf hash of the newest entry. */
  readonly prevLeaf: Uint8Array;
  readonly at: TimeText | '';
  readonly firstAt: TimeText | '';
  readonly foldedBytes: number;
  readonly times: KeptTimes;
  readonly closing: KeptClosingHeads;
  readonly chain: KeptChain;
  readonly unstamped: KeptUnstamped;
  readonly records: KeptRecords;
  readonly statements: KeptStatements;
  readonly index: KeptIndex;
  readonly declared: KeptDeclarations;
  readonly terminal: KeptTerminal;
  readonly referee: KeptReferee;
  readonly arena: KeptArena;
  readonly owed: Owed | undefined;
  readonly rules: ReadonlyMap<HashHex, Rule>;
  readonly revised: ReadonlyMap<string, TimeText>;
  /** As `SeqTimes` keeps them. */
  readonly signedReports: Uint8Array;
}
