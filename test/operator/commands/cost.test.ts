import { expect, it } from 'vitest';
import { cost } from '../../../operator/commands/cost.ts';
import { issuer } from '../command.ts';

const MINI = 'gpt-realtime-2.1-mini';
const of = (keys: number, refused: number) => cost({ keys, refused, model: MINI, sessions: 1 });

it('no keys and no refusals cost nothing', () => {
  expect(of(0, 0)).toMatchObject({ openai: { dollars: 0 }, aws: { dollars: 0 } });
});

it('in the worst case, a key costs an hour of conversation for each session that it opens', () => {
  const { openai } = cost({ keys: 10, refused: 0, model: MINI, sessions: 3, perMinute: 0.5 });
  expect(openai).toMatchObject({ minutes: 1_800, dollars: 900 });
});

it('a larger model costs more', () => {
  const large = cost({ keys: 1, refused: 0, model: 'gpt-realtime-2.1', sessions: 1 });
  expect(large.openai.perMinute).toBeGreaterThan(of(1, 0).openai.perMinute);
});

it.each([
  ['DynamoDB writes', 1_000_000, 0, 1.25],
  ['DynamoDB reads', 1_000_000, 0, 0.25],
  ['DynamoDB writes', 0, 1_000_000, 0.625],
  ['DynamoDB reads', 0, 1_000_000, 0.25],
  ['Lambda requests', 500_000, 500_000, 0],
  ['Lambda requests', 0, 2_000_000, 0.2],
  ['Lambda compute', 1_600_000, 0, 0],
  ['CloudFront', 0, 10_000_000, 0],
  ['CloudFront', 0, 11_000_000, 1],
  ['CloudWatch Logs', 0, 5_000_000, 0],
])('%s of %i keys and %i refusals cost $%d beyond the free amount', (name, keys, refused, dollars) => {
  expect(of(keys, refused).aws.items.find((item) => item.name === name)?.dollars).toBeCloseTo(dollars, 6);
});

it('shows OpenAI first, and says what limits that cost', async () => {
  const { code, out } = await issuer(['cost', '--keys', '15000', '--refused', '1000000']);

  expect(code).toBe(0);
  expect(out.indexOf('OpenAI, worst case')).toBeLessThan(out.indexOf('AWS '));
  expect(out).toContain('$297,000.00');
  expect(out).toContain('Only the budget of your OpenAI project limits this cost.');
  expect(out).toMatch(/Prices of \d{4}-\d\d-\d\d/);
});

it('with --json prints one line', async () => {
  const { out } = await issuer(['cost', '--keys', '1', '--refused', '0', '--per-minute', '0.2', '--json']);
  expect(JSON.parse(out)).toMatchObject({ keys: 1, openai: { dollars: 12 } });
});
