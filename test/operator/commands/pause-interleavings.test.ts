/**
 * `pause --hard` and `resume` at the same time, up to three of them, and killed at any step. Each writes to two services, and no
 * transaction covers both. The reserved concurrency and the table are in memory, and the test decides the order of all requests.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import {
  amend,
  type Cap,
  isHardPause,
  pause as pauseSwitch,
  previousCapIn,
  switchIn,
} from '../../../lambda/gate/kill-switch.ts';
import type { Item, Table } from '../../../limiter/index.ts';
import { type PauseReport, pause } from '../../../operator/commands/pause.ts';
import { renderStatus } from '../../../operator/commands/render-status.ts';
import { type ResumeReport, resume } from '../../../operator/commands/resume.ts';
import { readStatus } from '../../../operator/commands/status.ts';
import type { Deployment, OnAws } from '../../../operator/stack/deployment.ts';
import { everyReachableState, type Step } from '../../support/interleavings.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';
import { isLong } from '../../support/runs.ts';

/** For three commands. Without a limit, a test visits up to 50,000 states, which takes a minute. */
const MOST_INTERRUPTIONS = isLong ? Number.POSITIVE_INFINITY : 3;

/** The issuer's state on AWS: the switch's item, and the function's reserved concurrency as Lambda keeps it. */
interface World {
  readonly table: MemoryTable;
  cap: Cap;
}

function worldWith(cap: Cap): World {
  return { table: memoryTable(), cap };
}

function itemOf({ table }: World): Item {
  return table.item('switch') ?? {};
}

/** The issuer, for a command that waits for its turn before each request. */
function deployment(world: World, step: Step = (act) => act()): Deployment {
  const inOrder = (send: (command: never) => Promise<unknown>) => ({
    send: (command: never) => step(() => send(command)),
  });
  const lambda = inOrder((command) => Promise.resolve(lambdaAnswer(world, command)));
  const place = { kind: 'aws', lambda, functionName: 'f', sameAccount: ' --region r' } as unknown as OnAws;
  const client = inOrder((command) => world.table.client.send(command)) as unknown as Table['client'];
  const found = { name: 'Demo', url: undefined, table: { name: world.table.name, client } };
  return { ...found, place, tableClock: () => 100, sameIssuer: ' --stack Demo' } as unknown as Deployment;
}

function lambdaAnswer(world: World, command: unknown): object {
  if (command instanceof GetFunctionConcurrencyCommand) {
    return world.cap === 'none' ? {} : { ReservedConcurrentExecutions: world.cap };
  }
  if (command instanceof PutFunctionConcurrencyCommand) {
    world.cap = Number(command.input.ReservedConcurrentExecutions);
  } else if (command instanceof DeleteFunctionConcurrencyCommand) {
    world.cap = 'none';
  } else {
    throw new TypeError('Lambda got an unexpected request.');
  }
  return {};
}

type Outcome = PauseReport | ResumeReport | { readonly error: string };

const COMMANDS = { 'pause --hard': pauseHard, resume: resumeIt } as const;
type CommandName = keyof typeof COMMANDS;

function pauseHard(world: World, step?: Step): Promise<Outcome> {
  const options = { message: { ja: undefined, en: undefined }, hard: true, by: 'ann', now: 0 };
  return outcomeOf(pause(deployment(world, step), options));
}

function resumeIt(world: World, step?: Step): Promise<Outcome> {
  return outcomeOf(resume(deployment(world, step)));
}

function outcomeOf(command: Promise<Outcome>): Promise<Outcome> {
  return command.catch((error: Error) => ({ error: error.message }));
}

function pauseSoftly({ table }: World): Promise<unknown> {
  return pauseSwitch(table, { since: 1, by: 'eve', message: { ja: undefined, en: undefined } });
}

/** The states before the commands start. */
const INITIAL_STATES: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  ['the issuer is not paused', () => Promise.resolve()],
  ['the issuer is paused', pauseSoftly],
  ['the issuer is paused hard', (world) => pauseHard(world)],
  [
    'a hard pause was interrupted before it set the concurrency to 0',
    (world) => pauseSoftly(world).then(() => amend(world.table, { hard: { previousCap: world.cap } })),
  ],
  [
    'a hard pause set the concurrency to 0 after the resume',
    async (world) => {
      await pauseHard(world);
      await resumeIt(world);
      world.cap = 0;
    },
  ],
];

function stateOf(world: World) {
  const item = itemOf(world);
  return { paused: switchIn(item).paused, hard: isHardPause(item), cap: world.cap, recorded: previousCapIn(item) };
}

const pausedHard = (before: Cap) => ({ paused: true, hard: true, cap: 0, recorded: before });
const notPaused = (before: Cap) => ({ paused: false, hard: false, cap: before });

function errorOf(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'error' in outcome ? outcome.error : '';
}

/**
 * What must be true when all commands have ended: switch and concurrency match, and a command reports that they do. A command that
 * reports an error says which state the issuer is in.
 */
function judgeEnd(world: World, before: Cap, outcomes: readonly Outcome[]): void {
  const { paused } = stateOf(world);
  expect(stateOf(world)).toMatchObject(paused ? pausedHard(before) : notPaused(before));
  const report = paused ? { paused: true, hard: true, disagreement: undefined } : { paused: false };
  expect(outcomes).toContainEqual(expect.objectContaining(report));
  for (const outcome of outcomes) {
    expect(errorOf(outcome)).toMatch(/^$|it is NOT PAUSED|The issuer stays PAUSED|the hard pause is incomplete/);
  }
}

