/**
 * A mismatch between the switch and the function's reserved concurrency, and the commands that complete or undo what caused it:
 * an interrupted command, a deployment, or a change in the console.
 */
import { type Cap, isHardPause, previousCapIn, switchIn } from '../../lambda/gate/kill-switch.ts';
import type { Item } from '../../limiter/index.ts';
import type { Concurrency } from './concurrency.ts';
import type { Deployment, OnAws } from './deployment.ts';

/** The names are part of the JSON report. */
export interface Disagreement {
  /** What does not match. */
  readonly says: string;
  /** How to fix it. */
  readonly mend: string;
  /** Complete, to paste into a shell. */
  readonly commands: readonly string[];
}

export function disagreementIn(
  item: Item,
  concurrency: Concurrency | undefined,
  deployment: Deployment,
): Disagreement | undefined {
  const { place, sameIssuer } = deployment;
  if (place.kind === 'local' || concurrency === undefined || 'unknown' in concurrency) {
    return undefined;
  }
  const { cap } = concurrency;
  const recorded = previousCapIn(item);
  const pauseHard = `issuer pause --hard${sameIssuer}`;
  const resume = `issuer resume${sameIssuer}`;
  if (cap !== 0) {
    return isHardPause(item)
      ? {
          says: `A hard pause was started, but the function's reserved concurrency is ${capText(cap)}, not 0: no keys are issued, but refusals are not free.`,
          mend: 'Complete the hard pause, or resume:',
          commands: [pauseHard, resume],
        }
      : undefined;
  }
  if (!switchIn(item).paused) {
    const says =
      'The issuer is not paused, but the function\'s reserved concurrency is 0: no keys are issued, and visitors see "busy".';
    return recorded === undefined
      ? { says, ...waysToRestore(place) }
      : {
          says,
          mend: `Restore the recorded concurrency (${capText(recorded)}), or pause hard:`,
          commands: [resume, pauseHard],
        };
  }
  if (recorded === undefined) {
    return {
      says: "The function's reserved concurrency is 0, and its previous value was not recorded: resume cannot restore it.",
      ...waysToRestore(place),
    };
  }
  return isHardPause(item)
    ? undefined
    : {
        says: 'The pause is not hard, but the function\'s reserved concurrency is 0: visitors see "busy" instead of the message.',
        mend: `Complete a hard pause, or resume with the recorded concurrency (${capText(recorded)}):`,
        commands: [pauseHard, resume],
      };
}

export function capText(cap: Cap): string {
  return cap === 'none' ? 'not set' : String(cap);
}

/** The previous value is unknown here; the owner's cdk.json has it. */
export function waysToRestore({ functionName, sameAccount }: OnAws): Omit<Disagreement, 'says'> {
  const target = `--function-name ${functionName}${sameAccount}`;
  return {
    mend: 'To restore it, use the first command with the reservedConcurrency of your cdk.json in place of 5, or the second command if that is "off":',
    commands: [
      `aws lambda put-function-concurrency ${target} --reserved-concurrent-executions 5`,
      `aws lambda delete-function-concurrency ${target}`,
    ],
  };
}

/** As the message of an error. */
export function asText({ says, mend, commands }: Disagreement): string {
  return [`${says} ${mend}`, ...commands.map((command) => `  ${command}`)].join('\n');
}
