import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../contract/metrics.ts';
import { logLine } from '../../../lambda/telemetry.ts';
import { ALL_VERDICTS, NOW } from '../../support/verdicts.ts';
import { propertiesOf, templateOf } from '../synth.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly properties: {
    readonly markdown?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly query?: string;
  };
}

const TEMPLATE = templateOf({ guardrails: true, dashboard: true });

/** @returns the widgets of the body, with `<x>` in the places that CloudFormation fills in */
function widgetsOf(template: Template): Widget[] {
  const body = propertiesOf(template, 'AWS::CloudWatch::Dashboard').DashboardBody;
  const parts: unknown[] = body['Fn::Join'][1];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '<x>')).join('')).widgets;
}

function queriesOf(template: Template) {
  return Object.values(template.findResources('AWS::Logs::QueryDefinition')).map(({ Properties }) => Properties);
}

describe('the dashboard', () => {
  it('answers in this order: is it on, is it being abused, is it failing, what does it cost', () => {
    const headings = widgetsOf(TEMPLATE)
      .filter(({ type }) => type === 'text')
      .toSorted((a, b) => a.y - b.y)
      .map(({ properties }) => /^## (.*)$/m.exec(properties.markdown ?? '')?.[1]);
    expect(headings).toEqual(['Is it on?', 'Is it being abused?', 'Is it failing?', 'What does it cost?']);
  });

  it('shows every metric of the function', () => {
    const shown = widgetsOf(TEMPLATE).flatMap(({ properties }) => (properties.metrics ?? []).map(([, name]) => name));
    expect(shown).toEqual(expect.arrayContaining(Object.keys(METRICS)));
  });

  it('says that the costs of OpenAI are shown only at OpenAI', () => {
    const texts = widgetsOf(TEMPLATE).map(({ properties }) => properties.markdown ?? '');
    expect(texts.join('\n')).toContain('AWS Budgets does not include it');
  });

  it('shows the alarms if there are any', () => {
    const alarmWidgets = (template: Template) => widgetsOf(template).filter(({ type }) => type === 'alarm').length;
    expect(alarmWidgets(TEMPLATE)).toBe(1);
    expect(alarmWidgets(templateOf({ dashboard: true }))).toBe(0);
  });

  it('is not created, and its queries neither, if dashboard is false', () => {
    const template = templateOf({ dashboard: false });
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    template.resourceCountIs('AWS::Logs::QueryDefinition', 0);
  });
});

describe('the saved queries', () => {
  it('are about refusals by viewer, refusals by reason and latency', () => {
    const names = queriesOf(TEMPLATE).map(({ Name }) => Name);
    expect(names.toSorted()).toEqual([
      'Test-Issuer/latency',
      'Test-Issuer/refusals by reason',
      'Test-Issuer/refusals by viewer',
    ]);
  });

  it("read the function's log", () => {
    const [logGroup] = Object.keys(TEMPLATE.findResources('AWS::Logs::LogGroup'));
    for (const { LogGroupNames } of queriesOf(TEMPLATE)) {
      expect(LogGroupNames).toEqual([{ Ref: logGroup }]);
    }
  });

  it('use only fields that log lines have', () => {
    const fields = new Set(ALL_VERDICTS.flatMap((verdict) => Object.keys(logLine({ verdict, ...REPORT }))));
    const used = queriesOf(TEMPLATE).flatMap(({ QueryString }) => fieldsIn(QueryString));
    expect(used).toContain('viewer');
    expect([...new Set(used)].filter((field) => !fields.has(field))).toEqual([]);
  });

  it('are commands of the query language, joined by pipes', () => {
    for (const { QueryString } of queriesOf(TEMPLATE)) {
      expect(QueryString).toMatch(/^filter [^\n]+\n\| stats [^\n]+\n\| sort \w+ desc(\n\| limit \d+)?$/);
    }
  });
});

const REPORT = {
  trace: {},
  status: 418,
  startedAt: NOW,
  endedAt: NOW,
  requestId: '8f5c1e0a',
  coldStart: true,
  functionName: 'issuer',
};

/** @returns the words of a query that are not quoted text, an alias, a function or a keyword */
function fieldsIn(query: string): string[] {
  const aliases = new Set([...query.matchAll(/ as (\w+)/g)].map(([, name]) => name));
  const bare = query.replaceAll(/"[^"]*"/g, '').replaceAll(/\w+\(/g, '(');
  return (bare.match(/[a-z_]\w*/g) ?? []).filter((word) => !KEYWORDS.has(word) && !aliases.has(word));
}

const KEYWORDS = new Set(['filter', 'stats', 'sort', 'limit', 'desc', 'by', 'as', 'and', 'not', 'in']);
