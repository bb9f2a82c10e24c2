/**
 * The state of a call. Each state holds only its own data: a call that was never live, for example, has no end time.
 *
 *     idle -> asking-for-microphone -> minting -> connecting -> live <-> reconnecting
 *
 * Each state after `idle` can change to one of the final states: refused, failed, ended. All times are epoch milliseconds.
 */
import type { ProblemCode } from '../../contract/problems.ts';

/** What remains of the rate limit that is closest to being exhausted. */
export interface Allowance {
  /** Calls left. */
  readonly calls: number;
  /** When the limit's window ends. */
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
      /** When the call first went live. */
      readonly since: number;
      /** When the call ends because of `maxCallMinutes`. */
      readonly until: number;
      /** The model's voice, for the page to play and to measure. */
      readonly remoteAudio: MediaStream;
      /** The visitor's voice, for the page to measure. The call owns its tracks: do not stop them. */
      readonly microphone: MediaStream;
      /** What keeps the two sides from hearing each other, if anything. When it changes, the state is reported again. */
      readonly notice: LiveNotice | undefined;
    }
  /** The connection was lost. The call reconnects by itself, with a fresh key. */
  | {
      readonly name: 'reconnecting';
      /** The current attempt, counted from 1. */
      readonly attempt: number;
      /** The maximum number of attempts in a row. */
      readonly attempts: number;
      readonly step: ReconnectingStep;
    }
  /** The issuer refused the call. Show `sentence` unchanged. A request before `retryAt` is refused again. */
  | {
      readonly name: 'refused';
      readonly code: ProblemCode;
      readonly sentence: string | undefined;
      readonly retryAt: number | undefined;
    }
  | {
      readonly name: 'failed';
      readonly reason: FailureReason;
      /** The server's message for the visitor, if it sent one. Show it unchanged. */
      readonly sentence: string | undefined;
      readonly retryAt: number | undefined;
    }
  | { readonly name: 'ended'; readonly reason: EndReason };

export type ReconnectingStep =
  | { readonly name: 'waiting'; readonly until: number }
  /** While the browser is offline or the page is hidden, no attempt is made. */
  | { readonly name: 'offline' | 'hidden' | 'minting' | 'connecting' };

export type LiveNotice =
  /** The browser holds back the sound until the visitor touches the page. Only the transport `webSocket` reports this. */
  | 'sound-blocked'
  /** The operating system or the browser has muted the microphone. */
  | 'microphone-muted';

/** None of the reasons before `busy` uses a key, except `microphone-lost`. */
export type FailureReason =
  /** The browser has no WebRTC, or it is turned off. */
  | 'webrtc-unsupported'
  /** The browser lacks WebSocket or Web Audio, which the transport `webSocket` needs. */
  | 'websocket-unsupported'
  /** The page is not served over https, so the browser gives it no microphone. */
  | 'microphone-insecure'
  /** The browser gives no page a microphone, as in some apps that open links themselves. */
  | 'microphone-unsupported'
  /** The visitor closed the browser's question, or denied access this time. The browser will ask again. */
  | 'microphone-dismissed'
  /** The visitor or the browser blocks the microphone for this page. The browser will not ask again. */
  | 'microphone-blocked'
  /** The header Permissions-Policy, or an iframe without `allow="microphone"`, denies the page the microphone. */
  | 'microphone-blocked-by-policy'
  /** The operating system denies the browser the microphone. */
  | 'microphone-blocked-by-system'
  /** There is no microphone. */
  | 'microphone-absent'
  /** The microphone cannot be read: another program uses it, or it has a fault. */
  | 'microphone-unavailable'
  /** The browser could not start the microphone, for a reason that it does not report. The console has its error. */
  | 'microphone-failed'
  /** The microphone was unplugged, or access to it was withdrawn. Never replaced by another one, which nobody has chosen. */
  | 'microphone-lost'
  /** Too many requests at the same time: Lambda's concurrency cap. */
  | 'busy'
  /** The issuer did not respond, or could not issue a key. */
  | 'unavailable'
  /** OpenAI rejected the call, or no connection was established. */
  | 'not-connected'
  /** The connection was lost, and all attempts to reconnect failed. */
  | 'lost';

export type EndReason =
  /** `stop()` was called, or the visitor left the page. */
  | 'hung-up'
  /** `maxCallMinutes` have passed. */
  | 'time-is-up'
  /** The session reached OpenAI's own limit of one hour. */
  | 'session-expired'
  /** Nobody spoke for two minutes. */
  | 'silence'
  /** The page was hidden for five minutes. */
  | 'hidden'
  /** The connection was lost when nobody had spoken for 30 seconds. Reconnecting is not worth another key. */
  | 'lost-in-silence';
