import { isObject, malformed, type Parse } from '../wire/schema.ts';
import { after, type AfterStep } from './op/after.ts';
import { at, type AtStep } from './op/at.ts';
import { between, type BetweenStep } from './op/between.ts';
import { choose, type ChooseStep } from './op/choose.ts';
import { count, type CountStep } from './op/count.ts';
import { csv, type CsvStep } from './op/csv.ts';
import { diff, type DiffStep } from './op/diff.ts';
import { distinct, type DistinctStep } from './op/distinct.ts';
import { json, type JsonStep } from './op/json.ts';
import { max, type MaxStep } from './op/max.ts';
import { median, type MedianStep } from './op/median.ts';
import { min, type MinStep } from './op/min.ts';
import { num, type NumStep } from './op/num.ts';
import { pctChange, type PctChangeStep } from './op/pct_change.ts';
import { pick, type PickStep } from './op/pick.ts';
import { records, type RecordsStep } from './op/records.ts';
import { rows, type RowsStep } from './op/rows.ts';
import { scale, type ScaleStep } from './op/scale.ts';
import { series, type SeriesStep } from './op/series.ts';
import { skipTo, type SkipToStep } from './op/skip_to.ts';
import { squash, type SquashStep } from './op/squash.ts';
import { sum, type SumStep } from './op/sum.ts';
import { sumProduct, type SumProductStep } from './op/sum_product.ts';
import { utf8, type Utf8Step } from './op/utf8.ts';
import { where, type WhereStep } from './op/where.ts';
import { xml, type XmlStep } from './op/xml.ts';
import { zip, type ZipStep } from './op/zip.ts';
import type { Operation } from './operation.ts';
import { type OpContext, ReadStopped, type Value } from './value.ts';

/** One step of a rule. Every member is required, because a missing member and its default would hash differently. */
export type Step =
  | AfterStep
  | AtStep
  | BetweenStep
  | ChooseStep
  | CountStep
  | CsvStep
  | DiffStep
  | DistinctStep
  | JsonStep
  | MaxStep
  | MedianStep
  | MinStep
  | NumStep
  | PctChangeStep
  | PickStep
  | RecordsStep
  | RowsStep
  | ScaleStep
  | SeriesStep
  | SkipToStep
  | SquashStep
  | SumStep
  | SumProductStep
  | Utf8Step
  | WhereStep
  | XmlStep
  | ZipStep;

const OPERATIONS: ReadonlyMap<string, Operation<never>> = new Map<string, Operation<never>>(
  [
    after,
    at,
    between,
    choose,
    count,
    csv,
    diff,
    distinct,
    json,
    max,
    median,
    min,
    num,
    pctChange,
    pick,
    records,
    rows,
    scale,
    series,
    skipTo,
    squash,
    sum,
    sumProduct,
    utf8,
    where,
    xml,
    zip,
  ].map((each) => [each.op, each as unknown as Operation<never>]),
);

/** The names of all operations, sorted. */
export const OPERATION_NAMES: readonly string[] = [...OPERATIONS.keys()].sort();

export const parseStep: Parse<Step> = (value, place) => {
  const name = isObject(value) ? value['op'] : undefined;
  const operation = typeof name === 'string' ? OPERATIONS.get(name) : undefined;
  if (operation === undefined) {
    throw malformed(place, `an operation: ${OPERATION_NAMES.join(', ')}`, value);
  }
  return operation.parse(value, place);
};

/** Runs one step. Stops with `ReadStopped`; the interpreter names any other error. */
export function runStep(step: Step, input: Value, context: OpContext): Value {
  const operation = OPERATIONS.get(step.op);
  if (operation === undefined) throw new ReadStopped('malformed', `no operation ${step.op}`);
  context.work.charge(inputSteps(input));
  return operation.run(step as never, input, context);
}

/** Steps for one row or one period that an operation processes. */
const ITEM_STEPS = 32;

/** The steps for one pass over `input`. An operation itself charges what it does with an item beyond that. */
function inputSteps(input: Value): number {
  switch (input.type) {
    case 'pages':
      return input.pages.reduce((bytes, page) => bytes + page.length, 0);
    case 'text':
      return input.text.length;
    case 'rows':
      return ITEM_STEPS * input.rows.length;
    case 'series':
      return ITEM_STEPS * input.series.size;
    case 'json':
    case 'number':
      return ITEM_STEPS;
  }
}
