import { beforeEach, describe, expect, it } from 'vitest';
import { notePreviousCap, pause, previousCapIn, readSwitch, resume, reword } from '../../../lambda/gate/kill-switch.ts';
import { read } from '../../../limiter/index.ts';
import { losing, losingProxy } from '../../limiter/proofs/losing-proxy.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const SILENT = { ja: undefined, en: undefined };
const ANN = { since: 100, by: 'ann', message: { ja: undefined, en: 'Closed.' } };

let table: TestTable;
beforeEach(async () => {
  table = await freshTable();
});

it.each([
  ['without an item', undefined],
  [
    'after a resume',
    { pk: { S: 'switch' }, paused: { BOOL: false }, message_ja: { S: 'old' }, previous_cap: { S: '5' } },
  ],
])('pauses %s, with nothing left of what was there', async (_, item) => {
  if (item !== undefined) {
    await table.put(item);
  }
  expect(await pause(table, ANN)).toEqual({ ours: true, state: { paused: true, ...ANN } });
  expect(await readSwitch(table)).toEqual({ paused: true, ...ANN });
  expect(previousCapIn(await read(table, 'switch'))).toBeUndefined();
});

it('of many at once, one pauses and the others learn who', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `operator-${index}`);
  const outcomes = await Promise.all(names.map((by) => pause(table, { ...ANN, by })));
  const winner = outcomes.findIndex(({ ours }) => ours);

  expect(outcomes.filter(({ ours }) => ours)).toHaveLength(1);
  expect(new Set(outcomes.map(({ state }) => state.paused && state.by))).toEqual(new Set([names[winner]]));
});

it('knows its own pause where the answer was lost and the SDK asked again', async () => {
  const proxy = await losingProxy();
  const behind = await freshTable({ endpoint: proxy.endpoint, maxAttempts: 2 });
  proxy.lose = losing(1);
  const outcome = await pause(behind, ANN).finally(proxy.close);

  expect(proxy.lost).toBe(1);
  expect(outcome).toEqual({ ours: true, state: { paused: true, ...ANN } });
});

it.each([
  ['that says nothing', {}],
  ['that says it wrongly', { paused: { S: 'false' } }],
])('an item %s is a pause already, as the function reads it', async (_, attributes) => {
  await table.put({ pk: { S: 'switch' }, ...attributes });
  expect((await pause(table, ANN)).ours).toBe(false);
});

it('other words replace those of their language, and only where somebody paused', async () => {
  expect(await reword(table, { ja: undefined, en: 'Early.' })).toBe(false);
  expect(await readSwitch(table)).toEqual({ paused: false });

  await pause(table, ANN);
  expect(await reword(table, { ja: '休止中です。', en: undefined })).toBe(true);
  expect(await readSwitch(table)).toMatchObject({ by: 'ann', message: { ja: '休止中です。', en: 'Closed.' } });
});

it.each([1, 5, 'none'] as const)('notes a cap of %s beside the pause, which reads as before', async (cap) => {
  await pause(table, ANN);
  expect(await notePreviousCap(table, cap)).toBe(true);

  expect(previousCapIn(await read(table, 'switch'))).toBe(cap);
  expect(await readSwitch(table)).toEqual({ paused: true, ...ANN });
  expect(await resume(table, await read(table, 'switch'), 200)).toEqual({ paused: false });
  expect(previousCapIn(await read(table, 'switch'))).toBeUndefined();
});

it('notes no cap where nobody paused: the note alone would read as a pause', async () => {
  expect(await notePreviousCap(table, 5)).toBe(false);
  expect(await readSwitch(table)).toEqual({ paused: false });
});

it.each([{ S: '0' }, { S: '-1' }, { S: '' }, { N: '5' }, { S: '5e3' }])('takes %j for no cap', async (previous_cap) => {
  await table.put({ pk: { S: 'switch' }, paused: { BOOL: true }, previous_cap });
  expect(previousCapIn(await read(table, 'switch'))).toBeUndefined();
  expect((await readSwitch(table)).paused && SILENT).toEqual(SILENT);
});

describe('a resume', () => {
  it('leaves nothing of the pause but the time of its end', async () => {
    await pause(table, ANN);
    await resume(table, await read(table, 'switch'), 200);
    expect(await table.items()).toEqual([{ pk: { S: 'switch' }, paused: { BOOL: false }, resumed_at: { N: '200' } }]);
  });

  it.each([{}, { paused: { BOOL: true } }, { paused: { S: 'false' }, by: { S: 'by hand' } }])(
    'ends a pause that somebody wrote by hand: %j',
    async (attributes) => {
      await table.put({ pk: { S: 'switch' }, ...attributes });
      expect(await resume(table, await read(table, 'switch'), 200)).toEqual({ paused: false });
      expect(await readSwitch(table)).toEqual({ paused: false });
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['another pause', () => pause(table, { ...ANN, by: 'bob' })],
    ['a pause that was made hard', () => pause(table, ANN).then(() => notePreviousCap(table, 5))],
    ['a pause that was made hard a second time', () => notePreviousCap(table, 5)],
  ])('leaves %s than the one that it has read as it is', async (what, meanwhile) => {
    await pause(table, ANN);
    await notePreviousCap(table, 5);
    const seen = await read(table, 'switch');
    if (what !== 'a pause that was made hard a second time') {
      await resume(table, seen, 200);
    }
    await meanwhile();
    const stands = await read(table, 'switch');

    expect(await resume(table, seen, 300)).toMatchObject({ paused: true });
    expect(await read(table, 'switch')).toEqual(stands);
  });

  it('knows that it was applied where the answer was lost and the SDK asked again', async () => {
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
