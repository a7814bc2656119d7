import { hash } from 'node:crypto';

/** A whole number from 0 to `sides` - 1, which is always the same for the same `words`. */
export function draw(words: string, sides: number): number {
  return hash('sha256', `synthetic/${words}`, 'buffer').readUInt32BE(0) % sides;
}
