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

/** The sections of a level, by heading. */
function sections(document: string, level: '##' | '###'): ReadonlyMap<string, string> {
  const parts = document.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(parts.map((part) => [part.split('\n', 1)[0] ?? '', part.split(/^## /m)[0] ?? '']));
}

/** The anchors of all headings, as GitHub generates them. */
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
  it('has a heading for every alarm, and none for an alarm that does not exist', () => {
    const names = ALARMS.map(({ name }) => name.replace('Test-Issuer-', ''));
    expect([...sections(RUNBOOK, '###').keys()]).toEqual(names);
  });

  it.each(ALARMS)('has the anchor in the description of $name', ({ name, description }) => {
    const [, file, anchor] = /What to do: (\S+)#(\S+)$/.exec(description) ?? [];
    expect(file).toBe('docs/runbook.md');
    expect(name).toBe(`Test-Issuer-${anchor}`);
    expect(anchors(RUNBOOK)).toContain(anchor);
  });

  it('covers each expected incident', () => {
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
    'says when "%s" is resolved',
    (_, text) => {
      expect(text).toMatch(/^\*\*Resolved when:\*\* [A-Z`]/m);
    },
  );

  it.each([...sections(RUNBOOK, '###')])('has the symptom of the alarm %s, and what to do first', (_, text) => {
    expect(text).toMatch(/^\*\*Symptom:\*\* .*^\*\*First:\*\* .*^\*\*Resolved when:\*\* /ms);
  });

  it("says that AWS Budgets do not include OpenAI's charges", () => {
    expect(RUNBOOK).toContain("AWS Budgets do not include OpenAI's charges");
  });

  it('has the anchors that the dashboard links to', () => {
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
    'have for %s the status, whether it is retryable, the visitor’s message, the cause and the action',
    (code) => {
      const { status, retryable } = PROBLEMS[code];
      const text = sections(ERRORS, '##').get(code);
      expect(text).toContain(`\n${status}, ${retryable ? 'retryable' : 'not retryable'}.\n`);
      expect(text).toContain(`**Message:** "${sentence(code, 'en', 2_400)}"\n`);
      expect(text).toMatch(/^\*\*Cause:\*\* [A-Z].*^\*\*Action:\*\* /ms);
    },
  );
});

it.each([
  ['docs/runbook.md', RUNBOOK],
  ['docs/errors.md', ERRORS],
])('%s links to headings that exist', (_, document) => {
  const links = [...document.matchAll(/\]\(([\w.]*)#([\w-]+)\)/g)];
  expect(links).not.toEqual([]);
  for (const [link, file, anchor] of links) {
    expect(anchors(file === '' ? document : RUNBOOK), link).toContain(anchor);
  }
});
