/** `block`, `unblock` and `forget` change the state of one viewer, effective with the viewer's next request. */
import { blockIn, blockKey, writeBlock } from '../../lambda/gate/block.ts';
import { clientScope } from '../../lambda/visitor/scopes.ts';
import type { ViewerId } from '../../lambda/visitor/viewer.ts';
import { forget as forgetIn, read } from '../../limiter/index.ts';
import { type Message, NO_MESSAGE, type ViewerText, viewerOf } from '../command-line/argument-parsers.ts';
import { toOperatorError } from '../operator-error.ts';
import type { Deployment } from '../stack/deployment.ts';

export interface BlockReport {
  readonly viewer: ViewerId;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly message: Message;
}

export interface BlockOptions {
  readonly forMs: number;
  readonly message: Message;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Replaces an existing block. @throws OperatorError */
export async function block(
  deployment: Deployment,
  who: ViewerText,
  { forMs, message, now }: BlockOptions,
): Promise<BlockReport> {
  const viewer = await viewerOf(who, deployment);
  const until = now + forMs;
  try {
    await writeBlock(deployment.table, viewer, { until, message });
  } catch (error) {
    throw toOperatorError(error, 'blocking the viewer');
  }
  return { viewer, until, message };
}

export interface UnblockReport {
  readonly viewer: ViewerId;
  /** Whether the viewer was blocked. */
  readonly changed: boolean;
}

/** @throws OperatorError */
export async function unblock(deployment: Deployment, who: ViewerText, now: number): Promise<UnblockReport> {
  const { table } = deployment;
  const viewer = await viewerOf(who, deployment);
  try {
    const changed = blockIn(await read(table, blockKey(viewer)), now) !== undefined;
    if (changed) {
      await writeBlock(table, viewer, { until: now, message: NO_MESSAGE });
    }
    return { viewer, changed };
  } catch (error) {
    throw toOperatorError(error, 'unblocking the viewer');
  }
}

export interface ForgetReport {
  readonly viewer: ViewerId;
  /** How many of the viewer's limits had counted a key. */
  readonly forgotten: number;
}

/** Resets only the viewer's own limits: the limit for everybody still counts the keys. @throws OperatorError */
export async function forget(deployment: Deployment, who: ViewerText, now: number): Promise<ForgetReport> {
  const viewer = await viewerOf(who, deployment);
  const scope = clientScope(await deployment.configuration());
  try {
    return { viewer, forgotten: await forgetIn(deployment.table, scope, viewer, now) };
  } catch (error) {
    throw toOperatorError(error, "resetting the viewer's limits");
  }
}
