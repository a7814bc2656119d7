import type { Command, Group, Operand, Option } from './command.ts';
import { optionName } from './parse.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script that completes command lines of `assay` in a shell. It starts no program, because it contains all
 * names.
 */
export function completionScript(shell: Shell, all: Group): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all);
}

function* nodesOf(group: Group): Generator<Command | Group> {
  yield group;
  for (const each of group.commands) {
    if (each.kind === 'group') yield* nodesOf(each);
    else yield each;
  }
}

/** The last word of a command's name, which identifies it in its group. */
function lastName({ name }: Command | Group): string {
  return name.split(' ').at(-1) as string;
}

type Completes = 'files' | 'folders' | 'nothing' | 'flag';

/** What completion offers after an option. */
function completes({ value }: Option): Completes {
  if (value === undefined) return 'flag';
  if (value === 'FOLDER') return 'folders';
  return value === 'FILE' ? 'files' : 'nothing';
}

/** An option as completion needs it. */
interface Row {
  readonly names: readonly string[];
  readonly about: string;
  readonly completes: Completes;
  readonly value: string;
  readonly many: boolean;
}

const HELP: Row = {
  names: ['-h', '--help'],
  about: 'Show this help.',
  completes: 'flag',
  value: '',
  many: false,
};

function rowsOf({ options }: Command): readonly Row[] {
  const rows = Object.entries(options).map(([key, option]) => ({
    names: [...(option.short === undefined ? [] : [`-${option.short}`]), optionName(key)],
    about: firstSentence(option.about),
    completes: completes(option),
    value: option.value ?? '',
    many: option.many === true,
  }));
  return [...rows, HELP];
}

function firstSentence(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().split('. ')[0] as string;
}

/** What completion offers for an operand; undefined if it is a file. */
function choicesOf({ operands }: Command): Operand['choices'] {
  return Object.values(operands)[0]?.choices;
}

function groupsOf(all: Group): readonly Group[] {
  return [...nodesOf(all)].filter((each) => each.kind === 'group');
}

/** The words after which a command that takes names of commands has those of a group to offer. */
function wordsBefore({ name }: Command, group: Group): string {
  return group.name === '' ? name : `${name} ${group.name}`;
}

