import type { ApiRequest } from '../http/request.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A host as URLs have it, without its port; undefined for what is none. */
function hostnameOf(host: string): string | undefined {
  const url = /^[^\s/?#@\\]+$/.test(host) ? `http://${host}` : '';
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Whether a host is an address and not a name. No name server decides where it leads. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Why a request may come from a page that has another host's name lead to this one (DNS rebinding), or from a page of
 * another site; undefined for a request that does not. The specification of the protocol asks for both checks
 * (Streamable HTTP, Security Warning). A host is taken that is an address, this machine's name for itself, or the
 * name in `publicUrl`. Programs send no origin.
 */
export function foreignHost(
  request: Pick<ApiRequest, 'header'>,
  publicUrl: string | null,
): 'host' | 'origin' | undefined {
  const own = publicUrl === null ? undefined : new URL(publicUrl);
  const host = request.header('host') ?? '';
  const hostname = hostnameOf(host);
  if (hostname === undefined) return 'host';
  const isKnown = isAddress(hostname) || LOOPBACK.has(hostname) || hostname === own?.hostname;
  if (!isKnown) return 'host';
  const origin = request.header('origin');
  if (origin === undefined) return undefined;
  if (!/^https?:\/\/[^/\s?#@\\]+$/.test(origin) || !URL.canParse(origin)) return 'origin';
  const from = new URL(origin);
  const isOwn =
    LOOPBACK.has(from.hostname) || from.host === host.toLowerCase() || from.origin === own?.origin;
  return isOwn ? undefined : 'origin';
}
