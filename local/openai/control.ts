/**
 * Scripts the OpenAI stand-in's responses and records the requests it received: for tests in the same process, and on the route
 * /control for curl.
 *
 *     curl -X PUT $ORIGIN/control -d '{"mode":"rate_limited","times":2,"headers":{"retry-after":"7"}}'
 *     curl $ORIGIN/control
 *     curl -X DELETE $ORIGIN/control
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, readBody, send } from '../http/http-server.ts';
import type { HeardCalls } from './calls/calls.ts';
import { parseScript, type Script } from './keys/mint-script.ts';

/** What was received since the last reset. */
export interface Heard {
  /** Requests for a key, including refused ones. */
  readonly requests: number;
  /** Keys created, whether or not the client received the response. */
  readonly minted: number;
  /** The maximum number of requests that waited for a response at the same time. */
  readonly mostInFlight: number;
  /** The last hundred requests, oldest first. */
  readonly latest: readonly HeardRequest[];
}

export interface HeardRequest {
  /** The header OpenAI-Safety-Identifier; null without one. */
  readonly safetyIdentifier: string | null;
  /** The body as a JSON object, or as text if it is not one; null if it was too long. */
  readonly body: unknown;
}

const REMEMBERED = 100;
const BODY_LIMIT_BYTES = 10_000;
const OK: Script = { mode: 'ok' };

/** @param calls are reported and reset together with the requests */
export function createControl(calls: { readonly heard: () => HeardCalls; readonly reset: () => void }) {
  let script = OK;
  let timesLeft = Number.POSITIVE_INFINITY;
  let requests = 0;
  let minted = 0;
  let inFlight = 0;
  let mostInFlight = 0;
  let latest: readonly HeardRequest[] = [];

  function tell(next: Script): void {
    script = next;
    timesLeft = next.times ?? Number.POSITIVE_INFINITY;
  }

  function heard(): Heard & { readonly calls: HeardCalls } {
    return { requests, minted, mostInFlight, latest, calls: calls.heard() };
  }

  /** Returns to normal responses and clears the record, except for requests that are still in flight. */
  function reset(): void {
    tell(OK);
    requests = 0;
    minted = 0;
    mostInFlight = inFlight;
    latest = [];
    calls.reset();
  }

  /** The request is in flight from here until its response is sent or its connection is closed. */
  function noteArrival(response: ServerResponse): void {
    requests += 1;
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
  }

  function noteRequest(request: HeardRequest): void {
    latest = [...latest, request].slice(-REMEMBERED);
  }

  function noteMinted(): void {
    minted += 1;
  }

  /** The script for one request. It uses up one of the script's `times`. */
  function nextScript(): Script {
    if (timesLeft === 0) {
      return OK;
    }
    timesLeft -= 1;
    return script;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (request.method) {
      case 'GET':
        return send(response, json(200, heard()));
      case 'PUT':
        return send(response, setScript(await readBody(request, BODY_LIMIT_BYTES)));
      case 'DELETE':
        reset();
        return send(response, { status: 204 });
      default:
        return send(response, { status: 405, headers: { allow: 'GET, PUT, DELETE' } });
    }
  }

  function setScript(body: Buffer | undefined) {
    const parsed = parseScript(String(body));
    if ('complaint' in parsed) {
      return { status: 400, headers: { 'content-type': 'text/plain' }, body: `${parsed.complaint}\n` };
    }
    tell(parsed.script);
    return json(200, parsed.script);
  }

  return { tell, heard, reset, noteArrival, noteRequest, noteMinted, nextScript, serve };
}
