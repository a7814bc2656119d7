import type { SourceRequest } from '@assay/core/source/request';

/** A host as an operator lists it: `example.org`, `example.org:8443`; with `http://` before it where no TLS is meant. */
export const HOST_PATTERN: RegExp =
  /^(http:\/\/)?[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?(:[0-9]{1,5})?$/;

/** Waiting hosts that are remembered. */
const MAX_WAITING = 64;

/**
 * The hosts that an operator lets rules of somebody else ask, and the hosts that each secret may go to. A rule steers
 * nothing beyond them: neither where its reader connects, nor where its secrets end.
 */
export class SourceHosts {
  readonly #origins: ReadonlySet<string>;
  readonly #secrets: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #waiting = new Set<string>();

  /** `hosts` and the hosts of each secret's name, as `HOST_PATTERN` has them. */
  constructor(hosts: readonly string[], secrets: Readonly<Record<string, readonly string[]>>) {
    this.#origins = new Set(hosts.map(originOf));
    this.#secrets = new Map(
      Object.entries(secrets).map(([name, to]) => [name, new Set(to.map(originOf))]),
    );
  }

  /** Origins that rules have asked for and that are not listed. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Why a request may not go out; undefined where it may. `url` has its secrets filled in, and `used` names them. */
  refusal(request: SourceRequest, url: URL, used: readonly string[]): string | undefined {
    // A secret in the host would be told to whoever answers for names.
    const written = request.url.replaceAll(/\{secret:[^{}]*\}/g, 'x');
    if (!URL.canParse(written) || new URL(written).origin !== url.origin) {
      return 'a secret in the host';
    }
    const refused = this.refusedHost(url);
    if (refused !== undefined) return refused;
    const name = used.find((each) => this.#secrets.get(each)?.has(url.origin) !== true);
    return name === undefined ? undefined : `secret ${name} is not for this host`;
  }

  /** The same of a host alone, such as one that a redirect leads to. */
  refusedHost({ origin }: URL): string | undefined {
    if (this.#origins.has(origin)) return undefined;
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(origin);
    return 'a host that the operator has not listed';
  }
}

/** The origin of a host as `HOST_PATTERN` has it. */
export function originOf(host: string): string {
  return new URL(host.startsWith('http://') ? host : `https://${host}`).origin;
}
