import type { Parse } from '../wire/schema.ts';
import { type OpContext, ReadStopped, type Value } from './value.ts';

/** One operation of the rule language: the closed schema of its step, and what it does. */
export interface Operation<Step extends { readonly op: string }> {
  readonly op: Step['op'];
  readonly parse: Parse<Step>;
  /** Total: returns a value, or throws `ReadStopped` with a reason. */
  readonly run: (step: Step, input: Value, context: OpContext) => Value;
}

type Typed<T extends Value['type']> = Extract<Value, { readonly type: T }>;

/** `input` when it has the type that an operation takes. */
export function take<T extends Value['type']>(op: string, input: Value, type: T): Typed<T> {
  if (input.type !== type) {
    throw new ReadStopped('malformed', `${op} takes ${type}, not ${input.type}`);
  }
  return input as Typed<T>;
}