/** Quotes text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bashScript(all: Group): string {
  const cases = [...nodesOf(all)].flatMap((each) => {
    if (each.kind === 'group') {
      const version = each.name === '' ? ['--version'] : [];
      const words = [...each.commands.map(lastName), '--help', ...version].join(' ');
      return `    ${quoted(each.name === '' ? ' ' : `${each.name} `)}) words='${words}' ;;`;
    }
    const named = (kinds: readonly Completes[]): string =>
      rowsOf(each)
        .filter((row) => kinds.includes(row.completes))
        .flatMap(({ names }) => names)
        .join(' ');
    const choices = choicesOf(each);
    if (choices === 'commands') {
      const levels = groupsOf(all).map((group) => {
        const words = [...group.commands.map(lastName), '--help'].join(' ');
        return `    ${quoted(`${wordsBefore(each, group)} `)}) words='${words}' ;;`;
      });
      return [...levels, `    ${quoted(`${each.name} `)}*) words='--help' ;;`];
    }
    const lists = [
      `options='${named(['files', 'folders', 'nothing', 'flag'])}'`,
      `files='${named(['files'])}'`,
      `folders='${named(['folders'])}'`,
      `values='${named(['nothing'])}'`,
      `choices='${choices?.join(' ') ?? ''}'`,
    ];
    return `    ${quoted(`${each.name} `)}*) ${lists.join(' ')} ;;`;
  });
  return `# Completes command lines of assay in bash. Load it with: source <(assay completion bash)
_assay() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local before="\${COMP_WORDS[*]:1:COMP_CWORD - 1} " words= options= files= folders= values= choices=
  case $before in
${cases.join('\n')}
    *) COMPREPLY=(); return ;;
  esac
  local kind=-f
  if [[ -n $words ]]; then kind=-W
  elif [[ " $values " == *" $previous "* ]]; then COMPREPLY=(); return
  elif [[ " $folders " == *" $previous "* ]]; then kind=-d
  elif [[ " $files " == *" $previous "* ]]; then kind=-f
  elif [[ $current == -* ]]; then kind=-W words=$options
  elif [[ -n $choices ]]; then kind=-W words=$choices
  fi
  if [[ $kind == -W ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$kind" -- "$current"))
  fi
}
complete -F _assay assay`;
}

function zshScript(all: Group): string {
  const level = (before: string, { commands }: Group): string => {
    const words = commands.map((one) =>
      quoted(`${lastName(one)}:${one.summary.replaceAll(':', '\\:')}`),
    );
    return `    ${quoted(`${before} `)}) commands=(${words.join(' ')}); _describe command commands ;;`;
  };
  const cases = [...nodesOf(all)].flatMap((each) => {
    if (each.kind === 'group') return level(each.name, each);
    const count = each.name.split(' ').length;
    const choices = choicesOf(each);
    if (choices === 'commands') {
      const levels = groupsOf(all).map((group) => level(wordsBefore(each, group), group));
      return [...levels, `    ${quoted(`${each.name} `)}*) _message 'no more arguments' ;;`];
    }
    const rest = choices === undefined ? '_files' : `(${choices.join(' ')})`;
    const specs = [...rowsOf(each).flatMap(zshSpecs), quoted(`*:argument:${rest}`)];
    return `    ${quoted(`${each.name} `)}*) shift ${count} words; (( CURRENT -= ${count} )); _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef assay
# Completes command lines of assay in zsh. Load it with: source <(assay completion zsh)
_assay() {
  local -a commands
  case "\${(j: :)words[2,CURRENT-1]} " in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi`;
}

const ZSH_ACTIONS: Readonly<Record<Completes, string>> = {
  files: '_files',
  folders: '_files -/',
  nothing: '',
  flag: '',
};

function zshSpecs({ names, about, completes: kind, value, many }: Row): readonly string[] {
  const shown = about.replaceAll(/[[\]:\\]/g, (each) => `\\${each}`);
  const after = kind === 'flag' ? '' : `:${value}:${ZSH_ACTIONS[kind]}`;
  const before = many ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => quoted(`${before}${name}[${shown}]${after}`));
}

function fishScript(all: Group): string {
  const level = (before: string, { commands }: Group): readonly string[] => {
    const at = `-n ${quoted(`__assay_group ${before}`.trim())}`;
    return commands.map(
      (one) => `complete -c assay -f ${at} -a ${lastName(one)} -d ${quoted(one.summary)}`,
    );
  };
  const lines = [...nodesOf(all)].flatMap((each) => {
    const at = `-n ${quoted(`__assay_command ${each.name}`)}`;
    if (each.kind === 'group') return level(each.name, each);
    const choices = choicesOf(each);
    if (choices === 'commands') {
      const levels = groupsOf(all).flatMap((group) => level(wordsBefore(each, group), group));
      return [...levels, `complete -c assay ${at} ${fishOption(HELP)}`];
    }
    const rest =
      choices === undefined
        ? `complete -c assay ${at} -F`
        : `complete -c assay -f ${at} -a ${quoted(choices.join(' '))}`;
    return [rest, ...rowsOf(each).map((row) => `complete -c assay ${at} ${fishOption(row)}`)];
  });
  return `# Completes command lines of assay in fish. Load it with: assay completion fish | source
function __assay_group
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
function __assay_command
    set -l words (commandline -opc)
    string match -q -- "$argv *" "$words[2..] "
end
complete -c assay -f
${lines.join('\n')}`;
}

const FISH_VALUES: Readonly<Record<Completes, string>> = {
  files: ' -r -F',
  folders: " -x -a '(__fish_complete_directories)'",
  nothing: ' -x',
  flag: '',
};

function fishOption({ names, about, completes: kind }: Row): string {
  const shown = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return `${shown.join(' ')}${FISH_VALUES[kind]} -d ${quoted(about)}`;
}
