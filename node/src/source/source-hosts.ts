import type { SourceRequest } from '@assay/core/source/request';

/**
 * A host as an operator lists it: `example.org`, `example.org:8443`; preceded by `http://` if TLS is not used.
 */
export const HOST_PATTERN: RegExp =
  /^(http:\/\/)?[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?(:[0-9]{1,5})?$/;

/** How many waiting hosts are remembered. */
const MAX_WAITING = 64;

/**
 * The hosts that an operator allows somebody else's rules to ask, and the hosts that each secret may be sent
 * to. A rule cannot lead its reader, or its secrets, anywhere else.
 */
export class SourceHosts {
  readonly #origins: ReadonlySet<string>;
  readonly #secrets: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #waiting = new Set<string>();

  /** `hosts` and the hosts for each secret's name are in the form of `HOST_PATTERN`. */
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

  /**
   * Why a request may not be sent; undefined if it may. `url` has its secrets filled in, and `used` names them.
   */
  refusal(request: SourceRequest, url: URL, used: readonly string[]): string | undefined {
    // A secret in the host would be revealed to whoever resolves names.
    const written = request.url.replaceAll(/\{secret:[^{}]*\}/g, 'x');
    if (!URL.canParse(written) || new URL(written).origin !== url.origin) {
      return 'a secret in the host';
    }
    const refused = this.refusedHost(url);
    if (refused !== undefined) return refused;
    const name = used.find((each) => this.#secrets.get(each)?.has(url.origin) !== true);
    return name === undefined ? undefined : `secret ${name} is not for this host`;
  }

  /** The same for a host alone, such as one that a redirect leads to. */
  refusedHost({ origin }: URL): string | undefined {
    if (this.#origins.has(origin)) return undefined;
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(origin);
    return 'a host that the operator has not listed';
  }
}

/** The origin of a host in the form of `HOST_PATTERN`. */
export function originOf(host: string): string {
  return new URL(host.startsWith('http://') ? host : `https://${host}`).origin;
}
