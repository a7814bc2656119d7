import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from '@assay/cli/command/command';
import { findCommand } from '@assay/cli/command/dispatch';
import { optionName, parseGiven } from '@assay/cli/command/parse';
import { HEADINGS } from '@assay/cli/commands';
import { ROOT, sampleLog } from '../verifier/fixture/sample-log.ts';
import { all, commands, nodes } from './fixture/all-commands.ts';
import { program } from './fixture/program.ts';
import { assay, scratch } from './fixture/run.ts';

const SOURCE = join(ROOT, 'cli', 'src');

/** The words of a command line as a shell reads them. */
function words(line: string): readonly string[] {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

/** A sentence for people: a capital letter, a full stop, one line. */
function isSentence(text: string): boolean {
  return /^[A-Z][^\n]*[.)]$/s.test(text.replaceAll(/\s+/g, ' ').trim());
}

test('the table and the commands in it have the same names, each once', () => {
  assert.deepEqual(
    all.commands.map(({ name }) => name),
    Object.keys(program.table),
  );
  for (const name of Object.keys(HEADINGS)) assert.ok(name in program.table, name);
  assert.equal(new Set(nodes.map(({ name }) => name)).size, nodes.length);
  for (const node of nodes) {
    if (node.kind === 'command') continue;
    const prefix = node.name === '' ? '' : `${node.name} `;
    for (const { name } of node.commands) assert.match(name, new RegExp(`^${prefix}[a-z-]+$`));
  }
});

test('every command and option says in whole sentences what it is', () => {
  for (const node of nodes) {
    assert.ok(isSentence(node.summary), node.summary);
    assert.ok(node.about.split(/\n\s*\n/).every(isSentence), node.about);
    if (node.kind === 'group') continue;
    const { operands, options, exits = {}, variables = {}, examples } = node;
    const abouts = [
      ...[...Object.values(operands), ...Object.values(options)].map(({ about }) => about),
      ...Object.values(exits),
      ...Object.values(variables),
      ...Object.values(examples),
    ];
    for (const about of abouts) assert.ok(isSentence(about), `${node.name}: ${about}`);
    assert.ok(Object.keys(examples).length > 0, `${node.name} has no example`);
  }
});

test('help and manual hold ASCII alone, so that every terminal shows them', () => {
  for (const node of nodes) assert.doesNotMatch(JSON.stringify(node), /[^ -~]/, node.name);
});

test('every example is of its command, and parses', () => {
  for (const { name, examples, options, operands, oneOf = [], atMostOne = [] } of commands) {
    for (const line of Object.keys(examples)) {
      const own = /assay [^)>|]*/.exec(line)?.[0] ?? '';
      const [, ...given] = words(own);
      assert.equal(given.slice(0, name.split(' ').length).join(' '), name, line);
      const args = given.slice(name.split(' ').length);
      parseGiven({ options, operands, oneOf, atMostOne }, args);
    }
  }
});

