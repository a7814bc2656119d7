/** The button of an asset's page that loads the chart which people zoom into. Without it the drawn chart stays. */
import type { ZoomChart } from './zoom.ts';
import type { HourlyScore, ZoomStep } from './zoom-span.ts';

const STEPS: readonly (readonly [ZoomStep, string])[] = [
  ['in', 'Zoom in'],
  ['out', 'Zoom out'],
  ['earlier', 'Earlier'],
  ['later', 'Later'],
  ['all', 'All'],
];
const TIMEOUT_MS = 30_000;

function main(): void {
  const box = document.getElementById('zoom');
  const open = document.getElementById('zoom-open');
  if (box === null || open === null) return;
  box.hidden = false;
  open.addEventListener('click', () => {
    open.setAttribute('disabled', '');
    draw(box).then(
      () => open.remove(),
      () => {
        open.removeAttribute('disabled');
        say(box, 'The chart could not be loaded. Try it again.');
      },
    );
  });
}

function say(box: HTMLElement, text: string): void {
  const place = box.querySelector('[role="status"]');
  if (place !== null) place.textContent = text;
}

async function draw(box: HTMLElement): Promise<void> {
  const { code = '', look = '', source = '' } = box.dataset;
  const [{ zoomChart }, scores] = await Promise.all([
    import(code) as Promise<typeof import('./zoom.ts')>,
    read(source),
    styled(look),
  ]);
  const place = document.createElement('div');
  place.setAttribute('aria-hidden', 'true');
  box.append(place);
  const chart = zoomChart(place, scores, (text) => say(box, text));
  // The canvas says nothing to who cannot see it: the sentence above it does, and the table below.
  const bar = document.createElement('p');
  bar.className = 'bar';
  bar.append(...STEPS.map(([step, label]) => button(chart, step, label)));
  box.prepend(bar);
  const drawn = box.previousElementSibling;
  if (drawn?.matches('svg.chart') === true) drawn.remove();
}

function button(chart: ZoomChart, step: ZoomStep, label: string): HTMLElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', () => chart.step(step));
  return made;
}

async function read(source: string): Promise<readonly HourlyScore[]> {
  const answer = await fetch(source, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const { scores_30d: scores } = (await answer.json()) as {
    readonly scores_30d: readonly HourlyScore[];
  };
  return scores;
}

function styled(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => reject(new Error('no style')));
    document.head.append(link);
  });
}

main();
