import { hex, integer, object, type Parse } from '../wire/schema.ts';

/** Heights that a block may have here: what an unsigned 32-bit integer can say. */
export const MAX_HEIGHT = 4_294_967_295;

/**
 * The newest Bitcoin header that the node knew when it wrote this. Nobody could know it before the block
 * was mined, so what stands behind it in the log was written after. The header proves its own work; its
 * height is the publisher's word until a chain of headers says the same.
 */
export interface Beacon {
  readonly height: number;
  /** The 80 bytes of the header, hex. */
  readonly header: string;
}

export const parseBeacon: Parse<Beacon> = object<Beacon>({
  height: integer(0, MAX_HEIGHT),
  header: hex(80),
});
