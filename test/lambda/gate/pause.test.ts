import { beforeEach, describe, expect, it } from 'vitest';
import { amend, isHardPause, pause, previousCapIn, readSwitch, resume } from '../../../lambda/gate/kill-switch.ts';
import { read } from '../../../limiter/index.ts';
import { losing, losingProxy } from '../../limiter/proofs/losing-proxy.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const SILENT = { ja: undefined, en: undefined };
const HARD = { hard: { previousCap: 5 } } as const;
const ANN = { since: 100, by: 'ann', message: { ja: undefined, en: 'Closed.' } };

let table: TestTable;
beforeEach(async () => {
  table = await freshTable();
});

it.each([
  ['without an item', undefined],
  ['after a resume', { pk: { S: 'switch' }, paused: { BOOL: false }, message_ja: { S: 'old' }, hard: { BOOL: true } }],
])('pauses %s, and removes the attributes of the previous pause', async (_, item) => {
  if (item !== undefined) {
    await table.put(item);
  }
  expect(await pause(table, ANN)).toEqual({ ours: true, state: { paused: true, ...ANN } });
  expect(await readSwitch(table)).toEqual({ paused: true, ...ANN });
  expect(isHardPause(await read(table, 'switch'))).toBe(false);
});

it('of many concurrent pauses one succeeds, and the others get its author', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `operator-${index}`);
  const outcomes = await Promise.all(names.map((by) => pause(table, { ...ANN, by })));
  const winner = outcomes.findIndex(({ ours }) => ours);

  expect(outcomes.filter(({ ours }) => ours)).toHaveLength(1);
  expect(new Set(outcomes.map(({ state }) => state.paused && state.by))).toEqual(new Set([names[winner]]));
});

it('recognises its own pause if the response was lost and the SDK retried', async () => {
  const proxy = await losingProxy();
  const behind = await freshTable({ endpoint: proxy.endpoint, maxAttempts: 2 });
  proxy.lose = losing(1);
  const outcome = await pause(behind, ANN).finally(proxy.close);

  expect(proxy.lost).toBe(1);
  expect(outcome).toEqual({ ours: true, state: { paused: true, ...ANN } });
});

it.each([
  ['without the attribute paused', {}],
  ['with paused of an invalid type', { paused: { S: 'false' } }],
])('an item %s counts as paused, as it does for the function', async (_, attributes) => {
  await table.put({ pk: { S: 'switch' }, ...attributes });
  expect((await pause(table, ANN)).ours).toBe(false);
});

it('a new message replaces the one of its language, and only while paused', async () => {
  expect(await amend(table, { message: { ja: undefined, en: 'Early.' } })).toBe(false);
  expect(await readSwitch(table)).toEqual({ paused: false });

  await pause(table, ANN);
  expect(await amend(table, { message: { ja: '休止中です。', en: undefined } })).toBe(true);
  expect(await readSwitch(table)).toMatchObject({ by: 'ann', message: { ja: '休止中です。', en: 'Closed.' } });
});

describe('a hard pause', () => {
  const switchItem = () => read(table, 'switch');

  it.each([1, 5, 'none'] as const)('records a cap of %s, and leaves the pause unchanged otherwise', async (cap) => {
    await pause(table, ANN);
    expect(await amend(table, { hard: { previousCap: cap } })).toBe(true);

    expect(previousCapIn(await switchItem())).toBe(cap);
    expect(isHardPause(await switchItem())).toBe(true);
    expect(await readSwitch(table)).toEqual({ paused: true, ...ANN });
  });

  it('that finds the concurrency at 0 keeps the recorded cap', async () => {
    await pause(table, ANN);
    await amend(table, { hard: { previousCap: 5 } });
    await amend(table, { hard: { previousCap: undefined } });
    expect(previousCapIn(await switchItem())).toBe(5);
  });

  it('ends with the resume, and its record stays: a delayed command may still set the concurrency to 0', async () => {
    await pause(table, ANN);
    await amend(table, { hard: { previousCap: 5 } });
    expect(await resume(table, await switchItem(), 200)).toEqual({ paused: false });

    expect(isHardPause(await switchItem())).toBe(false);
    expect(previousCapIn(await switchItem())).toBe(5);
    await pause(table, ANN);
    expect(isHardPause(await switchItem())).toBe(false);
    expect(previousCapIn(await switchItem())).toBe(5);
  });

  it('is not written if the issuer is not paused, because an item with only a cap would count as paused', async () => {
    expect(await amend(table, { hard: { previousCap: 5 } })).toBe(false);
    expect(await readSwitch(table)).toEqual({ paused: false });
  });
});

it.each([{ S: '0' }, { S: '-1' }, { S: '' }, { N: '5' }, { S: '5e3' }])('%j is not a cap', async (previous_cap) => {
  await table.put({ pk: { S: 'switch' }, paused: { BOOL: true }, previous_cap });
  expect(previousCapIn(await read(table, 'switch'))).toBeUndefined();
  expect((await readSwitch(table)).paused && SILENT).toEqual(SILENT);
});

describe('a resume', () => {
  it('removes everything of the pause, and stores the time of the resume', async () => {
    await pause(table, ANN);
    await resume(table, await read(table, 'switch'), 200);
    expect(await table.items()).toEqual([{ pk: { S: 'switch' }, paused: { BOOL: false }, resumed_at: { N: '200' } }]);
  });

  it.each([{}, { paused: { BOOL: true } }, { paused: { S: 'false' }, by: { S: 'by hand' } }])(
    'ends a pause that was written by hand: %j',
    async (attributes) => {
      await table.put({ pk: { S: 'switch' }, ...attributes });
      expect(await resume(table, await read(table, 'switch'), 200)).toEqual({ paused: false });
      expect(await readSwitch(table)).toEqual({ paused: false });
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['another pause made', () => pause(table, { ...ANN, by: 'bob' })],
    ['another pause made and hardened', () => pause(table, ANN).then(() => amend(table, HARD))],
    ['a pause that was hardened again', () => amend(table, HARD)],
  ])('does not end %s since the switch was read', async (what, meanwhile) => {
    await pause(table, ANN);
    await amend(table, HARD);
    const seen = await read(table, 'switch');
    if (what !== 'a pause that was hardened again') {
      await resume(table, seen, 200);
    }
    await meanwhile();
    const current = await read(table, 'switch');

    expect(await resume(table, seen, 300)).toMatchObject({ paused: true });
    expect(await read(table, 'switch')).toEqual(current);
  });

  it('recognises that it was applied if the response was lost and the SDK retried', async () => {
    const proxy = await losingProxy();
    const behind = await freshTable({ endpoint: proxy.endpoint, maxAttempts: 2 });
    await pause(behind, ANN);
    const seen = await read(behind, 'switch');
    proxy.lose = losing(1);
    const outcome = await resume(behind, seen, 200).finally(proxy.close);

    expect(proxy.lost).toBe(1);
    expect(outcome).toEqual({ paused: false });
  });
});
