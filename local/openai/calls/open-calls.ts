/** The open calls of the OpenAI stand-in. A script controls a call from its start, and an action can end it later. */

import type { Session } from '../api/session-settings.ts';
import { type AudioCount, type Conversation, createConversation, expiredEvent, type Line } from './conversation.ts';
import type { CallAction, CallScript } from './script.ts';

export function createOpenCalls(audio: AudioCount) {
  const open = new Set<Line>();
  let opened = 0;

  /** Starts the script of a call whose connection has opened. */
  function pickUp(line: Line, session: Session, script: CallScript): Conversation {
    opened += 1;
    open.add(line);
    const conversation = createConversation(line, session, audio);
    switch (script.mode) {
      case 'stall':
        return { begin: ignore, receive: ignore, hear: ignore };
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
    for (const line of open) {
      breakOff(line, action);
    }
  }

  return {
    pickUp,
    act,
    end: (line: Line) => open.delete(line),
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

function ignore(): void {
  // A stalled call ignores all events and sends none.
}
