/**
 * What each page runs: it puts new texts in place of those that have changed, after the log has grown. Nothing is read or
 * written but texts, so that no markup can come in this way.
 */

/** How long entries are gathered before the page asks again, in milliseconds. */
const GATHER_MS = 1500;
/** How often it asks while no entry comes: a service that is halted writes none. */
const QUIET_MS = 60_000;
/** The colours of texts. */
const TONES: readonly string[] = ['good', 'wait', 'bad', 'none'];

/** Entries come with their kind as the name of the event; every kind has the version 1. */
function follow(nouns: readonly string[], changed: () => void): EventSource {
  const stream = new EventSource(`/v1/events?kinds=${nouns.join(',')}`);
  for (const noun of nouns) stream.addEventListener(`${noun}/1`, changed);
  return stream;
}

async function refresh(spots: readonly HTMLElement[]): Promise<void> {
  const page = encodeURIComponent(location.pathname + location.search);
  const answer = await fetch(`/live?page=${page}`, { headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const texts = (await answer.json()) as Readonly<Record<string, unknown>>;
  for (const spot of spots) {
    const key = spot.dataset['live'] ?? '';
    const text = texts[key];
    const tone = texts[`${key} tone`];
    if (typeof tone === 'string' && TONES.includes(tone)) {
      spot.classList.remove(...TONES);
      spot.classList.add(tone);
    }
    if (typeof text === 'string' && text !== spot.textContent) {
      spot.textContent = text;
      spot.classList.add('changed');
    }
  }
}

/** Says that what is shown may be old, in a place of its own that moves nothing; with no text, that it no longer is. */
function tellStale(text: string): void {
  let spot = document.querySelector('.stale');
  if (spot === null) {
    spot = document.createElement('p');
    spot.className = 'stale';
    spot.setAttribute('role', 'status');
    document.body.append(spot);
  }
  spot.textContent = text;
}

/** A link that names code runs it on the spot. Where that cannot be loaded, the link leads where it says. */
function runLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
      return;
    const link = event.target.closest<HTMLAnchorElement>('a[data-code]');
    if (link === null) return;
    event.preventDefault();
    import(link.dataset['code'] ?? '').then(
      (code: { readonly start: (from: HTMLElement) => void }) => code.start(link),
      () => location.assign(link.href),
    );
  });
}

function main(): void {
  runLinks();
  const spots = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  const nouns = (document.body.dataset['follows'] ?? '').split(' ').filter((each) => each !== '');
  if (spots.length === 0 || nouns.length === 0) return;
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let since = new Date();
  const ask = (): void => {
    // A page that cannot be asked now shows what it showed, says since when, and asks again.
    refresh(spots).then(
      () => {
        since = new Date();
        if (document.querySelector('.stale') !== null) tellStale('');
      },
      () => {
        const time = since.toISOString().slice(11, 16);
        tellStale(`This page shows how it was at ${time} UTC: the service does not answer now.`);
      },
    );
  };
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      ask();
    }, GATHER_MS);
  };
  setInterval(() => {
    if (!document.hidden) ask();
  }, QUIET_MS);
  const show = (): void => {
    if (document.hidden) {
      stream?.close();
      stream = undefined;
    } else if (stream === undefined) {
      stream = follow(nouns, changed);
      // What came while nobody looked.
      changed();
    }
  };
  document.addEventListener('visibilitychange', show);
  show();
}

main();
