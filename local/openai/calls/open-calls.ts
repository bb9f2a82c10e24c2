/** The open calls of the OpenAI stand-in. A script controls a call from its start, and an action can end it later. */

import { newId } from '../api/ids.ts';
import type { Session } from '../api/session-settings.ts';
import { type Conversation, createConversation } from './conversation/conversation.ts';
import type { ServerEvent } from './conversation/server-events.ts';
import type { AudioCount, Line } from './line.ts';
import type { CallAction, CallScript } from './script.ts';

/** @param now epoch milliseconds */
export function createOpenCalls(audio: AudioCount, now: () => number) {
  const open = new Map<Line, Conversation>();
  let opened = 0;

  /** Starts the script of a call whose connection has opened. */
  function pickUp(line: Line, session: Session, script: CallScript): Conversation {
    opened += 1;
    const conversation = createConversation({ minted: session, speaker: line.speaker, audio, now });
    conversation.listen(line.send);
    open.set(line, conversation);
    switch (script.mode) {
      case 'stall':
        return { ...conversation, begin: ignore, receive: ignore, hear: ignore };
      case 'drop':
      case 'vanish':
      case 'expire':
        endAfter(line, conversation, script.mode, script.afterMs ?? 0);
        return conversation;
      default:
        conversation.begin();
        return conversation;
    }
  }

  function endAfter(line: Line, conversation: Conversation, action: CallAction, afterMs: number): void {
    if (afterMs === 0) {
      breakOff(line, action);
    } else {
      conversation.begin();
      setTimeout(() => open.has(line) && breakOff(line, action), afterMs).unref();
    }
  }

  /** Applies the action to all open calls. */
  function act(action: CallAction): void {
    for (const line of open.keys()) {
      breakOff(line, action);
    }
  }

  function end(line: Line): void {
    open.get(line)?.end();
    open.delete(line);
  }

  return {
    pickUp,
    act,
    end,
    count: () => ({ opened, open: open.size }),
    forget: () => {
      opened = 0;
    },
  };
}

function breakOff(line: Line, action: CallAction): void {
  if (action === 'expire') {
    line.send(expiredEvent());
    line.close();
  } else {
    line[action]();
  }
}

/** The event that ends a session after its hour, before the connection is closed. */
function expiredEvent(): ServerEvent {
  const message = 'Your session hit the maximum duration of 60 minutes.';
  const error = { type: 'invalid_request_error', code: 'session_expired', message, param: null, event_id: null };
  return { type: 'error', event_id: newId('event'), error };
}

function ignore(): void {
  // A stalled call ignores all events and sends none.
}