/** Runs the commands in every order, and kills them at every step. @returns how many states they reached, and how many ends */
async function exploreAll(
  names: readonly CommandName[],
  { prepare, before, most }: { prepare: (world: World) => Promise<unknown>; before: Cap; most?: number },
): Promise<{ readonly states: number; readonly ends: ReadonlySet<string> }> {
  const left = new Map<string, World>();
  const ends = new Set<string>();
  async function begin() {
    const world = worldWith(before);
    await prepare(world);
    const outcomes: Outcome[] = [];
    const memories = names.map((): Memory => []);
    const commands = names.map((name, index) => async (step: Step) => {
      outcomes[index] = await COMMANDS[name](world, remembering(step, memories[index] ?? [], world));
    });
    const known = () => names.map((name, index) => [name, outcomes[index] ?? memories[index]]);
    return {
      commands,
      state: () => canonical([itemOf(world), world.cap], known()),
      visit(order: string, hasEnded: boolean) {
        left.set(JSON.stringify(stateOf(world)), copyOf(world));
        if (hasEnded) {
          ends.add(stateOf(world).paused ? 'paused' : 'not paused');
          const what = JSON.stringify([order, stateOf(world), outcomes]);
          expect(() => judgeEnd(world, before, outcomes), what).not.toThrow();
        }
      },
    };
  }
  const states = await everyReachableState(begin, most);
  for (const world of left.values()) {
    await expectNamedAndFixable(world, before);
  }
  return { states, ends };
}

describe.each(INITIAL_STATES)('if %s', (_, prepare) => {
  it.each<Cap>([5, 'none'])('with a cap of %s, the later one of two commands wins', async (before) => {
    for (const [first, second] of [
      ['pause --hard', 'resume'],
      ['resume', 'pause --hard'],
    ] as const) {
      const world = worldWith(before);
      await prepare(world);
      await COMMANDS[first](world);
      await COMMANDS[second](world);
      expect(stateOf(world)).toMatchObject(second === 'resume' ? notPaused(before) : pausedHard(before));
    }
  });

  it.each<Cap>([5, 'none'])('with a cap of %s, two commands agree in every order of their steps', async (before) => {
    const { states, ends } = await exploreAll(['pause --hard', 'resume'], { prepare, before });
    expect(states).toBeGreaterThan(100);
    expect(ends.size).toBe(2);
  });

  it.each<CommandName[][]>([[['pause --hard', 'resume', 'pause --hard']], [['resume', 'pause --hard', 'resume']]])(
    `three commands agree: %j${isLong ? '' : `, with up to ${MOST_INTERRUPTIONS} interruptions`}`,
    async (names) => {
      const { states, ends } = await exploreAll(names, { prepare, before: 5, most: MOST_INTERRUPTIONS });
      expect(states).toBeGreaterThan(1_000);
      expect(ends.size).toBe(2);
    },
  );
});

/** What a running command has learned from its requests, and still uses. Together with its name, it determines what it does next. */
type Memory = (readonly [kind: 'write' | 'cap' | 'read', result: unknown])[];

/** After a write, a command reads everything again. Only `resume` sets the concurrency first and then uses what it has read. */
function remembering(step: Step, memory: Memory, world: World): Step {
  const forgetReads = () => memory.splice(0, memory.length, ...memory.filter(([kind]) => kind === 'write'));
  return (act) =>
    step(async () => {
      const { cap } = world;
      try {
        const result = await act();
        const isWrite = Object.hasOwn(Object(result), 'Attributes');
        const isCap = world.cap !== cap;
        if (isWrite || (isCap && memory.some(([kind]) => kind === 'write'))) {
          forgetReads();
        }
        if (isWrite) {
          memory.push(['write', 'applied']);
        } else {
          memory.push(isCap ? ['cap', world.cap] : ['read', result]);
        }
        return result;
      } catch (error) {
        forgetReads();
        memory.push(['write', 'refused']);
        throw error;
      }
    });
}

const PAUSE_ID = /("pause_id":\{"S":")([\w-]+)/g;

/** Equal for two states that differ only in random ids, or in which of two commands of the same name is which. */
function canonical(shared: unknown, commands: readonly unknown[]): string {
  const withoutIds = (text: string) => text.replaceAll(PAUSE_ID, '$1');
  const sorted = commands
    .map((command) => JSON.stringify(command))
    .sort((a, b) => withoutIds(a).localeCompare(withoutIds(b)));
  const ids = new Map<string, number>();
  return [JSON.stringify(shared), ...sorted].join('\n').replaceAll(PAUSE_ID, (_, before: string, id: string) => {
    ids.set(id, ids.get(id) ?? ids.size);
    return `${before}${ids.get(id)}`;
  });
}

function copyOf({ table, cap }: World): World {
  return { cap, table: memoryTable(undefined, table.items()) };
}

/** Switch and concurrency match, or `status` names the mismatch with commands of which each leads to a match. */
async function expectNamedAndFixable(world: World, before: Cap): Promise<void> {
  const { paused, hard, cap, recorded } = stateOf(world);
  const matches = hard ? cap === 0 && recorded !== undefined : cap !== 0;
  const report = await readStatus(deployment(world), 0);
  const text = renderStatus(report, { pictures: false, colours: false });

  expect(report.switch).toMatchObject({ paused });
  expect(report.disagreement === undefined, JSON.stringify(stateOf(world))).toBe(matches);
  expect(/^ {2}Problem/m.test(text)).toBe(!matches);
  for (const line of report.disagreement?.commands ?? []) {
    expect(text.split('\n').map((each) => each.trim())).toContain(line);
    const name = /^issuer (.*) --stack Demo$/.exec(line)?.[1];
    expect(Object.keys(COMMANDS)).toContain(name);
    const fixed = copyOf(world);
    expect(errorOf(await COMMANDS[name as CommandName](fixed))).toBe('');
    expect(stateOf(fixed)).toMatchObject(name === 'resume' ? notPaused(before) : pausedHard(before));
  }
}
