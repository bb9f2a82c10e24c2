/** Every command that a document shows exists, with the options that it is shown with. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { issuer } from '../operator/command.ts';
import { codeBlocks, codeSpans, DOCUMENTS, ROOT, readDocument, tableUnder } from '../support/documentation.ts';

const SCRIPTS: Readonly<Record<string, string>> = packageJson.scripts;
/** Programs that print their options at --help. */
const PROGRAMS: Readonly<Record<string, string>> = {
  analyze: 'bin/analyze-retries.ts',
  bench: 'bench/bench.ts',
  scale: 'bench/scale.ts',
  simulate: 'bench/simulate.ts',
};

const shown = new Map<string, string>();
for (const document of DOCUMENTS) {
  const blocks = await codeBlocks(document, 'sh');
  for (const line of [...blocks.flatMap((block) => block.split('\n')), ...codeSpans(await readDocument(document))]) {
    for (const command of line.replace(/(^|\s)#.*/, '').split(/&&|\|(?!\|)/)) {
      const text = command.trim();
      if (/^(([A-Z_]+=\S+ )*npm|npx|node|issuer|analyze-retries) /.test(text) && !shown.has(text)) {
        shown.set(text, document);
      }
    }
  }
}

const helps = new Map<string, string>();
function helpOf(program: string): string {
  const command = program.endsWith('.ts') ? [execPath, program] : [program];
  const [file = '', ...args] = [...command, '--help'];
  const help = helps.get(program) ?? spawnSync(file, args, { encoding: 'utf8', cwd: ROOT }).stdout;
  helps.set(program, help);
  return help;
}

/** `issuer` alone, and each of its commands, explains itself at --help. */
async function expectIssuerCommand(line: string): Promise<void> {
  const [name = ''] = line.split(' ');
  const { code, out } = await issuer(/^\w/.test(name) ? [name, '--help'] : ['--help']);
  expect(code).toBe(0);
  expectOptions(line, out);
}

function expectOptions(line: string, help: string): void {
  for (const [option] of line.matchAll(/(?<=^|\s)--[a-z-]+/g)) {
    expect(help).toContain(option);
  }
}

async function expectScript(name: string, rest: string): Promise<void> {
  expect(Object.keys(SCRIPTS)).toContain(name);
  const program = PROGRAMS[name];
  if (name === 'issuer' || name === 'smoke') {
    await expectIssuerCommand(name === 'smoke' ? `smoke ${rest}` : rest);
  } else if (program !== undefined) {
    expect(SCRIPTS[name]).toContain(program);
    expectOptions(rest, helpOf(program));
  }
}

/** The first pattern that a command matches says what has to be there. */
const KINDS: readonly [pattern: RegExp, check: (...groups: string[]) => void | Promise<void>][] = [
  [/^npm run (?:-s |--silent )?([\w:-]+)(?: --(?: (.*))?)?$/, (script = '', rest = '') => expectScript(script, rest)],
  [/^npm (\w+)/, (command) => expect(['ci', 'i', 'install', 'pack', 'start', 'test']).toContain(command)],
  [/^(?:npx )?issuer (.*)$/, (line = '') => expectIssuerCommand(line)],
  [
    /^npx cdk (\w+)/,
    (command) => expect(helpOf('node_modules/.bin/cdk')).toMatch(new RegExp(`^  cdk ${command}\\b`, 'm')),
  ],
  [/^npx esbuild (.*)$/, (line = '') => expectOptions(line, helpOf('node_modules/.bin/esbuild'))],
  [/^(?:npx node|npx vitest run) ([\w/.-]+)/, (file = '') => expect(existsSync(join(ROOT, file))).toBe(true)],
  [/^analyze-retries (.*)$/, (line = '') => expectOptions(line, helpOf('bin/analyze-retries.ts'))],
];

describe('a command that a document shows', () => {
  it.each([...shown])('%s (%s)', async (command) => {
    const words = command.replace(/^([A-Z_]+=\S+ )*/, '').replace(/ [A-Z]+$/, '');
    const [match] = KINDS.flatMap(([pattern, check]) => {
      const groups = pattern.exec(words)?.slice(1);
      return groups === undefined ? [] : [() => check(...groups)];
    });
    expect(match, `${command} is of no kind that can be checked`).toBeDefined();
    await match?.();
  });
});

describe.each([
  ['README.md', 'Operations'],
  ['README.ja.md', '運用'],
  ['docs/operations.md', 'Commands'],
])("%s's table of commands", async (document, heading) => {
  const commands = tableUnder(await readDocument(document), heading).flatMap(([cell = '']) => cell.split(', '));

  it.each(commands)('%s is one', async (command) => {
    await expectIssuerCommand(command);
  });

  it('has all that there are', async () => {
    const { out } = await issuer(['--help']);
    const names = [...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name);
    expect([...new Set(commands.map((command) => command.split(' ')[0]))].sort()).toEqual(names.sort());
  });
});
