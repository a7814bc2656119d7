import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { manualText } from '@assay/cli/command/manual';
import { pageOf } from '@assay/cli/command/page';
import { nodes } from '../fixture/all-commands.ts';

const isThere = (program: string): boolean => spawnSync(program, ['-h']).error === undefined;

/** What a reader sees, without line ends. */
function read(program: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '100', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' },
  });
  assert.deepEqual([status, stderr], [0, ''], `${program} ${args.join(' ')}`);
  // oxlint-disable-next-line no-control-regex
  return stdout.replaceAll(/\u001b\[[0-9;]*m|.\u0008/g, '');
}

test('roff: what it would take for a command is text', () => {
  const page = {
    name: 'assay x',
    summary: "It's a \\summary.",
    usage: 'assay x FILE',
    paragraphs: ['.hidden files and "quotes" \\n', "'quoted ^ ~ `text` --json"],
    sections: [{ title: 'Options', kind: 'terms', rows: [['--json', '.5 is a half.']] }],
  } as const;
  assert.equal(
    manualText(page, '1.2.3'),
    `.TH "ASSAY\\-X" 1 "" "assay 1.2.3" "Assay"
.SH NAME
assay\\-x \\- It\\(aqs a \\esummary
.SH SYNOPSIS
.B assay x
FILE
.SH DESCRIPTION
\\&.hidden files and "quotes" \\en
.PP
\\(aqquoted \\(ha \\(ti \\(gatext\\(ga \\-\\-json
.SH "OPTIONS"
.TP
.B \\-\\-json
\\&.5 is a half.`,
  );
});

/** Programs that read a page, and how many of the pages each is given: `man` takes long. */
const READERS = [
  ['groff', ['-man', '-Tutf8', '-ww', '-rLL=100n'], nodes.length],
  ['man', ['-l', '-'], 2],
] as const;

for (const [program, args, count] of READERS) {
  test(`${program} reads manual pages, and shows every word of them`, (t) => {
    if (!isThere(program)) return t.skip(`${program} is not installed`);
    for (const node of nodes.slice(0, count)) {
      const page = pageOf(node);
      const shown = read(program, args, manualText(page, '1.2.3')).replaceAll(/[\s\u00ad‐-]+/g, '');
      const said = [...page.paragraphs, ...page.sections.flatMap(({ rows }) => rows.flat())];
      for (const text of said) {
        assert.ok(shown.includes(text.replaceAll(/[\s-]+/g, '')), `${page.name}: ${text}`);
      }
    }
    return undefined;
  });
}

test('mandoc finds nothing wrong with a manual page', (t) => {
  if (!isThere('mandoc')) return t.skip('mandoc is not installed');
  for (const node of nodes) {
    const input = manualText(pageOf(node), '1.2.3');
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning'], { input, encoding: 'utf8' });
    const found = stdout
      .split('\n')
      .filter((line) => line !== '' && !line.includes('missing date'));
    assert.deepEqual(found, [], node.name);
  }
  return undefined;
});
