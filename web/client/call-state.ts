/**
 * Where a call stands. Each state holds only its own data, so that nobody reads an end time of a call that never was.
 *
 *     idle -> asking-for-microphone -> minting -> connecting -> live <-> reconnecting
 *
 * and from any of them to one of the final states: refused, failed, ended. All times are epoch milliseconds.
 */
import type { ProblemCode } from '../../contract/problems.ts';

/** How many more keys the limit nearest to refusing lets out, and when its window ends. */
export interface Allowance {
  readonly calls: number;
  readonly until: number | undefined;
}

export type CallState =
  | { readonly name: 'idle' }
  | { readonly name: 'asking-for-microphone' }
  | { readonly name: 'minting' }
  | { readonly name: 'connecting'; readonly model: string; readonly allowance: Allowance | undefined }
  | {
      readonly name: 'live';
      readonly model: string;
      readonly allowance: Allowance | undefined;
      readonly since: number;
      /** The call is ended kindly then. */
      readonly until: number;
      /** For the page to play and to measure. */
      readonly remoteAudio: MediaStream;
      /** For the page to measure. The call owns its tracks. */
      readonly microphone: MediaStream;
    }
  /** Lost, and on its way back by itself, with a fresh key. */
  | {
      readonly name: 'reconnecting';
      /** From 1. */
      readonly attempt: number;
      readonly attempts: number;
      readonly step: ReconnectingStep;
    }
  /** The issuer said no. `sentence` is fit to be shown; not before `retryAt` will it say anything else. */
  | {
      readonly name: 'refused';
      readonly code: ProblemCode;
      readonly sentence: string | undefined;
      readonly retryAt: number | undefined;
    }
  | {
      readonly name: 'failed';
      readonly reason: FailureReason;
      /** The server's, where it sent one. */
      readonly sentence: string | undefined;
      readonly retryAt: number | undefined;
    }
  | { readonly name: 'ended'; readonly reason: EndReason };

export type ReconnectingStep =
  | { readonly name: 'waiting'; readonly until: number }
  /** Nothing is tried while the browser is offline or the page is hidden. */
  | { readonly name: 'offline' | 'hidden' | 'minting' | 'connecting' };

export type FailureReason =
  | 'microphone-refused'
  | 'microphone-absent'
  /** Another program holds it, or the page is not served over https. */
  | 'microphone-unavailable'
  /** Too many at the same moment: Lambda's concurrency cap. */
  | 'busy'
  /** The issuer did not answer, or with a fault of its own. */
  | 'unavailable'
  /** OpenAI did not take the call, or no connection came about. */
  | 'not-connected'
  /** Lost, and the attempts to come back are used up. */
  | 'lost';

export type EndReason =
  /** `stop()`. */
  | 'hung-up'
  /** `maxCallMinutes` are over. */
  | 'time-is-up'
  /** OpenAI's own limit of a session, an hour. */
  | 'session-expired'
  /** Nobody spoke for two minutes. */
  | 'silence'
  /** The page was out of sight for five minutes. */
  | 'hidden'
  /** Lost while nobody spoke: not worth another key. */
  | 'lost-in-silence';
