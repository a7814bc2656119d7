/**
 * What each page runs: it puts new texts in place of those that have changed, after the log has grown. Nothing is read or
 * written but texts, so that no markup can come in this way.
 */

/** How long entries are gathered before the page asks again, in milliseconds. */
const GATHER_MS = 1500;

/** Entries come with their kind as the name of the event; every kind has the version 1. */
function follow(nouns: readonly string[], changed: () => void): EventSource {
  const stream = new EventSource(`/v1/events?kinds=${nouns.join(',')}`);
  for (const noun of nouns) stream.addEventListener(`${noun}/1`, changed);
  return stream;
}

async function refresh(spots: readonly HTMLElement[]): Promise<void> {
  const page = encodeURIComponent(location.pathname + location.search);
  const answer = await fetch(`/live?page=${page}`, { headers: { accept: 'application/json' } });
  if (!answer.ok) return;
  const texts = (await answer.json()) as Readonly<Record<string, unknown>>;
  for (const spot of spots) {
    const text = texts[spot.dataset['live'] ?? ''];
    if (typeof text === 'string' && text !== spot.textContent) {
      spot.textContent = text;
      spot.classList.add('changed');
    }
  }
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
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // A page that cannot be asked now shows what it showed, and asks again after the next entry.
      refresh(spots).catch(() => undefined);
    }, GATHER_MS);
  };
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
