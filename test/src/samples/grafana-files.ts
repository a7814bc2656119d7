import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../core/fixture/fixture.ts';

export const GRAFANA = join(ROOT, 'samples', 'grafana');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to hold, such as `10m`. */
  readonly wait: string | undefined;
  readonly summary: string;
}

/** The alarms of samples/grafana, read by the layout of that file. `promtool` reads it as YAML in another test. */
export function rules(): readonly Rule[] {
  const text = readFileSync(join(GRAFANA, 'alerts.yml'), 'utf8');
  const [, ...parts] = text.split(/^ {6}- alert: /m);
  return parts.map((part) => {
    const field = (pattern: RegExp): string | undefined => pattern.exec(part)?.[1];
    return {
      alert: field(/^(\w+)\n/) ?? '',
      expr: field(/^ {8}expr: (?:\|\n)?([\s\S]+?)\n {8}\w/m) ?? '',
      wait: field(/^ {8}for: (\w+)$/m),
      summary: field(/^ {10}summary: (.+)$/m) ?? '',
    };
  });
}

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

/** The queries of the board. */
export function boardQueries(): readonly string[] {
  const board = JSON.parse(readFileSync(join(GRAFANA, 'dashboard.json'), 'utf8')) as {
    readonly panels: readonly Panel[];
  };
  return board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}
