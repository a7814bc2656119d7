import type { ViewState, ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import type { WorkBudget } from '@assay/core/work-budget';

/** The rows that a walk folds its entries into. */
export interface WalkRows extends ViewState {
  readonly write: (writes: Iterable<ViewWrite>) => void;
}

/** Steps for one row that is read, wherever it lies. */
const ROW_STEPS = 128;

/** The same rows, with every one that is read charged to `work`. */
export function chargedRows(rows: WalkRows, work: WorkBudget): WalkRows {
  return {
    get(table, key) {
      work.charge(ROW_STEPS);
      return rows.get(table, key);
    },
    list: (table) => charged(rows.list(table), work),
    descend: (table, below) => charged(rows.descend(table, below), work),
    write: (writes) => rows.write(writes),
  };
}

type Row = readonly [key: string, value: WireValue];

function* charged(rows: Iterable<Row>, work: WorkBudget): Generator<Row> {
  for (const row of rows) {
    work.charge(ROW_STEPS);
    yield row;
  }
}
