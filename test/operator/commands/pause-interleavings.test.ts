/**
 * `pause --hard` and `resume` at the same time. Each writes to two services, and no transaction covers both. Requests to Lambda
 * go to a scripted account, and requests to the table to one in memory. The test decides the order of all of them.
 */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Cap,
  notePreviousCap,
  pause as pauseSwitch,
  previousCapIn,
  switchIn,
} from '../../../lambda/gate/kill-switch.ts';
import type { Table } from '../../../limiter/index.ts';
import { type PauseReport, pause } from '../../../operator/commands/pause.ts';
import { type ResumeReport, resume } from '../../../operator/commands/resume.ts';
import { disagreementIn } from '../../../operator/stack/concurrency.ts';
import type { Deployment, OnAws } from '../../../operator/stack/deployment.ts';
import { everyInterleaving, type Step } from '../../support/interleavings.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';
import { scriptedAccount } from '../../support/scripted-account.ts';

/** The function's reserved concurrency, as Lambda keeps it. */
let cap: Cap;
let table: MemoryTable;
beforeEach(() => begin(5));

function begin(before: Cap): void {
  cap = before;
  table = memoryTable();
}

const lambda = new LambdaClient(
  scriptedAccount({
    GetFunctionConcurrency: () => ({ body: cap === 'none' ? {} : { ReservedConcurrentExecutions: cap } }),
    PutFunctionConcurrency: ({ ReservedConcurrentExecutions }) => {
      cap = Number(ReservedConcurrentExecutions);
      return { body: {} };
    },
    DeleteFunctionConcurrency: () => {
      cap = 'none';
      return { body: {} };
    },
  }).client,
);

/** The issuer, for a command that waits for its turn before each request. */
function deployment(step: Step = (act) => act()): Deployment {
  const inOrder = (client: { readonly send: (command: never) => Promise<unknown> }) => ({
    send: (command: never) => step(() => client.send(command)),
  });
  const place = { kind: 'aws', lambda: inOrder(lambda), functionName: 'f', sameAccount: '' } as unknown as OnAws;
  const found = {
    name: 'Demo',
    table: { name: table.name, client: inOrder(table.client) as unknown as Table['client'] },
  };
  return { ...found, place, tableClock: () => 100, sameIssuer: ' --stack Demo' } as unknown as Deployment;
}

type Outcome = PauseReport | ResumeReport | { readonly error: string };

function pauseHard(step?: Step): Promise<Outcome> {
  const options = { message: { ja: undefined, en: undefined }, hard: true, by: 'ann', now: 0 };
  return outcomeOf(pause(deployment(step), options));
}

function resumeIt(step?: Step): Promise<Outcome> {
  return outcomeOf(resume(deployment(step)));
}

function outcomeOf(command: Promise<Outcome>): Promise<Outcome> {
  return command.catch((error: Error) => ({ error: error.message }));
}

function pauseSoftly(): Promise<unknown> {
  return pauseSwitch(table, { since: 1, by: 'eve', message: { ja: undefined, en: undefined } });
}

/** The states before the commands start. */
const INITIAL_STATES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the issuer is not paused', () => Promise.resolve()],
  ['the issuer is paused', pauseSoftly],
  ['the issuer is paused hard', () => pauseHard()],
  [
    'a hard pause was interrupted before it set the concurrency to 0',
    () => pauseSoftly().then(() => notePreviousCap(table, cap)),
  ],
];

function currentState() {
  const item = table.item('switch') ?? {};
  return { paused: switchIn(item).paused, cap, recorded: previousCapIn(item) };
}

const hard = (before: Cap) => ({ paused: true, cap: 0, recorded: before });
const notPaused = (before: Cap) => ({ paused: false, cap: before, recorded: undefined });

/** What must be true at the end, in every order of the steps. */
function judge(before: Cap, pausing: Outcome | undefined, resuming: Outcome | undefined): void {
  const state = currentState();
  if (state.cap === 0) {
    expect(state).toEqual(hard(before));
    expect(pausing).toMatchObject({ paused: true, hard: true, disagreement: undefined });
    // It had finished before, or it reports that it did not take effect.
    expect(errorOf(resuming)).toMatch(/^$|The issuer stays PAUSED/);
  } else if (state.paused) {
    // Neither has won. This is allowed only if no keys are issued and one command reports how to continue.
    expect(state).toEqual({ ...hard(before), cap: before });
    expect(errorOf(resuming)).toContain('\n  issuer pause --hard --stack Demo\n');
  } else {
    expect(state).toEqual(notPaused(before));
    expect(resuming).toMatchObject({ paused: false });
    expect(errorOf(pausing)).toMatch(/^$|it is NOT PAUSED|may be about to resume/);
  }
}

function errorOf(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'error' in outcome ? outcome.error : '';
}

describe.each(INITIAL_STATES)('if %s', (_, prepare) => {
  it.each<Cap>([5, 'none'])(
    'with a cap of %s, in every order of their steps, exactly one command wins',
    async (before) => {
      const finalStates = new Set<boolean>();
      const orders = await everyInterleaving(async () => {
        begin(before);
        await prepare();
        let [pausing, resuming]: (Outcome | undefined)[] = [];
        return {
          commands: [
            async (step) => {
              pausing = await pauseHard(step);
            },
            async (step) => {
              resuming = await resumeIt(step);
            },
          ],
          judge(order) {
            try {
              judge(before, pausing, resuming);
              if (/^(?:0+1+|1+0+)$/.test(order)) {
                // The commands ran one after the other, so the second one wins.
                expect(currentState().paused).toBe(order.endsWith('0'));
              }
            } catch (error) {
              throw new Error(`${order}: ${JSON.stringify({ ...currentState(), pausing, resuming })}`, {
                cause: error,
              });
            }
            finalStates.add(currentState().paused);
          },
        };
      });
      expect(orders).toBeGreaterThan(50);
      expect(finalStates.size).toBe(2);
    },
  );
});

describe('a command that is interrupted after any of its steps', () => {
  /** Runs the command for that number of steps. @returns false if it finished before */
  async function interrupt(command: (step: Step) => Promise<unknown>, after: number): Promise<boolean> {
    const interrupted = Promise.withResolvers<boolean>();
    let steps = 0;
    const step: Step = (act) => {
      if (steps === after) {
        interrupted.resolve(true);
        return new Promise(() => undefined);
      }
      steps += 1;
      return act();
    };
    return await Promise.race([interrupted.promise, command(step).then(() => false)]);
  }

  function isConsistent(): boolean {
    const { paused, recorded, cap: now } = currentState();
    return now === 0 ? paused && recorded !== undefined : recorded === undefined;
  }

  it.each([
    ['pause --hard', pauseSoftly, pauseHard],
    ['resume', () => pauseHard(), resumeIt],
  ])('%s: status reports the mismatch, and either command fixes it', async (_, prepare, command) => {
    for (let after = 0, isInterrupted = true; isInterrupted; after += 1) {
      for (const [fix, expected] of [[pauseHard, hard(5)] as const, [resumeIt, notPaused(5)] as const]) {
        begin(5);
        await prepare();
        isInterrupted = await interrupt(command, after);
        const found = disagreementIn(table.item('switch') ?? {}, { cap }, deployment());
        expect(found === undefined, JSON.stringify({ after, ...currentState() })).toBe(isConsistent());
        await fix();
        expect(currentState()).toEqual(expected);
      }
    }
  });
});
