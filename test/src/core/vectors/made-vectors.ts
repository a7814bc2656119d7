import { CUSTODY_CASES } from './custody-cases.ts';
import { DECISION_CASES } from './decision-cases.ts';
import { GRID_CASES } from './grid-cases.ts';
import { HISTORY_CASES } from './history-log.ts';
import { LIST_CASES, MARK_CASES, REQUEST_CASES } from './paging-cases.ts';
import { PACK_PART_CASES, PACK_SPLIT_CASES, REFUSED_PACK_CASES } from './pack-cases.ts';
import { RATE_WORD_CASES } from './rate-words.ts';
import { REGISTRATION_CASES } from './registration-cases.ts';
import { REVISION_CASES } from './revision-cases.ts';
import { ROUND_CASES } from './round-cases.ts';
import { SETTLEMENT_CASES } from './settlement-log.ts';
import { TERMINAL_LOG_CASES } from './terminal-log.ts';
import { VOID_CASES } from './void-rounds.ts';

/** The vector files that this repository makes from cases: the path below `vectors`, without its ending, and the rows. */
export const MADE_VECTORS: Readonly<Record<string, readonly object[]>> = {
  'arena/voids': VOID_CASES,
  'base-rate/words': RATE_WORD_CASES,
  'custody/copies': CUSTODY_CASES,
  'decision/decisions': DECISION_CASES,
  'decision/rounds': ROUND_CASES,
  'history/logs': HISTORY_CASES,
  'pack/parts': PACK_PART_CASES,
  'pack/refused': REFUSED_PACK_CASES,
  'pack/splits': PACK_SPLIT_CASES,
  'paging/lists': LIST_CASES,
  'paging/marks': MARK_CASES,
  'paging/requests': REQUEST_CASES,
  'revision/rows': REVISION_CASES,
  'settlement/files': SETTLEMENT_CASES,
  'ed25519/registration': REGISTRATION_CASES,
  'terminal/logs': TERMINAL_LOG_CASES,
  'tick/grid': GRID_CASES,
};

/** The bytes of a vector file: JSON with an indent of one space, and a newline at its end. */
export function vectorText(rows: readonly object[]): string {
  return `${JSON.stringify(rows, null, 1)}\n`;
}
