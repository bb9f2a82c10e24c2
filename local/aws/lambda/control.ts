/**
 * The route /control of the stand-in for Lambda, to make it fail with curl, and to see what it received.
 *
 *     curl -X PUT $ORIGIN/control -d '{"mode":"duplicate","times":1,"delayMs":2000}'
 *     curl -X POST $ORIGIN/control -d '{"action":"crash","function":"supervisor"}'
 *     curl $ORIGIN/control
 *     curl -X DELETE $ORIGIN/control
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, json, readBody, send } from '../../http/http-server.ts';
import { parseJsonObject } from '../../http/json-object.ts';
import type { Failure } from './failures.ts';
import type { Heard } from './heard.ts';
import { parseFailure } from './parse-failure.ts';

export const CONTROL_PATH = '/control';
const BODY_LIMIT_BYTES = 10_000;

export interface Controls {
  /** Sets a failure, effective with the next event. */
  tell(failure: Failure): void;
  /** Kills the containers of this function that are handling an event. @throws RangeError if there is no such function */
  crash(name: string): void;
  /** What was received since the last reset. */
  heard(): Heard;
  /** Ends all failures and clears the record. Events in the queue and in progress stay. */
  reset(): void;
}

export async function serveControl(
  request: IncomingMessage,
  response: ServerResponse,
  controls: Controls,
): Promise<void> {
  const text = String(await readBody(request, BODY_LIMIT_BYTES));
  switch (request.method) {
    case 'GET':
      return send(response, json(200, controls.heard()));
    case 'PUT':
      return send(response, setFailure(text, controls));
    case 'POST':
      return send(response, crash(text, controls));
    case 'DELETE':
      controls.reset();
      return send(response, { status: 204 });
    default:
      return send(response, { status: 405, headers: { allow: 'GET, PUT, POST, DELETE' } });
  }
}

function setFailure(text: string, { tell }: Controls): Answer {
  const parsed = parseFailure(text);
  if ('complaint' in parsed) {
    return badRequest(parsed.complaint);
  }
  tell(parsed.failure);
  return json(200, parsed.failure);
}

function crash(text: string, controls: Controls): Answer {
  const { action, function: name } = parseJsonObject(text) ?? {};
  if (action !== 'crash') {
    return badRequest('"action" must be "crash".');
  }
  try {
    controls.crash(String(name));
    return { status: 204 };
  } catch (error) {
    return badRequest(error instanceof Error ? error.message : String(error));
  }
}

function badRequest(message: string): Answer {
  return { status: 400, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
}
