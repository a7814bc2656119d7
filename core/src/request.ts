import { array, literal, nullable, object, oneOf, type Parse, string } from './schema.ts';

/**
 * How a rule asks a source, or how a node asked it once the variables are filled in. Secrets stay
 * `{secret:NAME}` in every stored form: they are put in on the way to the socket only.
 */
export interface SourceRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: readonly SourceHeader[];
  readonly body: string | null;
  /** Hosts that a redirect may lead to; none when empty. */
  readonly follow: readonly string[];
  readonly paging: { readonly kind: 'none' };
}

export interface SourceHeader {
  readonly name: string;
  readonly value: string;
}

export const parseSourceRequest: Parse<SourceRequest> = object<SourceRequest>({
  method: oneOf(['GET', 'POST']),
  url: string(8, 2048, /^https?:\/\/[^\s]+$/),
  headers: array(
    object<SourceHeader>({
      name: string(1, 64, /^[a-z0-9-]+$/),
      value: string(0, 1024, /^[\u0020-\u007e]*$/),
    }),
    0,
    16,
  ),
  body: nullable(string(0, 16_384)),
  follow: array(string(1, 253, /^[a-z0-9.-]+(:[0-9]+)?$/), 0, 8),
  paging: object<{ readonly kind: 'none' }>({ kind: literal('none') }),
});
