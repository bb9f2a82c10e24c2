/**
 * The route /control/calls, to control calls with curl. The record of calls is on /control.
 *
 *     curl -X PUT $ORIGIN/control/calls -d '{"mode":"drop","afterMs":2000,"times":3}'
 *     curl -X POST $ORIGIN/control/calls -d '{"action":"expire"}'
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, json, readBody, send } from '../../http/http-server.ts';
import { CALL_ACTIONS, type CallAction, type CallScript, parseCallAction, parseCallScript } from './script.ts';

export const CALLS_CONTROL_PATH = '/control/calls';
const BODY_LIMIT_BYTES = 10_000;

interface CallControls {
  readonly tell: (script: CallScript) => void;
  readonly act: (action: CallAction) => void;
}

export async function serveCallsControl(
  request: IncomingMessage,
  response: ServerResponse,
  controls: CallControls,
): Promise<void> {
  const text = String(await readBody(request, BODY_LIMIT_BYTES));
  switch (request.method) {
    case 'PUT':
      return send(response, setScript(text, controls));
    case 'POST':
      return send(response, runAction(text, controls));
    default:
      return send(response, { status: 405, headers: { allow: 'PUT, POST' } });
  }
}

function setScript(text: string, { tell }: CallControls): Answer {
  const parsed = parseCallScript(text);
  if ('complaint' in parsed) {
    return badRequest(parsed.complaint);
  }
  tell(parsed.script);
  return json(200, parsed.script);
}

function runAction(text: string, { act }: CallControls): Answer {
  const action = parseCallAction(text);
  if (action === undefined) {
    return badRequest(`"action" must be one of ${CALL_ACTIONS.join(', ')}.`);
  }
  act(action);
  return { status: 204 };
}

function badRequest(message: string): Answer {
  return { status: 400, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
}
