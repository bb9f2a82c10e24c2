/** What a page needs to ask the issuer for a key. */
export {
  requestSessionKey,
  type SessionKeyOutcome,
  type SessionKeyRequest,
} from './request-session-key.ts';
