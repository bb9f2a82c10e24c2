/** The calls that are open on the OpenAI stand-in: each does what it was told from its first moment, or is told later. */

import type { Session } from '../api/session-settings.ts';
import { type AudioCount, type Conversation, createConversation, expiredEvent, type Line } from './conversation.ts';
import type { CallAction, CallScript } from './script.ts';

export function createOpenCalls(audio: AudioCount) {
  const open = new Set<Line>();
  let opened = 0;

  /** A line has opened. What it was told to do begins. */
  function pickUp(line: Line, session: Session, told: CallScript): Conversation {
    opened += 1;
    open.add(line);
    const conversation = createConversation(line, session, audio);
    switch (told.mode) {
      case 'stall':
        return { begin: ignore, receive: ignore, hear: ignore };
      case 'drop':
      case 'vanish':
      case 'expire':
        beginToEnd(line, conversation, told.mode, told.afterMs ?? 0);
        return conversation;
      default:
        conversation.begin();
        return conversation;
    }
  }

  function beginToEnd(line: Line, conversation: Conversation, action: CallAction, afterMs: number): void {
    if (afterMs === 0) {
      breakOff(line, action);
    } else {
      conversation.begin();
      setTimeout(() => open.has(line) && breakOff(line, action), afterMs).unref();
    }
  }

  /** To all calls that are open now. */
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
  // A stalled call hears nothing and says nothing.
}
