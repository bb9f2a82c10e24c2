/**
 * The failures of the stand-in for Lambda, on demand. An event passes three places, and each has its own failure, so that they
 * can be combined: the request to Invoke, the delivery of an accepted event, and the container that runs it.
 */

/** Which events a failure applies to. */
interface Scope {
  /** For this number of events, then none again. Without it, until the next failure of the same place. */
  readonly times?: number;
  /** Only for events of this function. */
  readonly function?: string;
}

/**
 * - `throttled`: 429 TooManyRequestsException, as if the caller sent too many requests.
 * - `access_denied`: 403 AccessDeniedException.
 * - `server_error`: 500 ServiceException.
 * - `disconnect`: closes the connection. The event is not accepted.
 * - `lost_answer`: accepts the event, then closes the connection. If the caller waits for the result, after the function ran.
 */
export type InvokeFailure = Scope & {
  readonly mode: 'throttled' | 'access_denied' | 'server_error' | 'disconnect' | 'lost_answer';
};

export type DeliveryFailure = Scope &
  (
    | {
        readonly mode: 'duplicate';
        /** How often the event is delivered in all. @default 2 */
        readonly copies?: number;
        /** How much later than the first the others are delivered. @default 0 */
        readonly delayMs?: number;
      }
    /** The event is accepted but never delivered. */
    | { readonly mode: 'lose' }
    /** The event is delivered late. */
    | { readonly mode: 'delay'; readonly delayMs: number }
  );

export type ContainerFailure = Scope & {
  readonly mode: 'crash';
  /** Kills the container this long after the event was given to it, INIT included. @default 0 */
  readonly afterMs?: number;
};

export type Failure = { readonly mode: 'ok' } | InvokeFailure | DeliveryFailure | ContainerFailure;

export interface Failures {
  /** Sets the failure of the mode's place. `ok` ends all failures. */
  tell(failure: Failure): void;
  /** These return the failure of one event, and use up one of its `times`. */
  nextInvoke(name: string): InvokeFailure | undefined;
  nextDelivery(name: string): DeliveryFailure | undefined;
  nextContainer(name: string): ContainerFailure | undefined;
}

export function createFailures(): Failures {
  const invoke = createPlace<InvokeFailure>();
  const delivery = createPlace<DeliveryFailure>();
  const container = createPlace<ContainerFailure>();

  return {
    tell(failure) {
      switch (failure.mode) {
        case 'ok':
          invoke.set(undefined);
          delivery.set(undefined);
          container.set(undefined);
          break;
        case 'duplicate':
        case 'lose':
        case 'delay':
          delivery.set(failure);
          break;
        case 'crash':
          container.set(failure);
          break;
        default:
          invoke.set(failure);
      }
    },
    nextInvoke: invoke.next,
    nextDelivery: delivery.next,
    nextContainer: container.next,
  };
}

function createPlace<Kind extends Scope>() {
  let current: Kind | undefined;
  let timesLeft = 0;
  return {
    set(failure: Kind | undefined): void {
      current = failure;
      timesLeft = failure?.times ?? Number.POSITIVE_INFINITY;
    },
    next(name: string): Kind | undefined {
      if (current === undefined || timesLeft === 0 || (current.function ?? name) !== name) {
        return;
      }
      timesLeft -= 1;
      return current;
    },
  };
}

/** How long after its acceptance an event is delivered, once for each delivery: none if it is lost. */
export function deliveryDelaysMs(failure: DeliveryFailure | undefined): readonly number[] {
  switch (failure?.mode) {
    case undefined:
      return [0];
    case 'lose':
      return [];
    case 'delay':
      return [failure.delayMs];
    case 'duplicate': {
      const { copies = 2, delayMs = 0 } = failure;
      return [0, ...Array<number>(copies - 1).fill(delayMs)];
    }
  }
}
