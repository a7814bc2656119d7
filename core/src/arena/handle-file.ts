import { hex, literal, nullable, object, type Parse, string } from '../wire/schema.ts';

/** A handle with a secret, as its owner keeps it. */
export interface HandleFile {
  readonly type: 'assay-handle/1';
  /** The folded name. */
  readonly name: string;
  /** 32 bytes, hex: with the name they make the handle's id. */
  readonly salt: string;
  /** 32 bytes, hex; null until the server has given it. */
  readonly secret: string | null;
}

/** A kept handle, or `malformed`. */
export const parseHandleFile: Parse<HandleFile> = object<HandleFile>({
  type: literal('assay-handle/1'),
  name: string(3, 24, /^[a-z0-9_-]+$/),
  salt: hex(32),
  secret: nullable(hex(32)),
});
