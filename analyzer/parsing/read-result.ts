/** What the readers of elements and lines make of one: an event, a complaint, both, or nothing that concerns a client. */
import type { EventType } from './event.ts';

export interface ReadEvent {
  readonly client: string;
  readonly type: EventType;
  /** Epoch milliseconds; NaN without. */
  readonly timestamp: number;
  /** The log's own, in milliseconds; NaN without. */
  readonly interval: number;
}

export type ReadResult =
  /** With a complaint where a field beside client and type could not be read: the event counts without it. */
  | { readonly kind: 'event'; readonly event: ReadEvent; readonly complaint?: string }
  /** No event can be made of it. */
  | { readonly kind: 'rejected'; readonly complaint: string }
  /** Sound, but no attempt to connect: a picture that was fetched, a line of the platform. */
  | { readonly kind: 'other' };

/** @param text one element or line, without its line break */
export type Reader = (text: string) => ReadResult;

export function rejected(complaint: string): ReadResult {
  return { kind: 'rejected', complaint };
}

/** Of an object of somebody else's. */
export type Fields = Readonly<Record<string, unknown>>;

/** @returns undefined for what is no JSON, and for JSON that is no object */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
