import type { z } from 'zod';
import { BASIS_MARK } from '../document/json-schema.ts';

/** A field that the log alone decides, in an answer that rests on more than the log. */
export function folded<T extends z.ZodType>(shape: T): T {
  return shape.meta({ [BASIS_MARK]: 'folded' }) as T;
}

/** A key that is served beside the one that replaced it. */
export function deprecated<T extends z.ZodType>(shape: T): T {
  return shape.meta({ deprecated: true }) as T;
}
