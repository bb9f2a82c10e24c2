/**
 * `pause --hard` and `resume` at once: each writes to two services that no transaction joins. Requests to AWS go to a script of
 * it, those to the table to one in memory, and each waits for its turn.
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

/** The issuer as a command finds it that waits for its turn before each request. */
function deployment(step: Step = (act) => act()): Deployment {
  const inTurn = (client: { readonly send: (command: never) => Promise<unknown> }) => ({
    send: (command: never) => step(() => client.send(command)),
  });
  const place = { kind: 'aws', lambda: inTurn(lambda), functionName: 'f', sameAccount: '' } as unknown as OnAws;
  const found = {
    name: 'Demo',
    table: { name: table.name, client: inTurn(table.client) as unknown as Table['client'] },
  };
  return { ...found, place, tableClock: () => 100, sameIssuer: ' --stack Demo' } as unknown as Deployment;
}

type Outcome = PauseReport | ResumeReport | { readonly told: string };

function pauseHard(step?: Step): Promise<Outcome> {
  const options = { message: { ja: undefined, en: undefined }, hard: true, by: 'ann', now: 0 };
  return outcomeOf(pause(deployment(step), options));
}

function resumeIt(step?: Step): Promise<Outcome> {
  return outcomeOf(resume(deployment(step)));
}

function outcomeOf(command: Promise<Outcome>): Promise<Outcome> {
  return command.catch((error: Error) => ({ told: error.message }));
}

function pauseSoftly(): Promise<unknown> {
  return pauseSwitch(table, { since: 1, by: 'eve', message: { ja: undefined, en: undefined } });
}

/** How it may stand when the commands begin. */
const BEGINNINGS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['it is on', () => Promise.resolve()],
  ['it is paused', pauseSoftly],
  ['it is paused hard', () => pauseHard()],
  [
    'a hard pause broke off before it took the concurrency',
    () => pauseSoftly().then(() => notePreviousCap(table, cap)),
  ],
];

function standing() {
  const item = table.item('switch') ?? {};
  return { paused: switchIn(item).paused, cap, noted: previousCapIn(item) };
}

const hard = (before: Cap) => ({ paused: true, cap: 0, noted: before });
const on = (before: Cap) => ({ paused: false, cap: before, noted: undefined });

/** What has to be true in the end, whatever the order of the steps was. */
function judge(before: Cap, pausing: Outcome | undefined, resuming: Outcome | undefined): void {
  const stands = standing();
  if (stands.cap === 0) {
    expect(stands).toEqual(hard(before));
    expect(pausing).toMatchObject({ paused: true, hard: true, disagreement: undefined });
    // It had ended before, or knows that it did not get through.
    expect(toldIn(resuming)).toMatch(/^$|It stays PAUSED/);
  } else if (stands.paused) {
    // Neither has won, which may be only where no key leaves and somebody hears how to go on.
    expect(stands).toEqual({ ...hard(before), cap: before });
    expect(toldIn(resuming)).toContain('\n  issuer pause --hard --stack Demo\n');
  } else {
    expect(stands).toEqual(on(before));
    expect(resuming).toMatchObject({ paused: false });
    expect(toldIn(pausing)).toMatch(/^$|it is ON|may be about to resume/);
  }
}

function toldIn(outcome: Outcome | undefined): string {
  return outcome !== undefined && 'told' in outcome ? outcome.told : '';
}

describe.each(BEGINNINGS)('where %s', (_, beginning) => {
  it.each<Cap>([5, 'none'])('with a cap of %s, in every order of their steps, one wins whole', async (before) => {
    const stood = new Set<boolean>();
    const orders = await everyInterleaving(async () => {
      begin(before);
      await beginning();
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
              // One after the other: the second one wins.
              expect(standing().paused).toBe(order.endsWith('0'));
            }
          } catch (error) {
            throw new Error(`${order}: ${JSON.stringify({ ...standing(), pausing, resuming })}`, { cause: error });
          }
          stood.add(standing().paused);
        },
      };
    });
    expect(orders).toBeGreaterThan(50);
    expect(stood.size).toBe(2);
  });
});

describe('a command that breaks off, after whichever step,', () => {
  /** Runs the command up to there. @returns false if it ended before */
  async function breakOff(command: (step: Step) => Promise<unknown>, after: number): Promise<boolean> {
    const broken = Promise.withResolvers<boolean>();
    let steps = 0;
    const step: Step = (act) => {
      if (steps === after) {
        broken.resolve(true);
        return new Promise(() => undefined);
      }
      steps += 1;
      return act();
    };
    return await Promise.race([broken.promise, command(step).then(() => false)]);
  }

  function doesFit(): boolean {
    const { paused, noted, cap: now } = standing();
    return now === 0 ? paused && noted !== undefined : noted === undefined;
  }

  it.each([
    ['pause --hard', pauseSoftly, pauseHard],
    ['resume', () => pauseHard(), resumeIt],
  ])('%s: status says what does not fit, and either command mends it', async (_, beginning, command) => {
    for (let after = 0, isBroken = true; isBroken; after += 1) {
      for (const [mend, stands] of [[pauseHard, hard(5)] as const, [resumeIt, on(5)] as const]) {
        begin(5);
        await beginning();
        isBroken = await breakOff(command, after);
        const found = disagreementIn(table.item('switch') ?? {}, { cap }, deployment());
        expect(found === undefined, JSON.stringify({ after, ...standing() })).toBe(doesFit());
        await mend();
        expect(standing()).toEqual(stands);
      }
    }
  });
});
