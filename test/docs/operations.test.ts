import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { sentence } from '../../lambda/answers/sentences.ts';
import { templateOf } from '../lib/synth.ts';

const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');
const ERRORS = readFileSync('docs/errors.md', 'utf8');
const TEMPLATE = templateOf({ guardrails: true, limiterFailureMode: 'open', dashboard: true });
const ALARMS = Object.values(TEMPLATE.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => ({
  name: String(Properties['AlarmName']),
  description: String(Properties['AlarmDescription']),
}));

/** Sections of a level, by heading. */
function sections(document: string, level: '##' | '###'): ReadonlyMap<string, string> {
  const parts = document.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(parts.map((part) => [part.split('\n', 1)[0] ?? '', part.split(/^## /m)[0] ?? '']));
}

/** What a link to a heading is, as GitHub has it. */
function anchors(document: string): string[] {
  const headings = [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the runbook', () => {
  it('has a heading for every alarm, and none for an alarm that there is not', () => {
    const names = ALARMS.map(({ name }) => name.replace('Test-Issuer-', ''));
    expect([...sections(RUNBOOK, '###').keys()]).toEqual(names);
  });

  it.each(ALARMS)('is where the description of $name leads', ({ name, description }) => {
    const [, file, anchor] = /What to do: (\S+)#(\S+)$/.exec(description) ?? [];
    expect(file).toBe('docs/runbook.md');
    expect(name).toBe(`Test-Issuer-${anchor}`);
    expect(anchors(RUNBOOK)).toContain(anchor);
  });

  it('says what to do in each of the cases that are to be expected', () => {
    expect([...sections(RUNBOOK, '##').keys()]).toEqual([
      'Abused',
      'Out of budget',
      'OpenAI is down',
      'A key leaked',
      'After an automatic pause',
      'Remove everything',
      'Alarms',
    ]);
  });

  it.each([...sections(RUNBOOK, '###'), ...sections(RUNBOOK, '##')].filter(([heading]) => heading !== 'Alarms'))(
    'says of "%s" how to know that it is over',
    (_, text) => {
      expect(text).toMatch(/^\*\*It is over when\*\* /m);
    },
  );

  it.each([...sections(RUNBOOK, '###')])('says of the alarm %s what is to be seen, and what comes first', (_, text) => {
    expect(text).toMatch(/^\*\*You see\*\* .*^\*\*First\*\*.*^\*\*It is over when\*\*/ms);
  });

  it('says that AWS Budgets see nothing of what OpenAI charges', () => {
    expect(RUNBOOK).toContain('AWS Budgets see nothing of what OpenAI charges');
  });

  it('is where the dashboard leads', () => {
    const dashboard = JSON.stringify(TEMPLATE.findResources('AWS::CloudWatch::Dashboard'));
    const links = [...dashboard.matchAll(/docs\/runbook\.md#([\w-]+)/g)].map(([, anchor]) => anchor);
    expect(links).toEqual(['abused']);
    expect(anchors(RUNBOOK)).toEqual(expect.arrayContaining(links));
  });
});

describe('the errors', () => {
  it('have a heading for every problem code, in the order of contract/', () => {
    expect([...sections(ERRORS, '##').keys()]).toEqual(Object.keys(PROBLEMS));
  });

  it.each(Object.keys(PROBLEMS) as ProblemCode[])(
    'of %s say its status, whether to repeat, and the visitor’s sentence',
    (code) => {
      const { status, retryable } = PROBLEMS[code];
      const text = sections(ERRORS, '##').get(code);
      expect(text).toContain(`\n${status}, ${retryable ? 'may' : 'not to'} be repeated.\n`);
      expect(text).toContain(`**The visitor reads:** "${sentence(code, 'en', 2_400)}"\n`);
      expect(text).toMatch(/^\*\*It means:\*\* [A-Z].*^\*\*The owner:\*\* /ms);
    },
  );
});

it.each([
  ['docs/runbook.md', RUNBOOK],
  ['docs/errors.md', ERRORS],
])('%s leads to headings that there are', (_, document) => {
  const links = [...document.matchAll(/\]\(([\w.]*)#([\w-]+)\)/g)];
  expect(links).not.toEqual([]);
  for (const [link, file, anchor] of links) {
    expect(anchors(file === '' ? document : RUNBOOK), link).toContain(anchor);
  }
});
