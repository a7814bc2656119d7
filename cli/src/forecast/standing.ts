import { Fault } from '@assay/core/fault';
import { isObject } from '@assay/core/wire/schema';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Command } from '../command/command.ts';
import { EXIT, UsageError } from '../command/exit.ts';
import { flag } from '../command/option.ts';
import { httpReader } from '../reader/http-reader.ts';
import { bodyOf, parseJson } from '@assay/verifier/client/log-answer';
import { logUrl } from '../reader/log-url.ts';
import { printableJson } from '../text/printable-json.ts';

const PATH = '/v1/arena?limit=100';

export const standingCommand: Command = command({
  name: 'forecast standing',
  summary: 'Show what can be forecast, and who forecasts well.',
  about: `Shows the rounds that are open and the standings, as the server gives them. The order is by skill: points above those of the last value, drawn towards 0 where there are few forecasts. Points and standings are computed again by assay verify.`,
  operands: { url: { value: 'URL', about: 'The server of the log.' } },
  options: { json: flag`Print the answer of the server as JSON.` },
  examples: { 'assay forecast standing https://assay.example': 'See the Arena.' },
  run: async ({ url, json }, terminal) => {
    const base = logUrl(url);
    if (base === undefined) throw new UsageError(`${url} is no address of a server`);
    const answer = parseJson(await bodyOf(httpReader(base), PATH), PATH);
    if (!isObject(answer))
      throw new Fault('malformed', 'answer', { at: PATH, expected: 'an object' });
    if (json) {
      terminal.out(printableJson(answer));
      return EXIT.ok;
    }
    const open = rowsOf(answer['open']);
    terminal.out('open rounds');
    for (const line of openLines(open)) terminal.out(`  ${line}`);
    terminal.out('');
    terminal.out('standings (Arena, not official)');
    for (const line of standingLines(rowsOf(answer['standings']))) terminal.out(`  ${line}`);
    return EXIT.ok;
  },
});

function openLines(rows: readonly WireObject[]): readonly string[] {
  if (rows.length === 0) return ['none'];
  return columns([
    ['round', 'closes', 'last value', 'forecasts'],
    ...rows.map((row) => [
      text(row['id']),
      text(row['closes_at']),
      `${text(row['ref_value'])} ${text(row['unit'])}`,
      text(row['forecasts']),
    ]),
  ]);
}

function standingLines(rows: readonly WireObject[]): readonly string[] {
  if (rows.length === 0) return ['none yet: the first come with the first graded round'];
  return columns([
    ['handle', 'graded', 'mean', 'skill', 'best streak', 'secured by'],
    ...rows.map((row) => [
      `${text(row['handle'])}${row['ranked'] === true ? '' : ' (unranked)'}`,
      text(row['graded']),
      text(row['mean_points']),
      text(row['skill']),
      text(row['best_streak']),
      text(row['secured_by']),
    ]),
  ]);
}

/** Lines of columns, each as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function rowsOf(value: WireValue | undefined): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: WireValue | undefined): string {
  return printable(value === undefined || value === null ? '' : String(value as string | number));
}
