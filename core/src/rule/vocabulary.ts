import { isObject, malformed, type Parse } from '../schema.ts';
import { after, type AfterStep } from './op/after.ts';
import { at, type AtStep } from './op/at.ts';
import { csv, type CsvStep } from './op/csv.ts';
import { json, type JsonStep } from './op/json.ts';
import { num, type NumStep } from './op/num.ts';
import { pick, type PickStep } from './op/pick.ts';
import { rows, type RowsStep } from './op/rows.ts';
import { series, type SeriesStep } from './op/series.ts';
import { squash, type SquashStep } from './op/squash.ts';
import { utf8, type Utf8Step } from './op/utf8.ts';
import { where, type WhereStep } from './op/where.ts';
import type { Operation } from './operation.ts';
import { type OpContext, ReadStopped, type Value } from './value.ts';

/** One step of a rule. Every member is required: an absent one and a default would hash differently. */
export type Step =
  | AfterStep
  | AtStep
  | CsvStep
  | JsonStep
  | NumStep
  | PickStep
  | RowsStep
  | SeriesStep
  | SquashStep
  | Utf8Step
  | WhereStep;

const OPERATIONS: ReadonlyMap<string, Operation<never>> = new Map<string, Operation<never>>(
  [after, at, csv, json, num, pick, rows, series, squash, utf8, where].map((each) => [
    each.op,
    each as unknown as Operation<never>,
  ]),
);

/** The names of the operations, sorted: the whole vocabulary. */
export const OPERATION_NAMES: readonly string[] = [...OPERATIONS.keys()].sort();

export const parseStep: Parse<Step> = (value, place) => {
  const name = isObject(value) ? value['op'] : undefined;
  const operation = typeof name === 'string' ? OPERATIONS.get(name) : undefined;
  if (operation === undefined) {
    throw malformed(place, `an operation: ${OPERATION_NAMES.join(', ')}`, value);
  }
  return operation.parse(value, place);
};

/** Runs one step. Stops with `ReadStopped`; other throws are for the interpreter to name. */
export function runStep(step: Step, input: Value, context: OpContext): Value {
  const operation = OPERATIONS.get(step.op);
  if (operation === undefined) throw new ReadStopped('malformed', `no operation ${step.op}`);
  return operation.run(step as never, input, context);
}
