import type { Study } from '../kind/study.ts';
import type { AssetClass } from '../terminal/tick/asset-symbol.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const studiesTable = (of: AssetClass): string => `studies/${of}`;

export interface StudyRow extends Study {
  /** Of the method, and of the kind of its entry. */
  readonly version: 1 | 2;
  readonly seq: number;
  readonly at: TimeText;
}

/** Every frozen study of a class, in the order of the log. */
export const studiesView: View = {
  name: 'studies',
  apply(entry) {
    if (entry.kind !== 'study/1' && entry.kind !== 'study/2') return [];
    const version = entry.kind === 'study/1' ? 1 : 2;
    const row: StudyRow = { ...entry.body, version, seq: entry.seq, at: entry.at };
    return [{ table: studiesTable(row.class), key: seqKey(row.seq), value: wire(row) }];
  },
};

/** The newest study of a class. */
export function newestStudy(state: ViewState, of: AssetClass): StudyRow | undefined {
  for (const [, row] of state.descend(studiesTable(of))) return row as unknown as StudyRow;
  return undefined;
}
