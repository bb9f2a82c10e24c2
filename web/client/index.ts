/**
 * The browser library: request a key from the issuer, or hold a whole voice call.
 *
 * @module ephemeral-key-issuer/client
 */

export type { ProblemCode } from '../../contract/problems.ts';
export type { GetUserMedia } from './browser/microphone.ts';
export type { MicrophoneAccess } from './browser/microphone-failure.ts';
export type { Surroundings } from './browser/page-environment.ts';
export type { CallSettings } from './call-settings.ts';
export type { Allowance, CallState, EndReason, FailureReason, LiveNotice, ReconnectingStep } from './call-state.ts';
export { createVoiceCall, type VoiceCallOptions } from './create-voice-call.ts';
export { requestSessionKey, type SessionKeyRequest } from './session-key/request-session-key.ts';
export type { SessionKeyOutcome } from './session-key/session-key-outcome.ts';
export type { RealtimeEvent } from './transport/realtime-event.ts';
export type {
  Connection,
  ConnectOutcome,
  ConnectRequest,
  Transport,
  UnsupportedTransport,
} from './transport/transport.ts';
export { webRtc } from './transport/webrtc.ts';
export { webSocket } from './transport/websocket.ts';
export type { VoiceCall } from './voice-call.ts';
