import { hex, integer, object, type Parse } from '../wire/schema.ts';

/** The largest height that a block may have here: the largest unsigned 32-bit integer. */
export const MAX_HEIGHT = 4_294_967_295;

/**
 * The newest Bitcoin header that the node knew when it wrote this entry. Nobody could know it before the block was
 * mined, so everything after it in the log was written later. The header proves its own work. Its height is only the
 * publisher's statement until a chain of headers confirms it.
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
