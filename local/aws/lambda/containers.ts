/**
 * The containers of one function, and its log. With `oneAtATime`, each event in progress has a container to itself, as on
 * Lambda: one that is free, or else a new one. Without it, one container handles all events, which is a harder test of the code.
 * A container that has exited is replaced by the next event.
 */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type Container, type ContainerOptions, startContainer } from './container.ts';
import { exited } from './function-error.ts';

export interface ContainersOptions extends Omit<ContainerOptions, 'log'> {
  /** Path of the log file. It is emptied first. */
  readonly log: string;
}

export interface Containers {
  /** Starts a container before the first event. @throws the error with which the bundle's import failed */
  start(): Promise<void>;
  /**
   * @param crashAfterMs kills the container this long after the event has arrived, unless the event has been handled by then
   * @throws FunctionError, which the log then has too
   */
  invoke(requestId: string, event: unknown, crashAfterMs?: number): Promise<unknown>;
  /** Kills the containers that are handling an event. */
  crash(): void;
  /** Events in progress end. Can be called twice. */
  close(): Promise<void>;
}

export function createContainers({ log, ...options }: ContainersOptions): Containers {
  const file = createWriteStream(log);
  const containers = new Set<Container>();
  let isClosing = false;

  function start(): Container {
    const container = startContainer({ ...options, log: file });
    containers.add(container);
    void container.ended.then(() => containers.delete(container));
    return container;
  }

  function isFree(container: Container): boolean {
    return container.isAlive() && (!options.oneAtATime || container.inProgress() === 0);
  }

  return {
    start: async () => {
      await start().ready;
    },
    async invoke(requestId, event, crashAfterMs) {
      if (isClosing) {
        throw exited(requestId, 'killed');
      }
      const container = [...containers].find(isFree) ?? start();
      const cancelCrash =
        crashAfterMs === undefined ? () => undefined : options.clock.after(crashAfterMs, () => void container.kill());
      try {
        return await container.invoke(requestId, event);
      } catch (error) {
        // An event that ends because the function is closed is not logged.
        if (!isClosing) {
          file.write(`${new Date().toISOString()} ${requestId} ${error instanceof Error ? error.message : error}\n`);
        }
        throw error;
      } finally {
        cancelCrash();
      }
    },
    crash() {
      for (const container of containers) {
        if (container.inProgress() > 0) {
          void container.kill();
        }
      }
    },
    async close() {
      isClosing = true;
      await Promise.all([...containers].map((container) => container.kill()));
      file.end();
      await finished(file);
    },
  };
}
