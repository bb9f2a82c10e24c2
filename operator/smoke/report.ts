/** The report for people: one line per check, and under each failure what it means and how to fix it. */
import { styleText } from 'node:util';
import type { Finding } from '../output/finding.ts';
import type { Check, SmokeReport } from './smoke.ts';

const MARKS = {
  pass: { text: 'ok  ', colour: 'green' },
  note: { text: 'note', colour: 'cyan' },
  fail: { text: 'FAIL', colour: 'red' },
} as const;
const NAME_WIDTH = 18;
const TEXT_WIDTH = 72;
const INDENT = ' '.repeat('  FAIL  '.length + NAME_WIDTH + 2);

/** @param colours whether the output is a terminal with colours */
export function renderCheck(check: Finding & { readonly name: string }, colours: boolean): string {
  const { text, colour } = MARKS[check.result];
  const mark = colours ? styleText([colour, 'bold'], text, { validateStream: false }) : text;
  const [first = '', ...rest] = wrapped(check.sentence);
  const lines = [`  ${mark}  ${check.name.padEnd(NAME_WIDTH)}  ${first}`, ...rest.map((line) => INDENT + line)];
  if (check.result === 'fail') {
    const explanation = [...wrapped(`Meaning: ${check.meaning}`), ...wrapped(`Fix: ${check.mend}`)];
    lines.push(...explanation.map((line) => INDENT + line));
  }
  const commands = check.result === 'pass' ? [] : (check.commands ?? []);
  // Not wrapped, so that each command can be copied as a whole.
  lines.push(...commands.map((command) => `      ${command}`));
  if (check.result === 'fail') {
    lines.push('');
  }
  return lines.join('\n');
}

export function renderSummary({ checks, keysUsed, passed }: SmokeReport): string {
  const count = (result: Check['result']) => checks.filter((check) => check.result === result).length;
  const failed = checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
  const notes = count('note') === 1 ? '1 note' : `${count('note')} notes`;
  const keys = keysUsed === 1 ? '1 key was' : `${keysUsed} keys were`;
  const verdict = passed ? 'Nothing failed' : `Failed: ${failed.join(', ')}`;
  return `${verdict}. ${count('pass')} passed, ${notes}. ${keys} used.`;
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
