import { httpReader } from './http-reader.ts';

/** How many folders of an address are tried. */
const MOST = 8;

/**
 * The address of a log above `url`, for somebody who named one of its pages, such as `/docs`; undefined if there is none,
 * or if it does not answer. Nothing is checked of it.
 */
export async function logAbove(url: string, stop: AbortSignal): Promise<string | undefined> {
  const { origin, pathname } = new URL(url);
  const names = pathname.split('/').filter((name) => name !== '');
  for (let kept = Math.min(names.length, MOST) - 1; kept >= 0; kept -= 1) {
    const above = [origin, ...names.slice(0, kept)].join('/');
    if (await hasLog(above, stop)) return above;
  }
  return undefined;
}

/** Whether an address has what looks like a signed checkpoint. */
export async function hasLog(url: string, stop?: AbortSignal): Promise<boolean> {
  try {
    const { status, body } = await httpReader(url, stop).get('/checkpoint');
    return status === 200 && new TextDecoder().decode(body).includes('\n\n\u2014 ');
  } catch {
    return false;
  }
}
