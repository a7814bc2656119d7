import type { Command } from '@assay/cli/command/command';
import { EXITS } from '@assay/cli/command/page';
import { FAULT_CODES } from '@assay/core/fault';
import { FAULT_MEANINGS } from '@assay/core/fault-meaning';
import { problemEntries } from '@assay/node/api/problem/problem-page';
import { code, inline, page, table } from './markdown.ts';

/** The codes that programs act on: problems of the API, exit codes of commands, and codes of faults. */
export function errorsPage(commands: readonly Command[]): string {
  return page('Errors', [
    'Every code that a program can act on. A code keeps its meaning; the words beside it may change. What a verifier finds wrong with a log has codes of its own: [findings.md](findings.md).',
    '## Problems of the API',
    'An error of the API is a problem of RFC 9457 (`application/problem+json`), with the code in `error`. `detail` says what went wrong this time, and `type` is the path of a page of the service that explains the code. [api.md](../api.md#errors) says what else such an answer holds.',
    problemTable(),
    '## Exit codes',
    'Every command ends with one of these. `assay verify` says yes with 0 and with no other code.',
    table(
      ['exit code', 'what it says'],
      Object.entries(EXITS).map(([exit, text]) => [code(exit), text]),
    ),
    'These commands say more:',
    exitTable(commands),
    '## Faults',
    'Where a command or a node cannot go on, its message ends with one of these codes in brackets, such as `[not_found]`. The message says at which place, what was expected and what was found.',
    table(
      ['code', 'what it means'],
      FAULT_CODES.map((each) => [code(each), FAULT_MEANINGS[each]]),
    ),
  ]);
}

function problemTable(): string {
  return table(
    ['code', 'status', 'what it means', 'what to do'],
    problemEntries().map(({ error, status, meaning, remedy }) => [
      code(error),
      String(status),
      inline(meaning),
      inline(remedy),
    ]),
  );
}

function exitTable(commands: readonly Command[]): string {
  const rows = commands.flatMap(({ name, exits = {} }) =>
    Object.entries(exits).map(([exit, text], i) => [
      i === 0 ? `[\`assay ${name}\`](commands.md#assay-${name.replaceAll(' ', '-')})` : '',
      code(exit),
      inline(text),
    ]),
  );
  return table(['command', 'exit code', 'what it says'], rows);
}
