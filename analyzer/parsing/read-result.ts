/** The result of reading one element or line: an event, a problem, both, or something that is not a connection attempt. */
import type { EventType } from './event.ts';

export interface ReadEvent {
  readonly client: string;
  readonly type: EventType;
  /** Epoch milliseconds; NaN if there is none. */
  readonly timestamp: number;
  /** The interval that the log reports, in milliseconds; NaN if there is none. */
  readonly interval: number;
}

export type ReadResult =
  /** The complaint is present if a field other than client and type is invalid. The event is counted without that field. */
  | { readonly kind: 'event'; readonly event: ReadEvent; readonly complaint?: string }
  /** It cannot be read as an event. */
  | { readonly kind: 'rejected'; readonly complaint: string }
  /** Valid, but not a connection attempt, such as the request for an image, or one of Lambda's own log lines. */
  | { readonly kind: 'other' };

/** @param text one element or line, without its line break */
export type Reader = (text: string) => ReadResult;

export function rejected(complaint: string): ReadResult {
  return { kind: 'rejected', complaint };
}

/** The fields of an untrusted object. */
export type Fields = Readonly<Record<string, unknown>>;

/** @returns undefined if the text is not JSON or not an object */
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