test('every command line in the documents parses', async () => {
  const pages = [
    'README.md',
    ...['docs', 'samples'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((each) =>
        join(folder, String(each)),
      ),
    ),
  ];
  let count = 0;
  for (const page of pages.filter((each) => each.endsWith('.md'))) {
    // A line that ends with a backslash goes on in the next one.
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/ *\\\n(?:> )? */g, ' ');
    for (const [, line = ''] of text.matchAll(/^(?: {4,}|\$ )(?:npx )?(assay [a-z].*)$/gm)) {
      // Others show what a command takes, with brackets.
      if (/[[|(]/.test(line)) continue;
      const [, ...args] = words(
        line
          .replaceAll(/\bURL\b/g, 'https://host.example')
          // Variables of the tutorials, and where they write to.
          .replace(/ > .*/, '')
          .replaceAll('$AT', '08:30')
          .replaceAll('$DAY', '2026-11-21')
          .replaceAll(/<[^>]*>|\$[A-Z]+\b/g, 'x'),
      );
      assert.notEqual(args.length, 0, `${page}: ${line}`);
      const { found, rest } = await findCommand(program.table, args);
      assert.equal(found.kind, 'command', line);
      assert.doesNotThrow(() => parseGiven(found as Command, rest), `${page}: ${line}`);
      count += 1;
    }
  }
  assert.ok(count > 30, `${count}`);
});

test('an option, an operand and a letter have one meaning in a command', () => {
  for (const { name, options, operands, oneOf = [], atMostOne = [] } of commands) {
    for (const key of Object.keys(operands)) assert.ok(!(key in options), `${name}: ${key}`);
    const letters = Object.values(options).flatMap(({ short }) => short ?? []);
    assert.equal(new Set([...letters, 'h']).size, letters.length + 1, name);
    assert.ok(!('help' in options), name);
    for (const key of [...oneOf, ...atMostOne].flat()) assert.ok(key in options, `${name}: ${key}`);
    const many = Object.values(operands).slice(0, -1);
    assert.ok(
      many.every((each) => !each.many && !each.optional),
      name,
    );
  }
});

/** Where the first word of a command is declared, and what that room holds. */
function sourceOf({ name }: Command): string {
  const table = readFileSync(join(SOURCE, 'commands.ts'), 'utf8');
  const [first] = name.split(' ');
  const file = new RegExp(`\\b${first}: async \\(\\) => \\(await import\\('\\./([^']+)'`).exec(
    table,
  )?.[1];
  // The commands about commands stand in one file.
  if (file === undefined) return readFileSync(join(SOURCE, 'command', 'own-commands.ts'), 'utf8');
  const room = join(SOURCE, file, '..');
  const texts = readdirSync(room).map((each) => readFileSync(join(room, each), 'utf8'));
  const policy = readFileSync(join(SOURCE, 'verify', 'policy-options.ts'), 'utf8');
  return [...texts, policy].join('\n');
}

/** Whether code reads a property: as `x.key`, or out of a pattern; its declaration `key: {` is none. */
function reads(code: string, key: string): boolean {
  const pattern = new RegExp(
    `\\{[^{}]*\\b${key}\\b(?:: \\w+)?(?: = [^,{}]+)?(?:,[^{}]*)?\\s*\\}(?:: [A-Z]| = )`,
  );
  return new RegExp(`\\.${key}\\b(?!:)`).test(code) || pattern.test(code);
}

test('no option and no operand is declared and never read', () => {
  for (const command of commands) {
    const code = sourceOf(command).replaceAll(/\/\*\*[^]*?\*\/|\/\/.*/g, '');
    for (const key of [...Object.keys(command.options), ...Object.keys(command.operands)]) {
      const destructured = new RegExp(`run: (?:async )?\\(\\{[^}]*\\b${key}\\b[^}]*\\}`).test(code);
      assert.ok(
        destructured || reads(code, key),
        `assay ${command.name} never reads ${optionName(key)}`,
      );
    }
  }
});

test('the options of a reader that money depends on are all there', () => {
  const verify = commands.find(({ name }) => name === 'verify') as Command;
  assert.deepEqual(
    Object.keys(verify.options).map(optionName).join(' '),
    '--key --log-id --witness --witnesses --witness-max-age --cosigner --cosigners --policy --strict ' +
      '--complete --index --period --headers --bitcoin-rpc --explorer --chain-rpc --chain-accounts --pins ' +
      '--no-pin --resume --from-start --entry --extract --max-entries --timeout --recheck --details --progress --json',
  );
});

test('a file that is not there is a sentence that says which file belongs there', async (t) => {
  const folder = await scratch(t);
  const key = (await sampleLog()).checkpoints.vkey;
  for (const [args, sentence] of [
    [['headers', 'check', 'x'], /x: expected a file that assay headers sync has written, found/],
    [['ots', 'info', 'x'], /x: expected an \.ots file, as assay stamp writes it, found none/],
    [['release', 'check', 'x', '--key', key], /expected the signed list of a release, in the/],
    [['restore', 'R', '--from', 'x'], /expected a key of the log: put its file there, from where/],
    [['verify', 'http://127.0.0.1:1'], /found none: no web server may have this port/],
  ] as const) {
    const { code, out, err } = await assay(folder, args);
    assert.equal(code, 3, err);
    assert.match(`${out}${err}`.replaceAll(/\s+/g, ' '), sentence);
  }
  await writeFile(join(folder, 'page.md'), '# Title');
  const page = await assay(folder, ['verify', 'page.md']);
  assert.equal(page.code, 3);
  assert.match(
    page.out,
    /^NOT COMPLETED: the file is no bundle; this says nothing about any log\.\n/,
  );
  assert.match(page.out, /the file is no bundle as assay bundle writes it, or it was damaged: /);
});
