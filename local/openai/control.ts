/**
 * What the OpenAI stand-in was told to do and what it has heard: for tests in the same process, and on the route
 * /control for everybody with curl.
 *
 *     curl -X PUT $ORIGIN/control -d '{"mode":"rate_limited","times":2,"headers":{"retry-after":"7"}}'
 *     curl $ORIGIN/control
 *     curl -X DELETE $ORIGIN/control
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, readBody, send } from '../http/http-server.ts';
import type { HeardCalls } from './calls/calls.ts';
import { parseScript, type Script } from './keys/mint-script.ts';

/** Since the last reset. */
export interface Heard {
  /** Requests for a key, refused ones too. */
  readonly requests: number;
  /** Keys made, whether or not their answer arrived. */
  readonly minted: number;
  /** The most requests that were waiting for their answer at one time. */
  readonly mostInFlight: number;
  /** The last hundred requests, oldest first. */
  readonly latest: readonly HeardRequest[];
}

export interface HeardRequest {
  /** The header OpenAI-Safety-Identifier; null without one. */
  readonly safetyIdentifier: string | null;
  /** What the body says, or its text if it was not a JSON object; null if it was too long to read. */
  readonly body: unknown;
}

const REMEMBERED = 100;
const BODY_LIMIT_BYTES = 10_000;
const OK: Script = { mode: 'ok' };

/** @param calls are forgotten and told of along with the requests */
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

  /** Answers well again and forgets what was heard, except who is still waiting. */
  function reset(): void {
    tell(OK);
    requests = 0;
    minted = 0;
    mostInFlight = inFlight;
    latest = [];
    calls.reset();
  }

  /** The request is in flight from here on until its response is over, one way or another. */
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

  /** For one request, which takes one of the script's times. */
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
        return send(response, obey(await readBody(request, BODY_LIMIT_BYTES)));
      case 'DELETE':
        reset();
        return send(response, { status: 204 });
      default:
        return send(response, { status: 405, headers: { allow: 'GET, PUT, DELETE' } });
    }
  }

  function obey(body: Buffer | undefined) {
    const parsed = parseScript(String(body));
    if ('complaint' in parsed) {
      return { status: 400, headers: { 'content-type': 'text/plain' }, body: `${parsed.complaint}\n` };
    }
    tell(parsed.script);
    return json(200, parsed.script);
  }

  return { tell, heard, reset, noteArrival, noteRequest, noteMinted, nextScript, serve };
}
